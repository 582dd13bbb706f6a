"""A snapshot as parsed JSON, checked for what the format asks, as the input of the builder."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, Final

import numpy as np

from equilag.adapters.mistaken_file import SNAPSHOT_KIND, mistaken_text
from equilag.adapters.open_text import Source, read_text, source_name
from equilag.adapters.parse_json import parse_json
from equilag.adapters.snapshot.parse_columns import (
    Numbers,
    Object,
    as_list,
    as_lists,
    as_object,
    check_keys,
    parse_columns,
)
from equilag.adapters.snapshot.read_members import (
    read_entries,
    read_members,
    read_owned,
    read_subscriptions,
)
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.values import as_text
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.show import below, not_a, show

FORMAT: Final = "equilag/snapshot/1"

_REQUIRED: Final = ("format", "group", "topics", "members")
_PLAIN: Final = {
    "taken_at": "a string",
    "generation": "an integer",
    "auto_offset_reset": "a string",
}
"""Fields that go to the builder as they are, unless they are null, with what they have to be."""
_FIELDS: Final = frozenset(
    {
        *(*_REQUIRED, *_PLAIN, "subscriptions", "offsets", "lags", "unknown_lags"),
        *("rates", "weights", "racks", "allowed", "co_partitioned"),
    }
)
_ARRAYS: Final = frozenset(PartitionOffsets._fields)


def read_input(value: object) -> GroupInput:
    """Return what a snapshot says of its group. Raises InputError."""
    snapshot = as_object(value, "")
    # A file of another kind should be told so, not that its first field is unknown.
    if "format" in snapshot and as_text(snapshot["format"], "format") != FORMAT:
        raise InputError(f"{show(snapshot['format'])} is not {show(FORMAT)}", "format")
    check_keys(snapshot, _FIELDS, _REQUIRED, "")
    for field, kind in _PLAIN.items():
        if field in snapshot and snapshot[field] is None:
            raise InputError(not_a(None, kind), field)
    topics = as_object(snapshot["topics"], "topics")
    entries = read_entries(snapshot["members"])
    given: GroupInput = {
        "name": snapshot["group"],
        "topics": topics,
        "members": read_members(entries, snapshot.get("generation")),
        "subscriptions": read_subscriptions(snapshot.get("subscriptions", {}), entries),
        "owned": read_owned(entries),
    }
    if "taken_at" in snapshot:
        given["taken_at"] = snapshot["taken_at"]
    if "generation" in snapshot:
        given["generation"] = snapshot["generation"]
    if "auto_offset_reset" in snapshot:
        given["auto_offset_reset"] = snapshot["auto_offset_reset"]
    if "lags" in snapshot:
        given["lags"] = _no_nulls(snapshot["lags"], "lags")
    if "offsets" in snapshot:
        given["offsets"] = _offsets(snapshot["offsets"], topics)
    if "unknown_lags" in snapshot:
        given["unknown_lags"] = as_lists(snapshot["unknown_lags"], "unknown_lags")
    _read_extended(snapshot, given)
    return given


def _read_extended(snapshot: Object, given: GroupInput) -> None:
    """Add the fields of extended groups."""
    if "rates" in snapshot:
        given["rates"] = as_lists(snapshot["rates"], "rates")
    if "weights" in snapshot:
        given["weights"] = _no_nulls(snapshot["weights"], "weights")
    if "racks" in snapshot:
        given["racks"] = as_lists(snapshot["racks"], "racks")
    if "allowed" in snapshot:
        given["allowed"] = as_object(snapshot["allowed"], "allowed")
    if "co_partitioned" in snapshot:
        given["co_partitioned"] = as_list(snapshot["co_partitioned"], "co_partitioned")


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


def _offsets(value: object, topics: Object) -> PartitionOffsets:
    """The field `offsets`, by array and then by topic."""
    offsets = as_object(value, "offsets")
    for topic, entry in offsets.items():
        if type(entry) is dict and entry.keys() == _ARRAYS:
            continue
        place = below("offsets", topic)
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
