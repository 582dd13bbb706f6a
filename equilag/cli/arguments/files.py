"""The files that a command reads and writes; each failure is an InputError that names the file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from equilag.adapters.files import STDIN
from equilag.domain.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from equilag.domain.group.group import Group


def read_snapshot(path: str) -> Group:
    """The group in a snapshot file. Raises InputError."""
    from equilag.adapters.snapshot.read_input import load_snapshot

    with naming(path):
        return load_snapshot(path)


def read_object(path: str) -> dict[str, Any]:
    """The object in the JSON file of a plan. Raises InputError, which tells files of other kinds
    from plans."""
    from equilag.adapters.mistaken_file import PLAN_KIND, mistaken_format, mistaken_text
    from equilag.adapters.parse_json import parse_json
    from equilag.domain.values import not_a

    text = read_file(path)
    with naming(path):
        try:
            value = parse_json(text)
        except InputError as error:
            mistaken = mistaken_text(text, PLAN_KIND)
            if mistaken is None:
                raise
            raise InputError(mistaken) from error
        if not isinstance(value, dict):
            raise InputError(not_a(value, "an object"))
        mistaken = mistaken_format(value.get("format"), PLAN_KIND)
        if mistaken is not None:
            raise InputError(mistaken)
        return value


def read_file(path: str) -> str:
    """The text of a file, unpacked. Raises InputError."""
    from equilag.adapters.files import read_text

    with naming(path):
        return read_text(path)


def shown_path(path: str) -> str:
    """What messages call a file."""
    return "<stdin>" if path == STDIN else path


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let an error that names no source name this file."""
    try:
        yield
    except MissingExtra as error:
        raise MissingExtra(f"{shown_path(path)}: {error}") from error
    except InputError as error:
        source = error.source or shown_path(path)
        raise InputError(error.problem, error.place, source) from error


@contextmanager
def naming_plan(path: str | None) -> Iterator[None]:
    """Let an InputError about the plan name its file."""
    try:
        yield
    except InputError as error:
        if path is None or error.place != "plan":
            raise
        raise InputError(error.problem, source=shown_path(path)) from error


def one_stdin(*paths: str | None) -> None:
    """Refuse to read two inputs from the one standard input. Raises InputError."""
    if sum(path == STDIN for path in paths) > 1:
        raise InputError("only one of the inputs can be standard input (-)")
