"""Assignors by name: the built-in ones, installed ones, and ``module:attribute``.

Nothing is imported before it is asked for; listing the names imports no assignor at all.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import is_valid
from equilag.domain.plugins import guarded, installed, load, package_of
from equilag.domain.show import guess, name_of, plural
from equilag.heuristics.parts import answer_of
from equilag.heuristics.protocol import Assignor

ENTRY_POINT_GROUP: Final = "equilag.assignors"

BUILT_IN: Final = {
    "range": "equilag.heuristics.range:RangeAssignor",
    "round-robin": "equilag.heuristics.round_robin:RoundRobinAssignor",
    "fair": "equilag.heuristics.fair:FairAssignor",
    "sticky": "equilag.heuristics.sticky:StickyAssignor",
    "lag-aware": "equilag.heuristics.lag_aware:LagAwareAssignor",
    "constrained-sticky": "equilag.heuristics.constrained_sticky:ConstrainedStickyAssignor",
    "uniform": "equilag.heuristics.uniform:UniformAssignor",
    "broker-range": "equilag.heuristics.broker_range:BrokerRangeAssignor",
}


def assignor_names() -> tuple[str, ...]:
    """The built-in assignors in their fixed order, then installed ones by name."""
    return (*BUILT_IN, *sorted(installed(ENTRY_POINT_GROUP).keys() - BUILT_IN.keys()))


def get_assignor(name: str) -> Assignor:
    """The assignor called `name`, or the one at ``module:attribute``; raises InputError.

    A built-in name cannot be taken over by an installed package.
    """
    if name in BUILT_IN:
        return _load(name, BUILT_IN[name])
    if found := installed(ENTRY_POINT_GROUP).get(name):
        return _load(name, found.value)
    if ":" in name:
        return _load(name, name)
    known = assignor_names()
    problem = f"unknown assignor {name!r}; one of {', '.join(known)}, or MODULE:ATTRIBUTE"
    raise InputError(problem + guess(name, known), "assignor")


def package_of_assignor(name: str) -> str | None:
    """The installed package, with its version, that offers an assignor; None for any other."""
    point = None if name in BUILT_IN else installed(ENTRY_POINT_GROUP).get(name)
    return None if point is None else package_of(point)


def run_assignor(assignor: Assignor, group: Group, name: str | None = None) -> Index:
    """The assignor's answer as [P] int32, checked; raises InputError if it is not valid.

    A user's assignor gets a group of its own, which it may write to. `name` is what the user calls
    it, its own name unless given.
    """
    own = type(assignor).__module__.startswith("equilag.")
    given = group if own else _own_copy(group)
    if name is None:
        name = str(assignor.name)
    problem = f"assignor {name!r} failed"
    answer = guarded("assignor", problem, lambda: np.asarray(answer_of(assignor, given)))
    if problem := _what_is_wrong(answer, group):
        raise InputError(f"assignor {name!r} {problem}", "assignor")
    return answer.astype(np.int32, copy=False)


def _what_is_wrong(answer: npt.NDArray[Any], group: Group) -> str:
    """What keeps an answer from being an assignment; empty if it is one."""
    if answer.shape != (group.n_partitions,):
        return f"returned shape {answer.shape} instead of ({group.n_partitions},)"
    # An empty list comes back as floats; it says nothing wrong.
    if answer.size and not np.issubdtype(answer.dtype, np.integer):
        return f"returned {answer.dtype} instead of member numbers"
    # Checked before the cast, which would wrap large numbers into valid-looking ones.
    absent = np.flatnonzero((answer < NOBODY) | (answer >= group.n_members))
    if len(absent):
        place = _partition(group, int(absent[0]))
        members = plural(group.n_members, "member")
        return (
            f"gave a wrong answer: {place} is with member number {answer[absent[0]]} of {members}"
        )
    assigned = answer.astype(np.int32, copy=False)
    return "" if is_valid(group, assigned) else _first_wrong(assigned, group)


def _first_wrong(assigned: Index, group: Group) -> str:
    """The first partition that nobody has though it has a subscriber, or that a member has that
    does not subscribe to its topic."""
    held = np.flatnonzero(assigned != NOBODY)
    wrong = group.assignable & (assigned == NOBODY)
    wrong[held] = ~group.may_hold(held, assigned[held])
    first = int(wrong.argmax())
    place, holder = _partition(group, first), int(assigned[first])
    if holder == NOBODY:
        return f"gave a wrong answer: {place} is with nobody, and its topic has subscribers"
    member, topic = group.members[holder].id, group.partition_name(first)[0]
    why = f"which does not subscribe to {name_of(topic)}"
    return f"gave a wrong answer: {place} is with {name_of(member)}, {why}"


def _partition(group: Group, partition: int) -> str:
    topic, number = group.partition_name(partition)
    return f"{name_of(topic)}-{number}"


def _own_copy(group: Group) -> Group:
    """The same group with columns of its own."""
    columns = {one.name: getattr(group, one.name) for one in fields(group)}
    copies: dict[str, Any] = {
        name: it.copy() for name, it in columns.items() if isinstance(it, np.ndarray)
    }
    return replace(group, **copies, class_topics=tuple(t.copy() for t in group.class_topics))


def _load(name: str, reference: str) -> Assignor:
    """Import ``module:attribute`` and make it an assignor; a class is called without arguments."""
    assignor: Assignor = load("assignor", name, reference)
    problem = f"assignor {name!r} cannot be loaded"
    if not guarded(
        "assignor",
        problem,
        lambda: isinstance(assignor, Assignor) and callable(assignor.assign),
    ):
        raise InputError(f"assignor {name!r} lacks a name or assign(group)", "assignor")
    return assignor
