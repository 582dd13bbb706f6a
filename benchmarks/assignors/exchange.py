"""The files between the benchmark and those who run an assignor: a case goes out, an answer comes.

A runner is called as ``RUNNER CASE ASSIGNOR OUT WARM_S MEASURE_S``. All runners measure alike:

- Warm-up: 1 to `MAX_CALLS` calls within WARM_S seconds. They do not count. But if a call takes
  longer than `SLOW_S`, it counts and is the only one.
- Measurement: `MIN_CALLS` to `MAX_CALLS` calls within MEASURE_S seconds; none after a slow call.
- Each call gets new inputs, since assignors change them. ``assign_ms`` is the time of the
  assignment alone, from the assignor's input objects to its output objects. ``names_ms`` is the
  time of the conversion from plain names to these objects and back.
- A runner prints ``call`` before each assignment and ``end`` after it, so that a call that takes
  too long can be ended (`runner_process`).
- An assignor that needs several rounds is called until all partitions are assigned: a cooperative
  assignor first revokes partitions, and assigns them in the next rebalance. ``assign_ms`` has the
  times of first rounds only, ``extra.round_ms`` those of all rounds of the last call. The
  assignment is that of the last round.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.assignors.case import GENERATION, Assignment, Case

MAX_CALLS: Final = 200
"""Calls after which the median hardly changes."""
MIN_CALLS: Final = 3
"""Calls that a median needs to be robust against one outlier."""
SLOW_S: Final = 5.0
"""Seconds of a call beyond which one call is enough: start-up effects are small beside it."""


@dataclass(frozen=True)
class PeerAnswer:
    """The measurements of a runner, and the last assignment."""

    assign_ms: tuple[float, ...]
    """One for each measured call."""
    names_ms: tuple[float, ...]
    """One for each measured call."""
    warm_up: int
    """Number of calls before these."""
    peak_mib: float | None
    """Peak resident memory of the runner's process, including its runtime and the case."""
    assignment: Assignment
    version: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def milliseconds(self) -> float:
        """Median of `assign_ms`."""
        return statistics.median(self.assign_ms)

    @property
    def names_milliseconds(self) -> float:
        """Median of `names_ms`."""
        return statistics.median(self.names_ms)


@dataclass(frozen=True)
class PeerFailure:
    """Why an assignor gave no result, as reported by it or by its runner."""

    problem: str
    version: str = ""


class BadAnswer(Exception):
    """A runner wrote no valid result: a fault of the runner, not of the assignor."""


def write_case(case: Case, path: Path) -> None:
    """Write a case in the format that runners read. Lags and racks are null if it has none."""
    owned = case.assignment(case.owner)
    racks = ("",) * case.n_members if case.racks is None else case.racks.of_member
    members = zip(case.members, case.subscription_of.tolist(), racks, strict=True)
    document = {
        "topics": dict(zip(case.topics, case.sizes, strict=True)),
        "subscriptions": [[case.topics[t] for t in topics] for topics in case.subscriptions],
        "members": [
            {"id": name, "subscription": subscription, "owned": owned[name], "rack": rack}
            for name, subscription, rack in members
        ],
        "generation": GENERATION,
        "lags": None if case.lag is None else case.lags_by_topic(),
        "racks": None if case.racks is None else case.racks_by_topic(),
        "time_limit_s": case.time_limit,
    }
    path.write_text(json.dumps(document), encoding="utf-8")


def write_answer(answer: PeerAnswer | PeerFailure, path: Path) -> None:
    """Write a result in the format that `read_answer` reads."""
    if isinstance(answer, PeerFailure):
        document: dict[str, Any] = {"error": answer.problem, "version": answer.version}
    else:
        document = {
            "assign_ms": answer.assign_ms,
            "names_ms": answer.names_ms,
            "warm_up": answer.warm_up,
            "peak_mib": answer.peak_mib,
            "extra": dict(answer.extra),
            "version": answer.version,
            "assignment": answer.assignment,
        }
    path.write_text(json.dumps(document), encoding="utf-8")


def read_answer(path: Path) -> PeerAnswer | PeerFailure:
    """Read the result of a runner; the assignment may be invalid.

    Raises BadAnswer for what no runner writes, OSError if the file cannot be read.
    """
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadAnswer(f"the result is not JSON: {error}") from error
    version = str(answer.get("version", ""))
    if "error" in answer:
        return PeerFailure(str(answer["error"]), version)
    if not answer["assign_ms"]:
        raise BadAnswer("the result has no times")
    return PeerAnswer(
        assign_ms=tuple(answer["assign_ms"]),
        names_ms=tuple(answer["names_ms"]),
        warm_up=answer["warm_up"],
        peak_mib=answer.get("peak_mib"),
        assignment=answer["assignment"],
        version=version,
        extra=answer.get("extra") or {},
    )
