"""The snapshot of a group, `equilag/snapshot/1`, read strictly: what is not right is an error."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from equilag.adapters.open_text import Source, read_text, source_name
from equilag.adapters.parse_json import parse_json
from equilag.adapters.show import show
from equilag.adapters.snapshot.columns import parse_columns
from equilag.adapters.snapshot.fields import (
    GENERATIONS,
    as_integer,
    as_object,
    as_text,
    as_time,
    check_keys,
)
from equilag.adapters.snapshot.read_claims import read_claims
from equilag.adapters.snapshot.read_lags import read_lags
from equilag.adapters.snapshot.read_members import read_entries, read_members, read_subscriptions
from equilag.adapters.snapshot.read_topics import check_racks, read_topics
from equilag.errors import InputError
from equilag.group import Group

FORMAT: Final = "equilag/snapshot/1"

_REQUIRED: Final = ("format", "group", "topics", "members")
_FIELDS: Final = frozenset(
    {
        *_REQUIRED,
        "taken_at",
        "subscriptions",
        "generation",
        "offsets",
        "lags",
        "unknown_lags",
        "auto_offset_reset",
        "racks",
    }
)


def load_snapshot(source: Source | dict[str, Any]) -> Group:
    """The group in a snapshot.

    `source` is a path (`-` for standard input), an open text or binary file, or the parsed JSON;
    files may be gzip or zstd. Raises InputError, which names the source as it was given and the
    place in it, MissingExtra for zstd without its package, and TypeError for what is none of
    these.
    """
    if isinstance(source, dict):
        return _group(source)
    try:
        text = read_text(source)
        with _collector_paused():
            return _read(text)
    except InputError as error:
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
        with suppress(InputError):  # what is wrong is told of the lists as they were written
            return _group(columns)
    del columns
    return _group(parse_json(text))


def _group(value: object) -> Group:
    snapshot = as_object(value, "")
    # A file of another kind should be told so, not that its first field is unknown.
    if "format" in snapshot and as_text(snapshot["format"], "format") != FORMAT:
        raise InputError(f"{show(snapshot['format'])} is not {show(FORMAT)}", "format")
    check_keys(snapshot, _FIELDS, _REQUIRED, "")
    taken_at = as_time(snapshot["taken_at"], "taken_at") if "taken_at" in snapshot else None
    generation = (
        as_integer(snapshot["generation"], GENERATIONS, "generation")
        if "generation" in snapshot
        else None
    )
    topics = read_topics(snapshot["topics"])
    entries = read_entries(snapshot["members"])
    members = read_members(entries, generation)
    class_of, class_topics = read_subscriptions(snapshot.get("subscriptions", {}), entries, topics)
    claims = read_claims(entries, members, topics, class_of, class_topics)
    lag, quality = read_lags(snapshot, topics)
    check_racks(snapshot, topics)
    return Group(
        name=as_text(snapshot["group"], "group"),
        members=members,
        topics=topics.names,
        topic_start=topics.start,
        class_of=class_of,
        class_topics=class_topics,
        lag=lag,
        quality=quality,
        claim_member=claims.member,
        claim_partition=claims.partition,
        owner=claims.owner,
        dropped_claims=claims.dropped,
        taken_at=taken_at,
        generation=generation,
    )
