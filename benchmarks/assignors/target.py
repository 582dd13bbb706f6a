"""One line of the benchmark's targets: what was measured beside what it is to be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

Results: TypeAlias = dict[str, Any]

OVERRUN_MS: Final = 50.0
"""In 95 of 100 runs."""


IN_BRACKETS: Final = "Targets stand in brackets; they are met but for those that say so."
"""Explains `listed`."""


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


def listed(goals: Sequence[Target]) -> list[str]:
    """Return a line for each target that was measured, and one that names the others."""
    lines = [
        f"- {goal.name}: {goal.figures} ({goal.limit}{'' if goal.met else '; **missed**'})"
        for goal in goals
        if goal.met is not None
    ]
    left = [f"{goal.name} ({goal.limit})" for goal in goals if goal.met is None]
    return [*lines, *([f"- not measured: {'; '.join(left)}"] if left else [])]
