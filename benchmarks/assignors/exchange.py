"""The files between the benchmark and those who run an assignor: a case goes out, an answer comes.

A runner is called as ``RUNNER CASE ASSIGNOR OUT WARM_S MEASURE_S``, and all measure alike:

- warming up: calls for at most WARM_S seconds, 1 at least and 200 at most; they do not count, but
  if one takes longer than `SLOW_S`, it does count and is the only one;
- measuring: calls for MEASURE_S seconds, `FEWEST_CALLS` at least and 200 at most; none after a slow
  one;
- each call gets inputs of its own, since assignors change them. ``assign_ms`` is the assignment
  alone, from the assignor's own objects to its own objects. ``names_ms`` is what comes before and
  after it: objects from plain names, and back;
- ``call`` is printed before each assignment and ``end`` after it, so that one can be ended that
  takes too long (`runner_process`);
- an assignor that works in rounds (cooperative ones first take partitions away, and give them to
  others in the next rebalance) is called again until all partitions are given. ``assign_ms`` holds
  first rounds only, ``extra.round_ms`` what all of the last call's rounds took; the assignment is
  that of the last round.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.assignors.case import GENERATION, Assignment, Case

MOST_CALLS: Final = 200
FEWEST_CALLS: Final = 3
SLOW_S: Final = 5.0


@dataclass(frozen=True)
class PeerAnswer:
    """What a runner measured, and the assignment that its assignor gave last."""

    assign_ms: tuple[float, ...]
    """One for each call that counts."""
    names_ms: tuple[float, ...]
    """One for each call that counts."""
    warm_up: int
    """Calls before those."""
    peak_mib: float | None
    """Most resident memory of the runner's process, its runtime and the case included."""
    assignment: Assignment
    version: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def milliseconds(self) -> float:
        """Median of the assignment alone."""
        return statistics.median(self.assign_ms)

    @property
    def names_milliseconds(self) -> float:
        """Median of the way from names and back to them."""
        return statistics.median(self.names_ms)


@dataclass(frozen=True)
class PeerFailure:
    """An assignor that gave no answer, in its own words or in its runner's."""

    problem: str
    version: str = ""


class BadAnswer(Exception):
    """What a runner left is no answer: a fault of the runner, not of its assignor."""


def write_case(case: Case, path: Path) -> None:
    """The case as runners read it. Lags are null where the case has none."""
    owned = case.assignment(case.owner)
    members = zip(case.members, case.subscription_of.tolist(), strict=True)
    document = {
        "topics": dict(zip(case.topics, case.sizes, strict=True)),
        "subscriptions": [[case.topics[t] for t in topics] for topics in case.subscriptions],
        "members": [
            {"id": name, "subscription": subscription, "owned": owned[name]}
            for name, subscription in members
        ],
        "generation": GENERATION,
        "lags": None if case.lag is None else case.lags_by_topic(),
        "time_limit_s": case.time_limit,
    }
    path.write_text(json.dumps(document), encoding="utf-8")


def write_answer(answer: PeerAnswer | PeerFailure, path: Path) -> None:
    """What `read_answer` reads."""
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
    """What a runner wrote, checked as far as types go; the assignment need not be a valid one.

    Raises BadAnswer if it is no answer, OSError if there is no such file.
    """
    try:
        answer = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BadAnswer(f"the answer is no JSON: {error}") from error
    if not isinstance(answer, dict):
        raise BadAnswer("the answer is no object")
    version = str(answer.get("version", ""))
    if "error" in answer:
        return PeerFailure(str(answer["error"]), version)
    if problem := _problem(answer):
        raise BadAnswer(problem)
    return PeerAnswer(
        assign_ms=tuple(answer["assign_ms"]),
        names_ms=tuple(answer["names_ms"]),
        warm_up=answer["warm_up"],
        peak_mib=answer.get("peak_mib"),
        assignment=answer["assignment"],
        version=version,
        extra=answer.get("extra") or {},
    )


def _problem(answer: dict[str, Any]) -> str | None:
    assigning, naming = answer.get("assign_ms"), answer.get("names_ms")
    if not (_are_times(assigning) and _are_times(naming)):
        return "the times are no lists of milliseconds"
    if not assigning or len(assigning) != len(naming or ()):
        return "there are no times, or not two for each call"
    if type(answer.get("warm_up")) is not int:
        return "the calls of the warm-up are not counted"
    peak = answer.get("peak_mib")
    if peak is not None and not _is_number(peak):
        return "the peak memory is no number"
    return None if _is_assignment(answer.get("assignment")) else "the assignment is none"


def _are_times(value: object) -> bool:
    return isinstance(value, list) and all(_is_number(time) for time in value)


def _is_number(value: object) -> bool:
    """Is it one that a time or a size can be."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value < math.inf


def _is_assignment(value: object) -> bool:
    """Is it member to topic to numbers; whether it is valid is for the evaluator to say."""
    if not isinstance(value, dict):
        return False
    return all(
        isinstance(topics, dict)
        and all(
            isinstance(numbers, list) and all(type(number) is int for number in numbers)
            for numbers in topics.values()
        )
        for topics in value.values()
    )
