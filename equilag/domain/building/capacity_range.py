"""Which numbers can be capacities; quick to import, as the command line checks its options so."""

from __future__ import annotations

import sys
from typing import Final

CAPACITIES: Final = (1e-100, 1e100)
"""The least and the largest capacity: sums of capacities, and loads divided by one, are finite."""


def capacity_problem(value: float) -> str | None:
    """Why a number cannot be a capacity, or None."""
    if not 0 < value <= sys.float_info.max:
        return "not a finite number above 0"
    least, most = CAPACITIES
    return None if least <= value <= most else f"not between {least:g} and {most:g}"
