"""Assignors by name: the built-in ones, installed ones, and ``module:attribute``.

Nothing is imported before it is asked for; listing the names imports no assignor at all.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.errors import InputError
from equilag.group import Group, Index
from equilag.heuristics.parts import answer_of
from equilag.heuristics.protocol import Assignor
from equilag.metrics import is_valid
from equilag.plugins import installed, load

ENTRY_POINT_GROUP: Final = "equilag.assignors"

_BUILT_IN: Final = {
    "range": "equilag.heuristics.range:RangeAssignor",
    "round-robin": "equilag.heuristics.round_robin:RoundRobinAssignor",
    "fair": "equilag.heuristics.fair:FairAssignor",
    "sticky": "equilag.heuristics.sticky:StickyAssignor",
    "lag-aware": "equilag.heuristics.lag_aware:LagAwareAssignor",
    "constrained-sticky": "equilag.heuristics.constrained_sticky:ConstrainedStickyAssignor",
}


def assignor_names() -> tuple[str, ...]:
    """The built-in assignors in their fixed order, then installed ones by name."""
    return (*_BUILT_IN, *sorted(installed(ENTRY_POINT_GROUP).keys() - _BUILT_IN.keys()))


def get_assignor(name: str) -> Assignor:
    """The assignor called `name`, or the one at ``module:attribute``; raises InputError.

    A built-in name cannot be taken over by an installed package.
    """
    if not isinstance(name, str):
        raise InputError(f"is given by its name, not as {type(name).__name__}", "assignor")
    if name in _BUILT_IN:
        return _load(name, _BUILT_IN[name])
    if found := installed(ENTRY_POINT_GROUP).get(name):
        return _load(name, found.value)
    if ":" in name:
        return _load(name, name)
    known = ", ".join(assignor_names())
    raise InputError(f"unknown assignor {name!r}; one of {known}, or MODULE:ATTRIBUTE", "assignor")


def run_assignor(assignor: Assignor, group: Group) -> Index:
    """The assignor's answer as [P] int32, checked; raises InputError if it is not valid."""
    try:
        answer = np.asarray(answer_of(assignor, group))
    except Exception as error:  # a user's assignor may fail in any way
        raise _broken(assignor, f"failed ({type(error).__name__}: {error})") from error
    if answer.shape != (group.n_partitions,):
        raise _broken(assignor, f"returned shape {answer.shape} instead of ({group.n_partitions},)")
    # An empty list comes back as floats; it says nothing wrong.
    if answer.size and not np.issubdtype(answer.dtype, np.integer):
        raise _broken(assignor, f"returned {answer.dtype} instead of member numbers")
    # Checked before the cast, which would wrap large numbers into valid-looking ones.
    if answer.size and (answer.min() < -1 or answer.max() >= group.n_members):
        raise _broken(assignor, "returned a member number that does not exist")
    assigned: Index = answer.astype(np.int32, copy=False)
    if not is_valid(group, assigned):
        raise _broken(
            assignor, "did not give every partition that has a subscriber to one of its subscribers"
        )
    return assigned


def _load(name: str, reference: str) -> Assignor:
    """Import ``module:attribute`` and make it an assignor; a class is called without arguments."""
    assignor = load("assignor", name, reference)
    if not isinstance(assignor, Assignor) or not callable(assignor.assign):
        raise InputError(f"assignor {name!r} lacks a name or assign(group)", "assignor")
    return assignor


def _broken(assignor: Assignor, problem: str) -> InputError:
    return InputError(f"assignor {assignor.name!r} {problem}", "assignor")
