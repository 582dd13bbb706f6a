"""The fields of a snapshot: how each is read, as the input of the builder, and written."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from equilag.adapters.files import Source, read_text, source_name
from equilag.adapters.mistaken_file import SNAPSHOT_KIND, mistaken_text
from equilag.adapters.parse_json import parse_json
from equilag.domain.building.group_input import GroupInput, PartitionOffsets
from equilag.domain.building.member_fields import MEMBER_FIELDS, NULLABLE
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
_NEEDED: Final = frozenset({"id", "subscription"})
_MEMBER_FIELDS: Final = _NEEDED | {"owned"} | MEMBER_FIELDS.keys()
_ARRAYS: Final = frozenset(PartitionOffsets._fields)
_PREVIOUS: Final = frozenset({"seconds_before", "offsets"})


def read_input(value: object) -> GroupInput:
    """Return what a snapshot says of its group. Raises InputError."""
    snapshot = as_object(value, "")
    # A file of another kind should be told so, not that its first field is unknown.
    if "format" in snapshot and as_text(snapshot["format"], "format") != FORMAT:
        raise InputError(f"{show(snapshot['format'])} is not {show(FORMAT)}", "format")
    check_keys(snapshot, {*_REQUIRED, "subscriptions", *FIELDS}, _REQUIRED, "")
    entries = as_list(snapshot["members"], "members")
    for index, entry in enumerate(entries):
        place = f"members[{index}]"
        check_keys(as_object(entry, place), _MEMBER_FIELDS, _NEEDED, place)
        as_text(entry["id"], f"{place}.id")
    given: GroupInput = {
        "name": snapshot["group"],
        "topics": as_object(snapshot["topics"], "topics"),
        "members": _members(entries, snapshot.get("generation")),
        "subscriptions": _subscriptions(snapshot.get("subscriptions", {}), entries),
        "owned": {entry["id"]: entry.get("owned", {}) for entry in entries},
    }
    for name, field in FIELDS.items():
        if name in snapshot:
            given[name] = field.read(snapshot[name], name)  # type: ignore[literal-required]
    return given


def _members(entries: list[Object], generation: object) -> list[Member]:
    """Return what is known of each member; `generation` is the group's, None if absent.

    Values are taken as they are, which the builder checks. Raises InputError for null.
    """
    inherited: dict[str, Any] = {}
    if generation is not None:
        inherited["generation"] = as_integer(generation, GENERATIONS, "generation")
    members = []
    for index, entry in enumerate(entries):
        known = {name: entry[name] for name in entry.keys() & MEMBER_FIELDS.keys()}
        for name in MEMBER_FIELDS if None in known.values() else ():
            if name in known and known[name] is None and name not in NULLABLE:
                problem = not_a(None, MEMBER_FIELDS[name].kind)
                raise InputError(problem, f"members[{index}].{name}")
        members.append(Member(entry["id"], **{**inherited, **known}))
    return members


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


class SnapshotField(NamedTuple):
    """How a field of a snapshot is read as the argument of `Group.build` of its name, and how
    that is written."""

    read: Callable[[object, str], Any]
    """From the value and the name of the field. Raises InputError."""
    write: Callable[[Any], Any]
    if_any: bool = False
    """True if it is left out where it is empty."""


def _known(kind: str) -> SnapshotField:
    """A field that goes to the builder as it is, unless it is null."""

    def read(value: object, field: str) -> object:
        if value is None:
            raise InputError(not_a(None, kind), field)
        return value

    return SnapshotField(read, lambda it: it)


def _whole(value: object, field: str) -> Object:
    """A field of integers in which no null may stand; the builder takes one in lags for unknown."""
    found = as_lists(value, field)
    for topic, row in found.items():
        if None in row:
            place = f"{below(field, topic)}[{row.index(None)}]"
            raise InputError(not_a(None, "an integer"), place)
    return found


def _offsets(value: object, field: str) -> PartitionOffsets:
    """Offsets by array and then by topic."""
    offsets = as_object(value, field)
    for topic, entry in offsets.items():
        place = below(field, topic)
        check_keys(as_object(entry, place), _ARRAYS, _ARRAYS, place)
    arrays: list[dict[str, Any]] = [
        {topic: entry[array] for topic, entry in offsets.items()}
        for array in PartitionOffsets._fields
    ]
    return PartitionOffsets(*arrays)


def _previous(value: object, field: str) -> tuple[float, PartitionOffsets]:
    previous = as_object(value, field)
    check_keys(previous, _PREVIOUS, _PREVIOUS, field)
    return previous["seconds_before"], _offsets(previous["offsets"], f"{field}.offsets")


def lists(rows: object) -> dict[str, list[Any]]:
    """Return rows by topic as lists. Raises TypeError for a column in place of a mapping."""
    if not isinstance(rows, Mapping):
        raise TypeError("only a group described by mappings can be written, not one by columns")
    return {topic: list(row) for topic, row in rows.items()}


def _offset_lists(offsets: PartitionOffsets) -> dict[str, dict[str, list[Any]]]:
    """Topic -> array -> offsets."""
    arrays = {name: lists(rows) for name, rows in offsets._asdict().items()}
    return {
        topic: {name: rows[topic] for name, rows in arrays.items()} for topic in arrays["log_end"]
    }


FIELDS: Final[dict[str, SnapshotField]] = {
    "taken_at": _known("a string"),
    "generation": _known("an integer"),
    "offsets": SnapshotField(_offsets, _offset_lists),
    "previous": SnapshotField(
        _previous, lambda it: {"seconds_before": it[0], "offsets": _offset_lists(it[1])}
    ),
    "lags": SnapshotField(_whole, lists),
    "unknown_lags": SnapshotField(as_lists, lists, if_any=True),
    "rates": SnapshotField(as_lists, lists),
    "weights": SnapshotField(_whole, lists),
    "move_weights": SnapshotField(_whole, lists),
    "racks": SnapshotField(
        as_lists, lambda it: {topic: [list(racks) for racks in row] for topic, row in it.items()}
    ),
    "allowed": SnapshotField(
        as_object,
        lambda it: {
            topic: {str(number): list(ids) for number, ids in numbers.items()}
            for topic, numbers in it.items()
        },
        if_any=True,
    ),
    "co_partitioned": SnapshotField(
        as_list, lambda it: [list(topics) for topics in it], if_any=True
    ),
    "incomplete": SnapshotField(as_list, list, if_any=True),
    "assumed_subscribers": SnapshotField(as_list, list, if_any=True),
    "auto_offset_reset": _known("a string"),
}
"""The fields that are arguments of `Group.build` under their names. They are checked and written in
this order; those of members are `MEMBER_FIELDS`."""


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
            return Group.build(**read_input(parse_json(text)))
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
