"""What tells most lines apart that are no rows of a table, before anything else is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
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
    TOPIC,
    TableHeader,
)

_SURE: Final = NUMBERS - {LAG} | {LEADER_EPOCH}
_NUMBER: Final = r"[-+]?\d[\w.,'+-]*"
_COUNT: Final = rf"(?:{_NUMBER}|-|(?i:unknown|none|<none>|n/?a|null|nil),?)"
_RUN: Final = re.compile(
    rf"\s(?=[-+\duUnN<])(?:{_NUMBER}(?=\s+(?:{_COUNT}|[-+]?\d[^\s:]*)(?:\s|$))"
    rf"|{_COUNT}(?=\s+{_COUNT}\s+{_COUNT}(?:\s|$)))"
).finditer
"""A number beside a number or what stands for none, or three of these."""
_BESIDE: Final = re.compile(r"(?<=\S)(?<!\.\.\.)\s+[-+]?\d").search
"""A number behind a word; a stack trace ends in dots and a number."""
_STATES: Final = ("Rebalance", "Assigning", "Reconciling")
_LOGGED: Final = re.compile(r"\s*(?:\{\"|[\d.]+ - \S+ \[)").match
"""A JSON object, or a request in a web server's log."""


_SPACE, _BEGIN, _WORD, _COLON, _ODD = 1, 2, 4, 8, 16
_KINDS: Final = np.array(
    [
        _SPACE * chr(code).isspace()
        | _BEGIN * (chr(code) in "+-0123456789")
        | _WORD * (chr(code) in "uUnN<")
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


@lru_cache(maxsize=64)
def _signs_of(names: tuple[str, ...]) -> Signs:
    """Numbers side by side where a row has them, as many delimiters as columns, or a few words that
    may begin a row which a narrow screen broke or a copy cut off."""
    end = names.index(PARTITION) + 2
    right = names[end - 1] if end <= len(names) else None
    if right not in _SURE:  # then none may stand before the first number
        return anywhere
    most, columns = end + MAX_SPACES, len(names) - 1
    few, begins = end + 2 * (right == LEADER_EPOCH), ""
    for name in reversed(names[:few]):
        word = _COUNT if name in _SURE else r"[\w.-]+" if name == TOPIC else r"\S+"
        begins = rf"(?:\s*{word}(?:\s*$|\s{begins}))" if begins else rf"\s*{word}\s*$"
    begin = re.compile(begins).match

    def is_like_a_row(line: str) -> bool:
        if _LOGGED(line):
            return False
        for run in _RUN(f" {line}"):
            if len(line[: run.start()].split(None, most)) < most:
                return True
        if len(line.split(None, few)) <= few and (begin(line) or _BESIDE(line)):
            return True
        return max(map(line.count, DELIMITERS)) >= columns

    return lambda lines: filter(lambda at: is_like_a_row(lines[at]), _likely(lines, few, columns))


def _likely(lines: Sequence[str], few: int, columns: int) -> list[int]:
    """The places of all lines with numbers side by side, up to so many words, or as many delimiters
    as columns; and of a few others. Ten times as fast as looking at each line."""
    text = "\n".join(("", *lines, ""))
    codes = np.frombuffer(text.encode("ascii", "replace"), np.uint8)
    kinds, ends = _KINDS[codes], np.flatnonzero(codes == ord("\n"))
    is_space = kinds & _SPACE != 0
    words = np.flatnonzero(is_space[:-1] & ~is_space[1:]) + 1
    if not len(words):
        return []
    first, whole = kinds[words], np.bitwise_or.reduceat(kinds, words)
    count = (first & (_BEGIN | _WORD) != 0) & (whole & _COLON == 0)
    number = (first & _BEGIN != 0) & (whole & _ODD == 0)
    runs = np.flatnonzero((number[:-1] | np.append(count[2:], False) & count[:-1]) & count[1:])
    found = {*(np.searchsorted(ends, words[runs]) - 1).tolist()}
    per_line = np.diff(np.searchsorted(words, ends))
    found.update(np.flatnonzero((per_line > 0) & (per_line <= few)).tolist())
    for delimiter in DELIMITERS:
        if text.count(delimiter) >= columns:
            found.update(at for at, line in enumerate(lines) if line.count(delimiter) >= columns)
    if not text.isascii():
        found.update(at for at, line in enumerate(lines) if not line.isascii())
    return sorted(found)
