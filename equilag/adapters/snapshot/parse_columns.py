"""JSON with its long lists of natural numbers and nulls as columns, twice as fast to read.

Such lists are most of a large snapshot. They are cut out of the text and read in bulk, and the
rest is left to `parse_json`. Whatever is unusual in any way is left to it as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, Final

import numpy as np

from equilag.adapters.parse_json import parse_json
from equilag.domain.errors import InputError
from equilag.domain.group.group import Ints

_LONG_LIST: Final = re.compile(r"\[[ \n\r\t]*([0-9n][0-9nul, \n\r\t]{60,})\]")
"""Shorter ones are faster read number by number: each that is cut out costs as much as a dozen."""
_HOLE: Final = "NaN"
"""What stands for a list in the rest: a value of JSON as Python reads it, but of no snapshot."""
_BOUND: Final = 10**18
"""What does not fit 64 bits is read as the largest number that does, which is above this."""

NULL: Final = -1
"""In place of a null; offsets and lags are 0 or more."""


class Numbers(np.ndarray[Any, np.dtype[np.int64]]):
    """A list of natural numbers, and NULL for null, that was cut out of a text. Never empty."""


def parse_columns(text: str) -> object:
    """What `parse_json` makes of `text`, but with long lists of natural numbers as Numbers.

    None if there are none, or if anything is wrong with the text (`parse_json` says what).
    """
    pieces = _LONG_LIST.split(text)
    contents = pieces[1::2]
    if not contents:
        return None
    rest = _HOLE.join(pieces[::2])
    if rest.count(_HOLE) != len(contents):  # there are others
        return None
    sizes = [content.count(",") + 1 for content in contents]
    column = _column(",".join(contents), sum(sizes))
    if column is None:
        return None
    rows = _cut(column.view(Numbers), sizes)
    try:
        value = parse_json(rest, lambda name: next(rows) if name == _HOLE else float(name))
    except InputError:
        return None
    # A list that is left over was cut out of a string.
    return value if next(rows, None) is None else None


def _cut(column: Numbers, sizes: list[int]) -> Iterator[Ints]:
    ends = list(accumulate(sizes))
    return (column[start:end] for start, end in zip([0, *ends], ends, strict=False))


def _column(text: str, size: int) -> Ints | None:
    """The numbers in a text of digits, commas, white space and nulls; None if it is not JSON."""
    if "n" in text:  # much sooner said than where "null" is
        text = text.replace("null", str(NULL))
    try:
        # The separator is a comma with any white space before it; after it, numbers may have some.
        column = np.fromstring(text, dtype=np.int64, count=size, sep=" ,")
        last = int(text.rpartition(",")[2])  # as a whole, while `column` ends with its first number
    except (ValueError, DeprecationWarning):
        return None
    if len(column) != size or column[-1] != last:
        return None
    if column.min() < NULL or column.max() >= _BOUND:
        return None
    return column if _well_written(text, size) else None


def _well_written(text: str, size: int) -> bool:
    """Has it so many runs of digits, none with a leading zero (white space alone is read as 0)."""
    code = np.frombuffer(f",{text}".encode("ascii"), np.uint8)
    digit = code >= ord("0")
    first = digit[1:] > digit[:-1]
    if np.count_nonzero(first) != size:
        return False
    return not (first[:-1] & digit[2:] & (code[1:-1] == ord("0"))).any()
