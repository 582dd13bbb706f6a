"""The files that a command reads and writes; each failure is an InputError that names the file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equilag.adapters.whole_file import replace_file
from equilag.cli.arguments.options import STDIN
from equilag.domain.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from equilag.domain.group.group import Group


def read_snapshot(path: str) -> Group:
    """The group in a snapshot file. Raises InputError."""
    from equilag.adapters.snapshot.read_input import load_snapshot

    with _extra_for(path):
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
    from equilag.adapters.open_text import read_text

    with naming(path), _extra_for(path):
        return read_text(path)


def shown_path(path: str) -> str:
    """What messages call a file."""
    return "<stdin>" if path == STDIN else path


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Let an InputError that names no source name this file."""
    try:
        yield
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


@contextmanager
def _extra_for(path: str) -> Iterator[None]:
    try:
        yield
    except MissingExtra as error:
        raise MissingExtra(f"{shown_path(path)}: {error}") from error


def one_stdin(*paths: str | None) -> None:
    """Refuse to read two inputs from the one standard input. Raises InputError."""
    if sum(path == STDIN for path in paths) > 1:
        raise InputError("only one of the inputs can be standard input (-)")


class OutputFile:
    """A file to be written whole or not at all.

    The constructor refuses what cannot be written, before any work is done for it. An existing
    file keeps its permissions, and a link keeps its target; a pipe or a device is written to
    directly. Raises InputError.
    """

    def __init__(self, path: str, option: str, inputs: tuple[str | None, ...] = ()) -> None:
        self.path = path
        if not path or path == STDIN:
            raise InputError(f"{path!r} is not a file name", option)
        try:
            self._real = Path(path).resolve()
            found = self._real.stat() if self._real.exists() else None
            parent = self._real.parent.is_dir()
        except (OSError, ValueError, RuntimeError) as error:
            raise self._failed(error) from error
        self._mode = None if found is None else found.st_mode
        if self._mode is not None and stat.S_ISDIR(self._mode):
            raise InputError("cannot be written: it is a directory", source=path)
        if not parent:
            raise InputError(
                f"cannot be written: there is no directory {str(self._real.parent)!r}", source=path
            )
        if found is not None and not os.access(self._real, os.W_OK):
            raise InputError("cannot be written: Permission denied", source=path)
        for other in inputs:
            if found is not None and other and other != STDIN and self._same(other):
                raise InputError(f"would overwrite the input {other!r}", option)

    def write(self, content: str | bytes) -> None:
        """Write all of `content`, or leave everything as it was."""
        data = content
        if isinstance(data, str):
            data = data.encode("utf-8", "backslashreplace")
        try:
            if self._mode is not None and not stat.S_ISREG(self._mode):
                self._real.write_bytes(data)
            else:
                mode = None if self._mode is None else stat.S_IMODE(self._mode)
                replace_file(self._real, data, mode)
        except OSError as error:
            raise self._failed(error) from error

    def _same(self, other: str) -> bool:
        try:
            return self._real.samefile(other)
        except (OSError, ValueError):
            return False

    def _failed(self, error: Exception) -> InputError:
        reason = error.strerror if isinstance(error, OSError) else None
        return InputError(f"cannot be written: {reason or error}", source=self.path)
