"""Measure repeated calls of an assignor written in Python, by the rules of `exchange`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from benchmarks.assignors.case import Assignment
from benchmarks.assignors.exchange import MAX_CALLS, MIN_CALLS, SLOW_S, PeerAnswer

Given = TypeVar("Given")
Got = TypeVar("Got")


class Calls(Generic[Given, Got]):
    """Calls of `assign`; `make` builds its input from names, `name` converts its output back.

    `prove` computes what an assignor does not compute with the assignment itself. It is timed once,
    after the last call: between calls, it would empty the processor's caches.
    """

    def __init__(
        self,
        make: Callable[[], Given],
        assign: Callable[[Given], Got],
        name: Callable[[Got], Assignment],
        prove: Callable[[Got], object] | None = None,
    ) -> None:
        self._make, self._assign, self._name, self._prove = make, assign, name, prove
        self._assign_s: list[float] = []
        self._got: Got | None = None
        self._names_s: list[float] = []
        self._last: Assignment = {}

    def measure(self, warm_s: float, measure_s: float, version: str) -> PeerAnswer:
        """Warm up, measure, and return the result."""
        warm_up = self._warm_up(warm_s)
        start = time.perf_counter()
        while self._more(time.perf_counter() - start < measure_s):
            self._call()
        extra = self._proofs()
        return PeerAnswer(
            assign_ms=tuple(1e3 * seconds for seconds in self._assign_s),
            names_ms=tuple(1e3 * seconds for seconds in self._names_s),
            warm_up=warm_up,
            peak_mib=peak_mib(),
            assignment=self._last,
            version=version,
            extra=extra,
        )

    def _warm_up(self, seconds: float) -> int:
        start = time.perf_counter()
        calls = 0
        while calls == 0 or (calls < MAX_CALLS and time.perf_counter() - start < seconds):
            self._call()
            if self._assign_s[-1] > SLOW_S:
                return calls
            calls += 1
            self._assign_s.clear()
            self._names_s.clear()
        self._proofs()  # the first ones load modules
        return calls

    def _proofs(self) -> dict[str, float]:
        if self._prove is None or self._got is None:
            return {}
        start = time.perf_counter()
        self._prove(self._got)
        return {"proofs_ms": 1e3 * (time.perf_counter() - start)}

    def _more(self, in_time: bool) -> bool:
        calls = len(self._assign_s)
        if not calls:
            return True
        quick = self._assign_s[-1] <= SLOW_S
        return calls < MAX_CALLS and quick and (in_time or calls < MIN_CALLS)

    def _call(self) -> None:
        start = time.perf_counter()
        given = self._make()
        before = time.perf_counter() - start
        say("call")
        start = time.perf_counter()
        got = self._assign(given)
        assigning = time.perf_counter() - start
        say("end")
        self._got = got
        start = time.perf_counter()
        self._last = self._name(got)
        self._names_s.append(before + time.perf_counter() - start)
        self._assign_s.append(assigning)


def say(word: str) -> None:
    """Print a word for the parent process."""
    print(word, flush=True)  # noqa: T201


def peak_mib() -> float | None:
    """Return the peak resident memory of this process, or None if the system does not report it."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    for line in status.read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return None
