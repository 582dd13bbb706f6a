"""A snapshot as parsed JSON, checked for what the format asks, as the input of the builder."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import fields
from itertools import chain, repeat
from typing import Any, Final

import numpy as np

from equilag.adapters.files import Source, read_text, source_name
from equilag.adapters.mistaken_file import SNAPSHOT_KIND, mistaken_text
from equilag.adapters.parse_json import Numbers, parse_columns, parse_json
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.member_fields import MEMBER_DEFAULTS, MEMBER_FIELDS, NULLABLE
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member
from equilag.domain.show import guess, show
from equilag.domain.values import (
    GENERATIONS,
    Object,
    as_integer,
    as_list,
    as_lists,
    as_object,
    as_text,
    below,
    check_keys,
    check_texts,
    not_a,
)

FORMAT: Final = "equilag/snapshot/1"

_REQUIRED: Final = ("format", "group", "topics", "members")
_PLAIN: Final = {
    "taken_at": "a string",
    "generation": "an integer",
    "auto_offset_reset": "a string",
}
"""Fields that go to the builder as they are, unless they are null, with what they have to be."""
_NEEDED: Final = frozenset({"id", "subscription"})
_MEMBER_FIELDS: Final = _NEEDED | {"owned"} | MEMBER_FIELDS.keys()
_NOTHING: Final[Object] = {}
_ARRAYS: Final = frozenset(PartitionOffsets._fields)


def read_input(value: object) -> GroupInput:
    """Return what a snapshot says of its group. Raises InputError."""
    snapshot = as_object(value, "")
    # A file of another kind should be told so, not that its first field is unknown.
    if "format" in snapshot and as_text(snapshot["format"], "format") != FORMAT:
        raise InputError(f"{show(snapshot['format'])} is not {show(FORMAT)}", "format")
    check_keys(snapshot, _FIELDS, _REQUIRED, "")
    plain = {field: snapshot[field] for field in _PLAIN if field in snapshot}
    for field, given_value in plain.items():
        if given_value is None:
            raise InputError(not_a(None, _PLAIN[field]), field)
    topics = as_object(snapshot["topics"], "topics")
    entries = _entries(snapshot["members"])
    given: GroupInput = {
        "name": snapshot["group"],
        "topics": topics,
        "members": _members(entries, snapshot.get("generation")),
        "subscriptions": _subscriptions(snapshot.get("subscriptions", {}), entries),
        "owned": {entry["id"]: entry.get("owned", _NOTHING) for entry in entries},
        **plain,  # type: ignore[typeddict-item]
    }
    if "offsets" in snapshot:
        given["offsets"] = _offsets(snapshot["offsets"], topics)
    if "previous" in snapshot:
        previous = as_object(snapshot["previous"], "previous")
        check_keys(previous, _PREVIOUS, _PREVIOUS, "previous")
        earlier = _offsets(previous["offsets"], topics, "previous.offsets")
        given["previous"] = previous["seconds_before"], earlier
    for field, read in _READERS.items():
        if field in snapshot:
            given[field] = read(snapshot[field], field)  # type: ignore[literal-required]
    return given


def _entries(value: object) -> list[Object]:
    """Return the field `members`; the entries have the right fields. Raises InputError."""
    entries = as_list(value, "members")
    sound = (
        set(map(type, entries)) <= {dict}
        and set(chain.from_iterable(entries)) <= _MEMBER_FIELDS
        and all(all(map(dict.__contains__, entries, repeat(field))) for field in _NEEDED)
    )
    if not sound:
        for index, entry in enumerate(entries):
            place = f"members[{index}]"
            check_keys(as_object(entry, place), _MEMBER_FIELDS, _NEEDED, place)
    if not set(map(type, (entry["id"] for entry in entries))) <= {str}:
        for index, entry in enumerate(entries):
            as_text(entry["id"], f"members[{index}].id")
    return entries


def _members(entries: list[Object], generation: object) -> tuple[Member, ...]:
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


def _subscriptions(value: object, entries: list[Object]) -> dict[str, list[str]]:
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


def _no_nulls(value: object, field: str) -> Object:
    """A field of integers in which no null may stand; the builder takes one in lags for unknown."""
    found = as_lists(value, field)
    columns = [row for row in found.values() if isinstance(row, Numbers)]
    lists = [row for row in found.values() if not isinstance(row, Numbers)]
    if None in chain.from_iterable(lists) or (columns and np.concatenate(columns).min() < 0):
        for topic, row in found.items():
            for index, cell in enumerate(row):
                if cell is None or (isinstance(row, Numbers) and cell < 0):
                    place = f"{below(field, topic)}[{index}]"
                    raise InputError(not_a(None, "an integer"), place)
    return found


_READERS: Final[dict[str, Callable[[object, str], object]]] = {
    "lags": _no_nulls,
    "unknown_lags": as_lists,
    "rates": as_lists,
    "weights": _no_nulls,
    "move_weights": _no_nulls,
    "racks": as_lists,
    "allowed": as_object,
    "co_partitioned": as_list,
    "incomplete": as_list,
}
"""Further fields, each with what reads it; they are checked in this order."""
_FIELDS: Final = frozenset({*_REQUIRED, *_PLAIN, *_READERS, "subscriptions", "offsets", "previous"})
_PREVIOUS: Final = frozenset({"seconds_before", "offsets"})


def _offsets(value: object, topics: Object, field: str = "offsets") -> PartitionOffsets:
    """The field `offsets`, by array and then by topic."""
    offsets = as_object(value, field)
    for topic, entry in offsets.items():
        if type(entry) is dict and entry.keys() == _ARRAYS:
            continue
        place = below(field, topic)
        if topic in topics:  # the builder refuses what is not there
            check_keys(as_object(entry, place), _ARRAYS, _ARRAYS, place)
    arrays: list[dict[str, Any]] = [
        {
            topic: entry.get(array) if isinstance(entry, dict) else None
            for topic, entry in offsets.items()
        }
        for array in PartitionOffsets._fields
    ]
    return PartitionOffsets(*arrays)


def load_snapshot(source: Source | dict[str, Any]) -> Group:
    """The group in a snapshot.

    `source` is a path (`-` for standard input), an open text or binary file, or the parsed JSON;
    files may be gzip or zstd. Raises InputError, which names the source as it was given and the
    place in it, MissingExtra for zstd without its package, and TypeError for what is none of
    these.
    """
    if isinstance(source, dict):
        return Group.build(**read_input(source))
    text = None
    try:
        text = read_text(source)
        with _collector_paused():
            return _read(text)
    except InputError as error:
        mistaken = mistaken_text(text, SNAPSHOT_KIND) if text is not None else None
        if mistaken is not None:
            raise InputError(mistaken, source=source_name(source)) from error
        raise InputError(error.problem, error.place, source_name(source)) from error


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No search for garbage cycles meanwhile.

    Parsed JSON has no cycles, and half a million small lists set the search off again and again:
    it takes up to two thirds of the time of `json.loads`.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _read(text: str) -> Group:
    columns = parse_columns(text)
    if columns is not None:
        with suppress(InputError):  # the lists as they were written show what is wrong
            return Group.build(**read_input(columns))
    del columns
    return Group.build(**read_input(parse_json(text)))
