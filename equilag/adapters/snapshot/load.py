"""The snapshot of a group, `equilag/snapshot/1`, read strictly: what is not right is an error."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from equilag.adapters.mistaken_file import SNAPSHOT_KIND, mistaken_text
from equilag.adapters.open_text import Source, read_text, source_name
from equilag.adapters.parse_json import parse_json
from equilag.adapters.snapshot.parse_columns import parse_columns
from equilag.adapters.snapshot.read_input import read_input
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group


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
