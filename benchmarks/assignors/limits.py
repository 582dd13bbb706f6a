"""The limits that equilag promises to keep: its time limit, its memory, and its loading time."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.assignors.inputs import named
from benchmarks.assignors.own import ask

LARGEST: Final = "lag/10000x500000/lognormal/1"
GENEROUS: Final = 300.0
"""Seconds beyond its time limits after which a child process is ended."""


class Scope(NamedTuple):
    """The measurements of a run: cases, time limits, repetitions, and loadings."""

    cases: Sequence[str]
    limits: Sequence[float]
    times: int
    loadings: int


SHORT: Final = Scope(
    ("lag/10x60/lognormal/1", "lag/1000x10000/zipf/1", "lag-mixed/500x1000/lognormal/1", LARGEST),
    (0.2, 1.0),
    2,
    3,
)
FULL: Final = Scope(
    (
        "lag-small/6x36/zipf/1",
        "lag/10x60/lognormal/1",
        "lag/100x1000/zipf/1",
        "lag/1000x10000/lognormal/1",
        "lag-mixed/100x200/lognormal/1",
        "lag-mixed/500x1000/zipf/1",
        "lag-peers/200 topics of 500/100 members/one leaves/lognormal",
        LARGEST,
    ),
    (0.2, 1.0, 5.0),
    3,
    5,
)


def measure(scope: Scope) -> dict[str, Any]:
    """Measure all limits: each case in a separate process, shortest limit first, with imports."""
    return {
        "overrun": [overrun(case, scope) for case in scope.cases],
        "memory": memory(),
        "loading": loading(scope.loadings),
    }


def overrun(case: str, scope: Scope) -> dict[str, Any]:
    """Measure every time limit repeatedly on one case."""
    limits = [str(limit) for limit in scope.limits]
    longest = GENEROUS + 2 * scope.times * sum(scope.limits)
    arguments = [case, "--limits", *limits, "--times", str(scope.times)]
    return {"case": case, **ask(*arguments, limit=longest)}


def memory() -> dict[str, Any]:
    """Measure the memory of planning the largest case, from its snapshot to its plan as text."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = _snapshot(Path(folder))
        return ask("--snapshot", str(path), "--limits", "10", limit=GENEROUS)


def loading(times: int) -> dict[str, Any]:
    """Compare loading its snapshot with parsing the same JSON, alternately in one process."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = _snapshot(Path(folder))
        answer = ask("--snapshot", str(path), "--loading", str(times), limit=GENEROUS)
    if "error" not in answer:
        answer["ratio"] = statistics.median(answer["load_s"]) / statistics.median(answer["parse_s"])
    return answer


def _snapshot(folder: Path) -> Path:
    path = folder / "snapshot.json"
    path.write_text(json.dumps(named(LARGEST).snapshot()), "utf-8")
    return path
