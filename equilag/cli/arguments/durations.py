"""Durations on the command line."""

from __future__ import annotations

import argparse
import re
from typing import Final

from equilag.report.wording.words import shorten

MAX_SHOWN: Final = 40
"""Characters of a wrong value in a message: enough to recognise it."""
LONGEST_S: Final = 1e9
"""30 years; Python cannot wait longer than ten times that."""
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_PART: Final = r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?([smhd])"
_DURATION: Final = re.compile(rf"{_PART}(?: ?{_PART}){{0,3}}")


def duration(text: str) -> float:
    """Seconds out of numbers with their units: ``30s``, ``5m``, ``1h30m``, ``7d``; more than 0, and
    at most `LONGEST_S`."""
    found = _DURATION.fullmatch(text.strip())
    parts = re.findall(_PART, text) if found else []
    value = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < value <= LONGEST_S:
        problem = f"{shorten(text, MAX_SHOWN)!r} is not a duration such as 30s, 5m or 1h"
        raise argparse.ArgumentTypeError(problem)
    return value
