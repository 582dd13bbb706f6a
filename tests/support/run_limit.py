"""Runs a command that may take a limited time, and leaves no process of it behind (Linux).

Usage: python tests/support/run_limit.py SECONDS COMMAND...

At the limit each Python process of the command prints the stacks of its threads, all processes are
killed, and the exit status is 124.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Final

TIMED_OUT: Final = 124
"""As coreutils' `timeout` has it."""
PRINTING_S: Final = 3.0
"""Enough for a process to print its stacks."""
_PR_SET_CHILD_SUBREAPER: Final = 36
"""The option of `prctl(2)` that makes this process the parent of orphans below it."""


def descendants() -> list[int]:
    """Process ids of all that runs below this process, parents first."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # pid (name) state parent ..., and a name may contain spaces and parentheses.
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                children[int(parent)].append(int(entry.name))
    found = [os.getpid()]
    for pid in found:
        found += children[pid]
    return found[1:]


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def name_of(pid: int) -> str:
    """The file that a process runs, or nothing if it ended."""
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def wait_for_end(pid: int) -> None:
    end = time.monotonic() + PRINTING_S
    while name_of(pid) and time.monotonic() < end:
        time.sleep(0.02)


def say(text: str) -> None:
    sys.stderr.write(f"run_limit: {text}\n")
    sys.stderr.flush()


def run(seconds: float, command: list[str]) -> int:
    """The exit status of the command."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # Whoever prints its stacks ends by SIGABRT, which would write a core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    process = subprocess.Popen(command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets it too, and ends
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        say(f"not done within {seconds:g} s; the stacks of its Python processes:")
        for pid in reversed(descendants()):  # one after the other, or their lines mix
            if name_of(pid).startswith("python"):
                send([pid], signal.SIGABRT)
                wait_for_end(pid)
        status = TIMED_OUT
    left = descendants()
    if left and status != TIMED_OUT:
        say(f"left behind and killed: {', '.join(f'{name_of(pid)} {pid}' for pid in left)}")
    while left := descendants():  # a process may start another one meanwhile
        send(left, signal.SIGKILL)
        time.sleep(0.02)
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
