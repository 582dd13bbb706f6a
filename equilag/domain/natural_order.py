"""The order of names that hold numbers: ``a2`` before ``a10``."""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = re.compile(r"([0-9]+)")
NaturalKey = tuple[tuple[str | tuple[int, str], ...], str]


def natural_key(name: str) -> NaturalKey:
    """A key to sort by: runs of digits by their value, everything else by code points.

    Names that differ have different keys, `a01` and `a1` too.
    """
    parts = _DIGITS.split(name)  # text, digits, text, ...
    return tuple(_digits(part) if i % 2 else part for i, part in enumerate(parts)), name


def _digits(digits: str) -> tuple[int, str]:
    """Orders as the value does. Python refuses to convert thousands of digits."""
    value = digits.lstrip("0")
    return len(value), value
