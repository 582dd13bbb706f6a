"""JSON as strict as a snapshot needs it: no duplicate keys, every failure an InputError.

Long lists of natural numbers and nulls, most of a large snapshot, are read as columns in half the
time: they are cut out of the text and read in bulk. Whatever is unusual in any way is left to
`parse_json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import Any, Final

import numpy as np

from equilag.domain.errors import InputError
from equilag.domain.group.group import Ints
from equilag.domain.show import show
from equilag.domain.values import below


def parse_json(text: str, constant: Callable[[str], object] | None = None) -> object:
    """Return the value of a JSON text.

    NaN and Infinity become floats, which the check of the field refuses with its place; `constant`,
    if given, is called with their names instead. Raises InputError (without a source): for a syntax
    error with line and column, for a duplicate key with the place of its object.
    """
    if not text or text.isspace():
        raise InputError("empty; a JSON object is required")
    duplicates: list[tuple[dict[str, object], str]] = []

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) != len(pairs):
            duplicates.append((found, _first_duplicate(pairs)))
        return found

    try:
        value: object = json.loads(text, object_pairs_hook=collect, parse_constant=constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise InputError(f"not valid JSON: {error.msg}", place) from error
    except RecursionError:
        # The chain of causes would drag thousands of frames along.
        raise InputError("not acceptable JSON: nested too deeply") from None
    except ValueError as error:  # Python's limit on the digits of an integer
        raise InputError("not acceptable JSON: a number with thousands of digits") from error
    if duplicates:
        owner, key = duplicates[0]
        raise InputError(f"duplicate key {show(key)}", _place_of(owner, value))
    return value


def _first_duplicate(pairs: list[tuple[str, object]]) -> str:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key is there twice")


def _place_of(wanted: object, root: object) -> str:
    """Return the place of the object `wanted` in `root`; empty if a later key replaced it."""
    stack = [(root, "")]
    while stack:
        value, place = stack.pop()
        if value is wanted:
            return place
        if isinstance(value, dict):
            stack.extend((inner, below(place, key)) for key, inner in value.items())
        elif isinstance(value, list):
            stack.extend((inner, f"{place}[{index}]") for index, inner in enumerate(value))
    return ""


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
