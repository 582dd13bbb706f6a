"""A runner's process, ended when one call or anything else in it takes too long."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

_TAIL: Final = 500


def run_watched(command: Sequence[str], folder: Path, call_s: float, other_s: float) -> str | None:
    """Run a runner in `folder` to its end. Returns None, or what is wrong if it ended badly.

    The runner prints ``call`` before a call and ``end`` after it. A call may take `call_s` seconds,
    what lies before, between and after calls `other_s` each time. Raises TimeoutExpired where a
    call takes longer, after all processes that the runner started are gone; for the rest the
    answer says so.
    """
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, start_new_session=True
        )
        assert process.stdout is not None
        try:
            waiting = _watch(process.stdout, call_s, other_s)
            if waiting == "call":
                raise subprocess.TimeoutExpired(list(command), call_s)
            if waiting is not None:
                return f"not ready within {other_s:g} s"
            status = process.wait(other_s)
        finally:
            _end(process)
        if not status:
            return None
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
        return f"ended with status {status}: {said[-_TAIL:]}"


def _watch(stdout: IO[bytes], call_s: float, other_s: float) -> str | None:
    """Until the runner closes its output: None. Or the last word of one that takes too long."""
    word, rest = "", b""
    with selectors.DefaultSelector() as selector:
        selector.register(stdout, selectors.EVENT_READ)
        deadline = time.monotonic() + other_s
        while selector.select(max(0.0, deadline - time.monotonic())):
            data = os.read(stdout.fileno(), 65536)
            if not data:
                return None
            *lines, rest = (rest + data).split(b"\n")
            if lines:
                word = lines[-1].decode(errors="replace").strip()
                deadline = time.monotonic() + (call_s if word == "call" else other_s)
    return word


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all that it started, if it has not ended by itself."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
