"""A small picture of figures over time, in block characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

BLOCKS: Final = " ▁▂▃▄▅▆▇█"
"""A cell filled by 0 to 8 eighths."""
EIGHTHS_OF_A_CELL: Final = len(BLOCKS) - 1


def area(values: Sequence[float], highest: float, rows: int) -> list[str]:
    """Lines from the top, as wide as there are values; `highest` fills all rows. What is above 0
    shows."""
    full = rows * EIGHTHS_OF_A_CELL
    heights = [
        0 if value <= 0 or highest <= 0 else max(1, min(full, round(full * value / highest)))
        for value in values
    ]
    return [
        "".join(BLOCKS[max(0, min(EIGHTHS_OF_A_CELL, height - below))] for height in heights)
        for below in range(full - EIGHTHS_OF_A_CELL, -1, -EIGHTHS_OF_A_CELL)
    ]
