"""One line of the benchmark's targets: what was measured beside what it is to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

Results: TypeAlias = dict[str, Any]

OVERRUN_MS: Final = 50.0
"""In 95 of 100 runs."""


class Target(NamedTuple):
    name: str
    limit: str
    figures: str
    met: bool | None
    """None if it was not measured."""

    def __str__(self) -> str:
        word = {True: "ok    ", False: "MISSED", None: "open  "}[self.met]
        return f"{word} {self.name}: {self.figures} (target {self.limit})"


def overrun(name: str, over: list[float], failed: list[str], share: float, most: float) -> Target:
    limit = f"{most:.0f} ms"
    if failed or not over:
        figures = f"no answer for {', '.join(failed)}" if failed else "not run"
        return Target(name, limit, figures, False if failed else None)
    figure = over[math.ceil(share * len(over)) - 1]
    return Target(name, limit, f"{figure:+.0f} ms, {len(over)} runs", figure <= most)


def largest(
    name: str, figures: dict[str, float], most: float, words: Callable[[float], str]
) -> Target:
    """Compare the largest of the figures by case with its limit `most`."""
    if not figures:
        return Target(name, words(most), "not run", None)
    worst = max(figures, key=lambda case: figures[case])
    text = words(figures[worst]) if math.isfinite(figures[worst]) else "no valid answer"
    return Target(name, words(most), f"{text}, in {worst}", figures[worst] <= most)


def summary(goals: Sequence[Target]) -> list[str]:
    """Return how many targets are met, a line for each that is missed, and one that names those
    that were not measured."""
    met = sum(goal.met is True for goal in goals)
    lines = [
        f"- missed: {goal.name}: {goal.figures} ({goal.limit})"
        for goal in goals
        if goal.met is False
    ]
    left = [goal.name for goal in goals if goal.met is None]
    lines += [f"- not measured: {'; '.join(left)}"] if left else []
    return [f"{met} of {len(goals)} targets are met.", "", *lines]
