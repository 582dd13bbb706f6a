"""Why the bound of a comparison does not hold for some of its rows, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from equilag.planner.comparison_figures import BeyondReason
from equilag.report.wording.words import listed

WORDS: Final[Mapping[BeyondReason, str]] = {
    "counts": "counts less even than the policy asks",
    "moves": "more moves than the policy allows",
    "racks": "more reads across racks than the policy allows",
    "partial": "partitions left out",
    "rules": "rules of the group broken",
}
MAX_NAMES: Final = 20
"""Rows that a sentence names: more than there are assignors of Kafka."""


def beyond_lines(rows: Iterable[tuple[str, Sequence[BeyondReason]]]) -> list[str]:
    """A sentence for each set of reasons that occurs; `rows` are names, as shown, and reasons."""
    names: dict[tuple[BeyondReason, ...], list[str]] = {}
    for name, reasons in rows:
        if reasons:
            names.setdefault(tuple(reasons), []).append(name)
    return [
        f"the bound does not hold for {listed(found, MAX_NAMES)}:"
        f" {', '.join(WORDS[reason] for reason in reasons)}"
        for reasons, found in names.items()
    ]
