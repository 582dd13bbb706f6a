"""What tells most lines apart that are no rows of a table, before anything else is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np

from equilag.adapters.describe.printed_text import places_with
from equilag.adapters.describe.table_header import (
    DELIMITERS,
    LAG,
    LEADER_EPOCH,
    MAX_SPACES,
    NUMBERS,
    PARTITION,
    TableHeader,
)

_SURE: Final = NUMBERS - {LAG} | {LEADER_EPOCH}
_BESIDE: Final = re.compile(r"(?<=\S)(?<!\.\.\.)\s+[-+]?\d").search
"""A number behind a word; a stack trace ends in dots and a number."""
_STATES: Final = ("Rebalance", "Assigning", "Reconciling")
_SPACE, _BEGIN, _WORD, _COLON, _ODD = 1, 2, 4, 8, 16
_KINDS: Final = np.array(
    [
        _SPACE * chr(code).isspace()
        | _BEGIN * (chr(code) in "0123456789")
        | _WORD * (chr(code) in "+-uUnN<")
        | _COLON * (chr(code) == ":")
        | _ODD * (re.match(r"[^\w\s.,'+-]", chr(code)) is not None)
        for code in range(128)
    ],
    np.uint8,
)
"""What a character is, for telling whether words may be numbers."""

Signs: TypeAlias = Callable[[Sequence[str]], Iterable[int]]
"""Lines -> the places of those that may be rows, or like one."""


def nowhere(_lines: Sequence[str]) -> Iterable[int]:
    """Nothing is a row where there is no table."""
    return ()


def anywhere(lines: Sequence[str]) -> Iterable[int]:
    """Every line that is not blank."""
    return (place for place, line in enumerate(lines) if line)


def signs_of(header: TableHeader) -> Signs:
    """Return what finds the lines below the header that are rows, or like one, and few others."""
    if header.has_offsets:
        broken = header.pieces > 1 or header.delimiter is not None or header.prefix
        return anywhere if broken else _signs_of(header.names)
    if header.has_members:
        return anywhere
    return partial(places_with, _STATES) if header.has_state else nowhere


def _signs_of(names: tuple[str, ...]) -> Signs:
    end = names.index(PARTITION) + 2
    right = names[end - 1] if end <= len(names) else None
    if right not in _SURE:  # then none may stand before the first number
        return anywhere
    few = end + 2 * (right == LEADER_EPOCH)
    return partial(_likely, left=end - 2, few=few, most=end + MAX_SPACES, columns=len(names) - 1)


def _likely(lines: Sequence[str], left: int, few: int, most: int, columns: int) -> list[int]:
    """The places of lines with numbers side by side among the first words, a few words in all that
    a narrow screen or a copy may have left of a row, or as many delimiters as columns."""
    text = "\n".join(("", *lines, ""))
    codes = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    kinds, ends = _KINDS[codes], np.flatnonzero(codes == ord("\n"))
    is_space = kinds & _SPACE != 0
    words = np.flatnonzero(is_space[:-1] & ~is_space[1:]) + 1
    if not len(words):
        return []
    first, whole = kinds[words], np.bitwise_or.reduceat(kinds, words)
    count = (first & (_BEGIN | _WORD) != 0) & (whole & _COLON == 0)
    number = count & ((first | kinds[words + 1]) & _BEGIN != 0) & (whole & _ODD == 0)
    runs = np.flatnonzero((number[:-1] | np.append(count[2:], False) & count[:-1]) & count[1:])
    above, line = np.searchsorted(words, ends), np.searchsorted(ends, words[runs]) - 1
    found = {*line[runs - above[line] < most].tolist()}
    size = np.diff(above)
    short = np.flatnonzero((size > 0) & (size <= few)).tolist()
    found.update(at for at in short if size[at] <= left or _BESIDE(lines[at]))
    for delimiter in DELIMITERS:
        if text.count(delimiter) >= columns:
            found.update(at for at, line in enumerate(lines) if line.count(delimiter) >= columns)
    return sorted(found)
