"""What tells most lines apart that are no rows of a table, before anything else is done."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

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
_LOGGED: Final = re.compile(r"\s*(?:\{\"|[\d.]+ - \S+ \[)").match
"""A JSON object, or a request in a web server's log."""


def never(_line: str) -> bool:
    """Nothing is a row where there is no table."""
    return False


def signs_of(header: TableHeader) -> Callable[[str], object]:
    """Return what is false for most lines below the header that are no row, nor like one."""
    if header.has_offsets:
        broken = header.pieces > 1 or header.delimiter is not None or header.prefix
        return bool if broken else _signs_of(header.names)
    if header.has_members:
        return bool
    return re.compile("Rebalance|Assigning|Reconciling").search if header.has_state else never


@lru_cache(maxsize=64)
def _signs_of(names: tuple[str, ...]) -> Callable[[str], object]:
    """Numbers side by side where a row has them, as many delimiters as columns, or a few words that
    may begin a row which a narrow screen broke or a copy cut off."""
    end = names.index(PARTITION) + 2
    right = names[end - 1] if end <= len(names) else None
    if right not in _SURE:  # then none may stand before the first number
        return bool
    most, columns = end + MAX_SPACES, len(names) - 1
    few, begins = end + 2 * (right == LEADER_EPOCH), ""
    for name in reversed(names[:few]):
        word = _COUNT if name in _SURE else r"[\w.-]+" if name == TOPIC else r"\S+"
        begins = rf"(?:\s*{word}(?:\s*$|\s{begins}))" if begins else rf"\s*{word}\s*$"
    begin = re.compile(begins).match

    def signs(line: str) -> object:
        if _LOGGED(line):
            return False
        for run in _RUN(f" {line}"):
            if len(line[: run.start()].split(None, most)) < most:
                return True
        if len(line.split(None, few)) <= few and (begin(line) or _BESIDE(line)):
            return True
        return max(map(line.count, DELIMITERS)) >= columns

    return signs
