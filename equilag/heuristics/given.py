"""An assignor as a user gives it: by its name, or as an object of Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, cast

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.plugins import guarded
from equilag.heuristics.protocol import Assignor
from equilag.heuristics.registry import get_assignor, run_assignor

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
