"""Measure the peak memory of a command and of all its child processes, from /proc (Linux)."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

PERIOD: Final = 0.5
"""Seconds between two measurements, each of which takes some milliseconds."""


@dataclass(slots=True)
class Ran:
    """A finished command: its output, its seconds, and the peak memory in MiB by kind of process.

    Memory is the proportional set size (PSS), so pages shared with forked children count once.
    """

    status: int
    stdout: str
    stderr: str
    seconds: float
    peaks: dict[str, float] = field(default_factory=dict)


def run_watched(command: Sequence[str]) -> Ran:
    """Run a command to its end and measure the peaks of its memory.

    `peaks` has ``driver``, ``jvm`` (driver and executor threads in local mode), ``python workers``,
    and ``all``, the peak of the sum.
    """
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=-1
    )
    peaks: dict[str, float] = {}
    done = threading.Event()
    thread = threading.Thread(target=_watch, args=(process.pid, peaks, done), daemon=True)
    thread.start()
    stdout, stderr = process.communicate()
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    return Ran(process.returncode, stdout, stderr, seconds, peaks)


def _watch(root: int, peaks: dict[str, float], done: threading.Event) -> None:
    while not done.wait(PERIOD):
        now: dict[str, float] = {}
        for pid in _tree(root):
            size = _pss(pid)
            kind = "driver" if pid == root else "jvm" if _is_java(pid) else "python workers"
            now[kind] = now.get(kind, 0.0) + size
            now["all"] = now.get("all", 0.0) + size
        for kind, size in now.items():
            peaks[kind] = max(peaks.get(kind, 0.0), size)


def _tree(root: int) -> list[int]:
    """Return the process and all its descendants."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError, IndexError, ValueError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, rest = [], [root]
    while rest:
        pid = rest.pop()
        found.append(pid)
        rest += children.get(pid, [])
    return found


def _pss(pid: int) -> float:
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _is_java(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip() == "java"
    return False
