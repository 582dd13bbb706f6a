"""The words of the progress line: where the planning is, and what a stage tries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from equilag.report.wording.words import plural, short_number, short_percent

if TYPE_CHECKING:
    from equilag.planner.solving.stage import Progress

WORDS: Final = {
    "heuristic": "a first plan",
    "quotas": "even counts",
    "counts": "even counts",
    "racks": "fewest reads across racks",
    "augmenting paths": "even counts",
    "fewest moves": "the fewest moves",
    "bounds": "how even it can be at best",
    "matching bound": "how even it can be at best",
    "bound for a number of moves": "how even it can be at best",
    "greedy descent": "the best move each time",
    "descent in bulk": "the best moves in bulk",
    "exhaustive search": "all plans",
    "deep exhaustive search": "all plans",
    "exhaustive front": "all plans with few moves",
    "deep exhaustive front": "all plans with few moves",
    "few moves": "all plans with few moves",
    "few exchanges": "the best few swaps",
    "fewest moves within the tolerance": "as even with fewer moves",
    "cp-sat": "all plans, with CP-SAT",
    "front by cp-sat": "all plans, with CP-SAT",
    "levels by capacity": "heavy ones to large members",
    "paired exchange": "swaps between two members",
    "pairwise swaps": "swaps between two members",
    "exact transfers": "swaps of an exact size",
    "window search": "swaps among a few members",
    "large neighbourhood search": "splits among a few members",
    "restarts": "the same from other starts",
    "towards the owners": "as even with fewer moves",
    "front": "plans between the extremes",
    "proof": "a proof of the best",
    "proof for a number of moves": "a proof of the best",
}
"""By the name of the stage; 28 characters fit 80 columns beside the figures."""


def stage_words(stage: str) -> str:
    """What a stage tries; the name of a stage that has no words."""
    return WORDS.get(stage, stage)


def describe(progress: Progress, elapsed: float) -> str:
    """One line about where the planning is, `elapsed` seconds after its start."""
    parts = [f"{elapsed:.1f} of {progress.limit:g} s"]
    if progress.spread is not None and progress.moves is not None:
        parts.append(f"spread {short_number(progress.spread)}{_gap(progress)}")
        parts.append(plural(progress.moves, "move"))
    return f"{', '.join(parts)}: {stage_words(progress.stage)}"


def _gap(progress: Progress) -> str:
    """What is proved about the spread."""
    if progress.bound is None or progress.spread is None:
        return ""
    if progress.spread <= progress.bound:
        return " (proved)"
    if not progress.mean:
        return ""
    gap = 100 * (progress.spread - progress.bound) / progress.mean
    return f" (gap {short_percent(gap)})"
