"""Run a runner's process, and end it if a call or anything else takes too long."""

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
"""Last characters of standard error that are quoted; they contain the message of an exception."""


def run_watched(command: Sequence[str], folder: Path, call_s: float, other_s: float) -> str | None:
    """Run a runner in `folder` to its end. Return None, or the reason if it failed.

    The runner prints ``call`` before a call and ``end`` after it. A call may take `call_s` seconds;
    the phases before, between and after calls may take `other_s` each. Raises TimeoutExpired if a
    call takes longer, after ending all processes of the runner.
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
        message = errors.read().decode(errors="replace").strip()
        return f"ended with status {status}: {message[-_TAIL:]}"


def _watch(stdout: IO[bytes], call_s: float, other_s: float) -> str | None:
    """Wait until the runner closes its output; return None, or its last word if it is too slow."""
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
    """Kill the process and all its children, if it has not ended by itself."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
