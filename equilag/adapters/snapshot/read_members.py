"""The members of a snapshot: who they are and what they read."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import fields
from itertools import chain, repeat
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.adapters.show import below, guess, not_a, show
from equilag.adapters.snapshot.fields import (
    GENERATIONS,
    Object,
    as_integer,
    as_list,
    as_object,
    as_text,
    check_keys,
    check_texts,
    check_unicode,
)
from equilag.adapters.snapshot.read_topics import Topics
from equilag.errors import InputError
from equilag.group import Index, Member, intern_subscriptions

_REQUIRED: Final = frozenset({"id", "subscription"})
_FIELDS: Final = _REQUIRED | {
    "owned", "generation", "instance_id", "capacity", "rack", "client_id", "host",
}  # fmt: skip
_NEVER: Final = -1
"""The generation of claims of which nobody says when they were made."""


class Entry(NamedTuple):
    """One element of `members`; `position` is where it stood in the file."""

    id: str
    position: int
    fields: Object

    def place(self, field: str) -> str:
        return f"members[{self.position}].{field}"


def read_entries(value: object) -> list[Entry]:
    """The field `members`, by ascending id; the ids are checked. Raises InputError."""
    items = as_list(value, "members")
    sound = (
        set(map(type, items)) <= {dict}
        and set(chain.from_iterable(items)) <= _FIELDS
        and all(all(map(dict.__contains__, items, repeat(field))) for field in _REQUIRED)
    )
    if not sound:
        for index, fields in enumerate(items):
            place = f"members[{index}]"
            check_keys(as_object(fields, place), _FIELDS, _REQUIRED, place)
    ids = [fields["id"] for fields in items]
    if not (set(map(type, ids)) <= {str} and all(ids) and len(set(ids)) == len(ids)):
        _check_ids(ids)
    if not all(map(str.isascii, ids)):
        for index, name in enumerate(ids):
            check_unicode(name, f"members[{index}].id")
    return sorted(map(Entry, ids, range(len(ids)), items))


def _check_ids(ids: list[Any]) -> None:
    """Raise InputError for the first id that is not a string, empty, or there already."""
    seen: dict[str, int] = {}
    for index, name in enumerate(ids):
        place = f"members[{index}].id"
        if not as_text(name, place):
            raise InputError("empty", place)
        first = seen.setdefault(name, index)
        if first != index:
            raise InputError(f"{show(name)} is the id of members[{first}] as well", place)


def read_members(entries: list[Entry], generation: int | None) -> tuple[Member, ...]:
    """What is known of each member; `generation` is the group's. Raises InputError."""
    default = _NEVER if generation is None else generation
    given = frozenset(chain.from_iterable(entry.fields for entry in entries))
    generations = [default] * len(entries)
    if "generation" in given:
        for number, entry in enumerate(entries):
            if "generation" in entry.fields:
                value, place = entry.fields["generation"], entry.place("generation")
                generations[number] = as_integer(value, GENERATIONS, place)
    ids = [entry.id for entry in entries]
    instances, racks, client_ids, hosts = (
        _texts(entries, field) if field in given else repeat(None)
        for field in ("instance_id", "rack", "client_id", "host")
    )
    for field, column in (("client_id", client_ids), ("host", hosts)):
        if field in given and "" in column:
            raise InputError("empty", entries[list(column).index("")].place(field))
    capacities = repeat(_one_capacity(entries))
    return _members(ids, instances, racks, generations, capacities, client_ids, hosts)


def _members(ids: list[str], *columns: Iterable[object]) -> tuple[Member, ...]:
    """Members from a column for each field; the way past the constructor is five times as fast."""
    members = tuple(map(object.__new__, repeat(Member, len(ids))))
    for field, column in zip(fields(Member), (ids, *columns), strict=True):
        deque(map(getattr(Member, field.name).__set__, members, column), maxlen=0)
    return members


def _texts(entries: list[Entry], field: str) -> list[str | None]:
    return [
        as_text(entry.fields[field], entry.place(field)) if field in entry.fields else None
        for entry in entries
    ]


def _one_capacity(entries: list[Entry]) -> float:
    """The capacity that all members have."""
    if not any("capacity" in entry.fields for entry in entries):
        return 1.0
    capacities = [_capacity(entry) for entry in entries]
    for entry, capacity in zip(entries, capacities, strict=True):
        if capacity != capacities[0]:
            problem = (
                f"planning with capacities does not exist yet, and this member's is {capacity:g}"
                f" while that of members[{entries[0].position}] is {capacities[0]:g}"
            )
            raise InputError(problem, entry.place("capacity"))
    return capacities[0]


def _capacity(entry: Entry) -> float:
    value = entry.fields.get("capacity", 1.0)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(not_a(value, "a number"), entry.place("capacity"))
    try:
        capacity = float(value)
    except OverflowError:
        capacity = math.inf
    if not 0 < capacity < math.inf:
        raise InputError(f"{show(value)} is not a finite number above 0", entry.place("capacity"))
    return capacity


def read_subscriptions(
    value: object, entries: list[Entry], topics: Topics
) -> tuple[Index, tuple[Index, ...]]:
    """`class_of` and `class_topics` of Group; `value` is the field `subscriptions`.

    Raises InputError.
    """
    named = as_object(value, "subscriptions")
    for name, listed in named.items():
        place = below("subscriptions", name)
        check_texts(as_list(listed, place), place)
    readable = {name: t for name, t in topics.number.items() if topics.size[t] > 0}

    # Each distinct way of writing a subscription is worked out once: thousands share one.
    slot: dict[str | tuple[str, ...], int] = {}
    distinct: list[tuple[int, ...]] = []
    slots: list[int] = []
    for entry in entries:
        written = _written_subscription(entry, named)
        number = slot.setdefault(written, len(distinct))
        if number == len(distinct):
            names = named[written] if isinstance(written, str) else written
            distinct.append(tuple(sorted({readable[name] for name in names if name in readable})))
        slots.append(number)
    class_of_slot, class_topics = intern_subscriptions(distinct)
    return class_of_slot[np.array(slots, dtype=np.int64)], class_topics


def _written_subscription(entry: Entry, named: Object) -> str | tuple[str, ...]:
    """The name of an entry of `subscriptions`, or the topics themselves."""
    written: Any = entry.fields["subscription"]
    if isinstance(written, str):
        if written not in named:
            problem = f"{show(written)} is not in subscriptions{guess(written, named)}"
            problem += "; topics themselves are a list"
            raise InputError(problem, entry.place("subscription"))
        return written
    if not isinstance(written, list):
        raise InputError(not_a(written, "a list or a string"), entry.place("subscription"))
    check_texts(written, entry.place("subscription"))
    return tuple(written)
