"""Whole files: texts read from a path, standard input or an open file, compressed or not; and files
that a command writes, whole or not at all. Each failure is an InputError."""

from __future__ import annotations

import os
import secrets
import stat
import sys
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from equilag.domain.errors import InputError, MissingExtra

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]

STDIN: Final = "-"
MAX_BYTES: Final = 4 * 2**30
"""Largest size after decompression: 10 million partitions need less."""

_PARQUET: Final = b"PAR1"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks, as of Windows."""
_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE: Final = b"\x2a\x4d\x18"
# Bytes unpacked at a time: zstd data can unfold to 32,768 times that before the limit is looked at.
_PIECE: Final = 2**12


def source_name(source: Source) -> str | None:
    """Return the name of `source` for messages: the path as given, `<stdin>`, or a file's name."""
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        return "<stdin>" if name == STDIN else name
    label: object = getattr(source, "name", None)  # a number for a bare file descriptor
    return label if isinstance(label, str) else None


def read_text(source: Source) -> str:
    """Return the text of `source`; its first bytes tell plain, gzip and zstd data apart.

    Raises InputError (without a source) for a source that cannot be read or decoded, MissingExtra
    for zstd data without the package that reads it, TypeError for an object that is no source.
    """
    try:
        data = _read(source)
    except IsADirectoryError as error:
        raise InputError(_directory(source)) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a path with a zero byte, a closed file, a text file in no UTF-8
        raise InputError(f"cannot be read: {error}") from error
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    return _decode(_decompress(data))


def _read(source: Source) -> bytes | str:
    """All of `source` as it is; raises OSError, ValueError and TypeError."""
    opened: Any = source
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        if name != STDIN:
            return Path(name).read_bytes()
        if sys.stdin is None:
            raise ValueError("standard input is closed")
        opened = getattr(sys.stdin, "buffer", sys.stdin)
    if not hasattr(opened, "read"):
        raise TypeError(f"neither a path, nor an open file, nor a dict: {type(source).__name__}")
    data = opened.read()
    if isinstance(data, (str, bytes)):
        return data
    raise ValueError("the open file returned neither text nor bytes")


def _decompress(data: bytes) -> bytes:
    if data.startswith(_GZIP):
        return _unpacked(data, "gzip", lambda: zlib.decompressobj(31), zlib.error)
    if data.startswith(_ZSTD) or (data[1:4] == _ZSTD_SKIPPABLE and 0x50 <= data[0] <= 0x5F):
        try:
            import zstandard
        except ImportError as error:
            problem = "zstd data needs the package zstandard: pip install 'equilag[zstd]'"
            raise MissingExtra(problem) from error
        unpack = zstandard.ZstdDecompressor().decompressobj
        return _unpacked(data, "zstd", unpack, zstandard.ZstdError)
    return data


def _unpacked(data: bytes, kind: str, unpack: Callable[[], Any], broken: type[Exception]) -> bytes:
    """What the data unfold to; `unpack` makes what reads one frame. Raises InputError."""
    pieces: list[bytes] = []
    size, rest = 0, memoryview(data)
    try:
        while len(rest):  # a file may hold several frames
            frame = unpack()
            while len(rest) and not frame.eof:
                pieces.append(frame.decompress(rest[:_PIECE]))
                rest = rest[min(_PIECE, len(rest)) - len(frame.unused_data) :]
                size += len(pieces[-1])
                if size > MAX_BYTES:
                    raise InputError(f"unpacks to more than {MAX_BYTES} bytes")
            if not frame.eof:
                raise InputError(f"broken {kind} data: it ends in the middle")
            if len(rest) and not rest[0]:  # zeros that fill a block
                rest = memoryview(bytes(rest).lstrip(b"\0"))
    except broken as error:
        raise InputError(f"broken {kind} data: {error}") from error
    return b"".join(pieces)


def _directory(source: Source) -> str:
    """What is wrong with a directory in place of a file."""
    try:
        names = {found.name for found in Path(os.fsdecode(source)).iterdir()}  # type: ignore[arg-type]
    except OSError:
        names = set()
    if {"summary.json", "_SUCCESS"} <= names:
        return "the directory of a fleet run; equilag fleet show and equilag fleet export take it"
    if {"offsets", "members"} <= names:
        return "the directory of a history; equilag fleet --history takes it"
    return "a directory, not a file"


def _decode(data: bytes) -> str:
    if data.startswith(_PARQUET):
        problem = (
            "a Parquet file, not text; equilag fleet --history takes the directory of a history"
        )
        raise InputError(problem)
    encoding = "utf-16" if data.startswith(_UTF_16) else "utf-8"
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"not {encoding.upper()}: byte 0x{data[error.start]:02x}"
        raise InputError(problem, f"line {line}") from error


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
