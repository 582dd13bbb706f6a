"""The checks of what is known of a member besides its subscription and claims."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from operator import attrgetter, is_
from typing import Any, Final, Protocol

from equilag.domain.columns import Index
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member, capacity_problem
from equilag.domain.show import show
from equilag.domain.values import (
    GENERATIONS,
    NATURAL,
    as_text,
    not_a,
    text_problem,
)


class MemberField(Protocol):
    """The check of one attribute of Member."""

    @property
    def kind(self) -> str:
        """What a value is, with its article."""

    def problem(self, value: object) -> str | None:
        """Why `value` cannot be accepted, or None."""


@dataclass(frozen=True, slots=True)
class _Text:
    may_be_empty: bool
    kind: str = "a string"

    def problem(self, value: object) -> str | None:
        return "empty" if value == "" and not self.may_be_empty else text_problem(value)


@dataclass(frozen=True, slots=True)
class _Capacity:
    kind: str = "a number"

    def problem(self, value: object) -> str | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return not_a(value, self.kind)
        problem = capacity_problem(value)
        return None if problem is None else f"{show(value)} is {problem}"


MEMBER_FIELDS: Final[dict[str, MemberField]] = {
    "instance_id": _Text(may_be_empty=True),
    "rack": _Text(may_be_empty=True),
    "generation": GENERATIONS,
    "capacity": _Capacity(),
    "client_id": _Text(may_be_empty=False),
    "host": _Text(may_be_empty=False),
    "max_partitions": NATURAL,
    "instance": _Text(may_be_empty=False),
}
"""The optional attributes of Member by name, and their checks.

A new field of members is an attribute of Member with its default, and an entry here: the builder
checks it, snapshots are read and written with it.
"""

EXTENDED_MEMBER_FIELDS: Final = frozenset({"capacity", "max_partitions", "instance"})
"""Those that make members differ in what they may have."""
NULLABLE: Final = frozenset({"capacity"})
"""Those that a snapshot may have as null: programs write one where they measured nothing."""

MEMBER_DEFAULTS: Final[dict[str, Any]] = {name: getattr(Member(""), name) for name in MEMBER_FIELDS}


def check_members(members: Sequence[Member]) -> set[str]:
    """Check the ids and all fields of members; return the fields that any of them has.

    Raises InputError at a place like `members[3].id`, which counts them as they are given here.
    """
    _check_ids([member.id for member in members])
    found = set()
    for name, field in MEMBER_FIELDS.items():
        default = MEMBER_DEFAULTS[name]
        column: list[Any] = list(map(attrgetter(name), members))
        if all(map(is_, column, repeat(default))):
            continue
        found.add(name)
        # Checked once for all members that have the very same object, as a group's generation is.
        objects = dict(zip(map(id, column), column, strict=True))
        for key, value in objects.items():
            problem = None if value is default else field.problem(value)
            if problem is not None:
                index = list(map(id, column)).index(key)
                raise InputError(problem, f"members[{index}].{name}")
    return found


def _check_ids(ids: list[Any]) -> None:
    """Raise InputError for the first id that is not a string, is empty or is there already."""
    if (
        set(map(type, ids)) <= {str}
        and all(ids)
        and len(set(ids)) == len(ids)
        and all(map(str.isascii, ids))
    ):
        return
    seen: dict[str, int] = {}
    for index, name in enumerate(ids):
        place = f"members[{index}].id"
        if not as_text(name, place):
            raise InputError("empty", place)
        first = seen.setdefault(name, index)
        if first != index:
            raise InputError(f"{show(name)} is the id of members[{first}] as well", place)


def unlike_threads(members: Sequence[Member], class_of: Index) -> tuple[int, int, str] | None:
    """Two members of one instance that differ, and in what; None if all threads are alike.

    Threads have to read the same topics (`class_of` [M], the member classes) in the same rack. The
    second of the two is the first member at which this shows.
    """
    first: dict[str, int] = {}
    for m, member in enumerate(members):
        if member.instance is None:
            continue
        other = first.setdefault(member.instance, m)
        if class_of[m] != class_of[other]:
            return other, m, "subscription"
        if member.rack != members[other].rack:
            return other, m, "rack"
    return None
