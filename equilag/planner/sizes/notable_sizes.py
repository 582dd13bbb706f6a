"""The sizes that somebody who decides on one wants to see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from equilag.planner.sizes.size_search import LeastSize

MAX_NOTABLE: Final = 12
"""Sizes that help, at most, beside those at which something changes: a table for one look."""


def notable_sizes(
    rows: Sequence[int], helping: Sequence[int], present: int, least: Iterable[LeastSize | None]
) -> list[int]:
    """Of the sizes with a row, ascending: the present one, those around the least ones that keep
    up or catch up, and those that help; of many of these some, in about equal ratios."""
    wanted = {present, *rows[:1], *helping[-1:], *_thinned(helping)}
    for found in least:
        if found is not None:
            wanted |= {found.at_least - 1, found.at_least}
            wanted |= set() if found.at_most is None else {found.at_most - 1, found.at_most}
    return [size for size in rows if size in wanted]


def _thinned(sizes: Sequence[int]) -> list[int]:
    """At most `MAX_NOTABLE` of the sizes, the first and the last among them."""
    if len(sizes) <= MAX_NOTABLE:
        return [*sizes]
    places = np.geomspace(sizes[0], sizes[-1], MAX_NOTABLE)
    return [min(sizes, key=lambda size: abs(size - place)) for place in places.tolist()]
