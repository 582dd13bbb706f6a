"""Where two JSON values differ, one line per place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

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


UNCHECKED: Final = "reason"
"""Of a move: it explains the plan to people, claims nothing of it, and may have other words in
another version. `equilag explain` computes reasons anew."""


def checked_figures(figures: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a plan without the reasons of its moves."""
    moves = figures.get("moves")
    rows = moves.get("partitions") if isinstance(moves, Mapping) else None
    if not isinstance(moves, Mapping) or not isinstance(rows, list):
        return dict(figures)
    return {**figures, "moves": {**moves, "partitions": [_without_reason(row) for row in rows]}}


def _without_reason(row: Any) -> Any:
    if not isinstance(row, Mapping):
        return row
    return {key: value for key, value in row.items() if key != UNCHECKED}
