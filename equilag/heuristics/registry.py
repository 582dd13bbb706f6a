"""What an assignor is, and assignors by name: built-in ones, installed ones, ``module:attribute``.

Nothing is imported before it is asked for; listing the names imports no assignor at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import SimpleNamespace
from typing import Any, Final, Protocol, TypeAlias, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plugins import Extensions, guarded, package_of
from equilag.domain.show import name_of, plural


@runtime_checkable
class Assignor(Protocol):
    """One rule that turns a group into an assignment; built in or a user's own."""

    name: str

    def assign(self, group: Group) -> Index:
        """[P] int32 member number per partition, NOBODY where the topic has no subscriber.

        Deterministic: the same group gives the same answer.
        """
        ...


BUILT_IN: Final = {
    "range": "equilag.heuristics.range:RangeAssignor",
    "round-robin": "equilag.heuristics.baselines:RoundRobinAssignor",
    "fair": "equilag.heuristics.baselines:FairAssignor",
    "sticky": "equilag.heuristics.sticky:StickyAssignor",
    "lag-aware": "equilag.heuristics.baselines:LagAwareAssignor",
    "constrained-sticky": "equilag.heuristics.sticky:ConstrainedStickyAssignor",
    "uniform": "equilag.heuristics.uniform:UniformAssignor",
    "broker-range": "equilag.heuristics.range:BrokerRangeAssignor",
}


ASSIGNORS: Final = Extensions("assignor", "equilag.assignors", "ATTRIBUTE", BUILT_IN)
assignor_names: Final = ASSIGNORS.names


def get_assignor(name: str) -> Assignor:
    """The assignor called `name`, or the one at ``module:attribute``; a class is called without
    arguments. Raises InputError."""
    assignor: Assignor = ASSIGNORS.get(name)
    problem = f"assignor {name!r} cannot be loaded"
    if not guarded(
        "assignor", problem, lambda: isinstance(assignor, Assignor) and callable(assignor.assign)
    ):
        raise InputError(f"assignor {name!r} lacks a name or assign(group)", "assignor")
    return assignor


def package_of_assignor(name: str) -> str | None:
    """The installed package, with its version, that offers an assignor; None for any other."""
    point = ASSIGNORS.installed_as(name)
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
    answer = guarded("assignor", problem, lambda: np.asarray(assignor.assign(given)))
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
    held = np.flatnonzero(assigned != NOBODY)
    wrong = group.assignable & (assigned == NOBODY)
    wrong[held] = ~group.may_hold(held, assigned[held])
    if not wrong.any():
        return ""
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


AnyAssignor: TypeAlias = str | Assignor | type[Assignor] | Callable[[Group], Any]
"""A name or ``module:attribute``; an object with ``assign(group)``, or its class, which is called
without arguments; or a function of a group."""

_PLACE: Final = "assignor"


@dataclass(frozen=True, slots=True)
class GivenAssignor:
    """An assignor, and what its plan and its row are called."""

    name: str
    assignor: Assignor

    def run(self, group: Group) -> Index:
        """[P] int32 member number per partition, checked. Raises InputError."""
        return run_assignor(self.assignor, group, self.name)


def given_assignor(given: AnyAssignor) -> GivenAssignor:
    """Return the assignor that `given` stands for.

    An object is called by its attribute `name`; without one by the name of its class, a function by
    its own. Raises InputError for an unknown name, for a class that cannot be called without
    arguments, and for what is no assignor.
    """
    if isinstance(given, str):
        return GivenAssignor(given, get_assignor(given))
    return guarded(_PLACE, f"{type(given).__name__} is no assignor", lambda: _from_object(given))


def _from_object(given: Any) -> GivenAssignor:
    it = given() if isinstance(given, type) else given
    name: Any = getattr(it, "name", None)
    if not isinstance(name, str) or not name:
        name = getattr(it, "__name__", type(it).__name__)
    if callable(getattr(it, "assign", None)):
        return GivenAssignor(name, it)
    if not callable(it):
        raise TypeError("it has no assign(group), and is no function of a group")
    # A class of equilag would be taken for an assignor of its own, which gets no copy of the group.
    return GivenAssignor(name, cast(Assignor, SimpleNamespace(name=name, assign=it)))


def check_names(assignors: list[GivenAssignor], taken: set[str]) -> None:
    """Raise InputError for a name that is `taken`, or that two of the assignors have."""
    seen = {*taken}
    for one in assignors:
        if one.name in seen:
            raise InputError(
                f"another row is called {one.name!r}; give this one another name", _PLACE
            )
        seen.add(one.name)
