"""Figures that earlier plans of the format do not have, and what is not checked of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from equilag.domain.plan.plan_figures import REAL_FIGURES

ADDED_TO_LAG: Final = frozenset(("excess", "excess_lower_bound"))
"""Figures of the lag that the first plans of this format did not have."""
ADDED_TO_MOVES: Final = "lag"
"""What their moves did not have."""
UNCHECKED: Final = "reason"
"""Of a move: it explains the plan to people, claims nothing of it, and may have other words in
another version. `equilag explain` computes reasons anew."""


def known_figures(
    fields: dict[str, Any], figures: Mapping[str, Any], is_real: bool
) -> dict[str, Any]:
    """The figures of a plan that are compared with `fields`, the computed ones.

    Drops from `fields` what the plan is too old to have. The first plans say nothing of racks,
    though groups had them; of other fields of extended groups they knew nothing.
    """
    lag = figures.get("lag")
    if isinstance(lag, Mapping) and not ADDED_TO_LAG & lag.keys():
        for name in ADDED_TO_LAG:
            del fields["lag"][name]
    if not is_real and not figures.keys() & {*REAL_FIGURES}:
        for name in REAL_FIGURES:
            fields.pop(name, None)
    known, moves = dict(figures), figures.get("moves")
    rows = moves.get("partitions") if isinstance(moves, Mapping) else None
    if isinstance(moves, Mapping) and isinstance(rows, list):
        known["moves"] = {**moves, "partitions": [_without_reason(row) for row in rows]}
        if not any(isinstance(row, Mapping) and ADDED_TO_MOVES in row for row in rows):
            for row in fields["moves"]["partitions"]:
                del row[ADDED_TO_MOVES]
    return known


def _without_reason(row: Any) -> Any:
    if not isinstance(row, Mapping):
        return row
    return {key: value for key, value in row.items() if key != UNCHECKED}
