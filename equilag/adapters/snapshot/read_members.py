"""The members of a snapshot: who they are, what they read and what they own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import fields
from itertools import chain, repeat
from typing import Any, Final

from equilag.adapters.snapshot.parse_columns import Object, as_list, as_object, check_keys
from equilag.domain.building.member_fields import MEMBER_DEFAULTS, MEMBER_FIELDS, NULLABLE
from equilag.domain.building.values import GENERATIONS, as_integer, as_text, check_texts
from equilag.domain.errors import InputError
from equilag.domain.group.group import Member
from equilag.domain.show import below, guess, not_a, show

_REQUIRED: Final = frozenset({"id", "subscription"})
_FIELDS: Final = _REQUIRED | {"owned"} | MEMBER_FIELDS.keys()
_NOTHING: Final[Object] = {}


def read_entries(value: object) -> list[Object]:
    """Return the field `members`; the entries have the right fields. Raises InputError."""
    entries = as_list(value, "members")
    sound = (
        set(map(type, entries)) <= {dict}
        and set(chain.from_iterable(entries)) <= _FIELDS
        and all(all(map(dict.__contains__, entries, repeat(field))) for field in _REQUIRED)
    )
    if not sound:
        for index, entry in enumerate(entries):
            place = f"members[{index}]"
            check_keys(as_object(entry, place), _FIELDS, _REQUIRED, place)
    if not set(map(type, (entry["id"] for entry in entries))) <= {str}:
        for index, entry in enumerate(entries):
            as_text(entry["id"], f"members[{index}].id")
    return entries


def read_members(entries: list[Object], generation: object) -> tuple[Member, ...]:
    """Return what is known of each member; `generation` is the group's, None if absent.

    Values are taken as they are, which the builder checks. Raises InputError for null.
    """
    given = frozenset(chain.from_iterable(entries)) & MEMBER_FIELDS.keys()
    defaults = dict(MEMBER_DEFAULTS)
    if generation is not None:
        defaults["generation"] = as_integer(generation, GENERATIONS, "generation")
    if given and any(None in entry.values() for entry in entries):
        _refuse_null(entries)
    columns: list[Iterable[Any]] = [
        [entry.get(field, default) for entry in entries] if field in given else repeat(default)
        for field, default in defaults.items()
    ]
    # The way past the constructor is five times as fast.
    members = tuple(map(object.__new__, repeat(Member, len(entries))))
    ids = [entry["id"] for entry in entries]
    for field, column in zip(fields(Member), (ids, *columns), strict=True):
        deque(map(getattr(Member, field.name).__set__, members, column), maxlen=0)
    return members


def _refuse_null(entries: list[Object]) -> None:
    """Raise InputError for the first null in a field of MEMBER_FIELDS that may not have one."""
    for index, entry in enumerate(entries):
        for name, field in MEMBER_FIELDS.items():
            if name in entry and entry[name] is None and name not in NULLABLE:
                raise InputError(not_a(None, field.kind), f"members[{index}].{name}")


def read_subscriptions(value: object, entries: list[Object]) -> dict[str, list[str]]:
    """Return the topics of each member by id; `value` is the field `subscriptions`.

    Members that name the same entry share its list. Raises InputError.
    """
    named = as_object(value, "subscriptions")
    for name, listed in named.items():
        place = below("subscriptions", name)
        check_texts(as_list(listed, place), place)
    found: dict[str, list[str]] = {}
    for index, entry in enumerate(entries):
        written: Any = entry["subscription"]
        if isinstance(written, str):
            if written not in named:
                problem = f"{show(written)} is not in subscriptions{guess(written, named)}"
                problem += "; topics themselves are a list"
                raise InputError(problem, f"members[{index}].subscription")
            written = named[written]
        elif not isinstance(written, list):
            raise InputError(not_a(written, "a list or a string"), f"members[{index}].subscription")
        found[entry["id"]] = written
    return found


def read_owned(entries: list[Object]) -> dict[str, Any]:
    """Return `owned` of each member by id, as it is: the builder checks it."""
    return {entry["id"]: entry.get("owned", _NOTHING) for entry in entries}
