"""Writing a file whole: after a crash it is the old one or the new one."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


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
