"""Files that a command writes, whole or not at all; each failure is an InputError with the file."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from equilag.adapters.open_text import STDIN
from equilag.domain.errors import InputError


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


def write_both(first: OutputFile, second: OutputFile, text: str, other: str) -> None:
    """Write two files, or leave both as they were. Raises InputError."""
    path = Path(first.path).resolve()
    there = path.exists()
    before = path.read_bytes() if path.is_file() else None
    first.write(text)
    try:
        second.write(other)
    except BaseException:
        with suppress(OSError):
            if before is not None:
                path.write_bytes(before)
            elif not there:
                path.unlink()
        raise


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write beside the file and rename: on one file system that is all or nothing.

    `mode` are the permissions of the new file; None: those that the umask leaves. Raises OSError.
    """
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    # Not tempfile: its files are for their owner alone, whatever the umask says.
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
