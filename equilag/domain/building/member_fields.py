"""The checks of what is known of a member besides its subscription and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import attrgetter, is_
from typing import Any, Final, NamedTuple

from equilag.domain.columns import Index
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member, capacity_problem
from equilag.domain.show import guess, show
from equilag.domain.values import GENERATIONS, NATURAL, IntegerRange, below, not_a, text_problem


class MemberField(NamedTuple):
    """The check of one attribute of Member."""

    kind: str
    """What a value is, with its article."""
    problem: Callable[[object], str | None]
    """Why a value cannot be accepted, or None."""


def _capacity(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return not_a(value, "a number")
    problem = capacity_problem(value)
    return None if problem is None else f"{show(value)} is {problem}"


_TEXT: Final = MemberField("a string", text_problem)
_NAME: Final = MemberField(
    "a string", lambda value: text_problem(value) if value != "" else "empty"
)

MEMBER_FIELDS: Final[dict[str, MemberField | IntegerRange]] = {
    "instance_id": _TEXT,
    "rack": _TEXT,
    "generation": GENERATIONS,
    "capacity": MemberField("a number", _capacity),
    "client_id": _NAME,
    "host": _NAME,
    "max_partitions": NATURAL,
    "instance": _NAME,
}
"""The optional attributes of Member by name, and their checks.

A new field of members is an attribute of Member with its default, and an entry here: the builder
checks it, snapshots are read and written with it.
"""

NULLABLE: Final = frozenset({"capacity"})
"""Those that a snapshot may have as null: programs write one where they measured nothing."""

MEMBER_DEFAULTS: Final[dict[str, Any]] = {name: getattr(Member(""), name) for name in MEMBER_FIELDS}


def check_members(members: Sequence[Member]) -> None:
    """Check the ids and all fields of members.

    Raises InputError at a place like `members[3].id`, which counts them as they are given here.
    """
    _check_ids([member.id for member in members])
    for name, field in MEMBER_FIELDS.items():
        default = MEMBER_DEFAULTS[name]
        column: list[Any] = list(map(attrgetter(name), members))
        if all(map(is_, column, repeat(default))):
            continue
        # Checked once for all members that have the very same object, as a group's generation is.
        objects = dict(zip(map(id, column), column, strict=True))
        for key, value in objects.items():
            problem = None if value is default else field.problem(value)
            if problem is not None:
                index = list(map(id, column)).index(key)
                raise InputError(problem, f"members[{index}].{name}")


def _check_ids(ids: list[Any]) -> None:
    """Raise InputError for the first id that is not a string, is empty or is there already."""
    seen: dict[str, int] = {}
    for index, name in enumerate(ids):
        problem = text_problem(name) or ("" if name else "empty")
        if not problem and (first := seen.setdefault(name, index)) != index:
            problem = f"{show(name)} is the id of members[{first}] as well"
        if problem:
            raise InputError(problem, f"members[{index}].id")


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


def refuse_strangers(given: Mapping[str, Any], ids: Sequence[str], field: str) -> None:
    """Raise InputError for the first key that is not the id of a member."""
    known = set(ids)
    name = next(name for name in given if name not in known)
    raise InputError(f"no member has the id {show(name)}{guess(name, ids)}", below(field, name))
