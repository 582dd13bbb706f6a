"""Where two JSON values differ, one line per place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from equilag.domain.plan.plan_figures import REAL_FIGURES
from equilag.domain.show import not_a, show

TOLERANCE: Final = 1e-9
"""For means and percentages, relative and absolute: JSON writers round the last digits."""
LARGEST: Final = 2**80
"""`math.isclose` cannot take whole numbers beyond floats; no true figure comes near this one."""


def differences(want: Any, got: Any, place: str) -> Iterator[str]:
    """One line for each place where `got` is not `want`."""
    if isinstance(want, dict):
        if not isinstance(got, Mapping):
            yield f"{place}: {not_a(got, 'an object')}"
            return
        for key in [k for k in want if k not in got]:
            yield f"{place}.{key}: missing"
        for key in [k for k in got if k not in want]:
            yield f"{place}.{key}: unexpected"
        for key in want:
            if key in got:
                yield from differences(want[key], got[key], f"{place}.{key}")
    elif isinstance(want, list):
        if not isinstance(got, list):
            yield f"{place}: {not_a(got, 'a list')}"
        elif len(want) != len(got):
            yield f"{place}: length {len(got)}, should be {len(want)}"
        # Equal lists of numbers need no second look; in anything else true may stand for 1.
        elif want != got or any(type(item) is not int for item in got):
            for number, (one, other) in enumerate(zip(want, got, strict=True)):
                yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(want, float) and type(got) in (int, float):
        fits = isinstance(got, float) or abs(got) <= LARGEST
        close = fits and math.isclose(want, got, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        if not close:
            yield f"{place}: {show(got)}, should be {show(want)}"
    elif type(want) is not type(got) or want != got:
        yield f"{place}: {show(got)}, should be {show(want)}"


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
