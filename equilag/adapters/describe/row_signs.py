"""What tells most lines apart that are no rows of a table, before anything else is done."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from equilag.adapters.describe.table_header import (
    BLANK,
    LAG,
    MAX_SPACES,
    NUMBERS,
    PARTITION,
    TOPIC,
    TableHeader,
)

_SURE: Final = NUMBERS - {LAG}
_COUNT: Final = r"(?:[-+]?\d[\w.,'+-]*|-|(?i:unknown|none|<none>|n/a|null))"
_PAIR: Final = re.compile(
    r"\s([-+]?\d\S*|-(?=\s+-\s+-\s))(?=\s+(?:-?\d|[+uUnN<])[^\s:]*(?:\s|$)|\s+-(?:\s|$))"
).finditer
_NUMBER: Final = re.compile(r"[-+]?\d(?:[\w.,'+-]*\w)?|-").fullmatch
_CELL_PAIR: Final = re.compile(rf"[|,;\"'\s]{_COUNT}[\"'\s]*[|,;]+[\"'\s]*[-+\duUnN<]").search


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
    """Two numbers side by side where a row has them, or what stands for none; or what begins a row
    that a narrow screen broke, or a copy cut off."""
    end = names.index(PARTITION) + 2
    if not _SURE.issuperset(names[end - 1 : end]):  # then none may stand before the first number
        return bool
    at = next(at for at, name in enumerate(names) if name in _SURE)
    before = r"\s+".join(r"[\w.-]+" if name == TOPIC else r"\S+" for name in names[:at])
    begin = re.compile(rf"\s*(?:{before}|(?:\S+\s+){{0,{end - 1}}}{_COUNT}\S*)\s*$").match
    least, most = len({*names[:at]} - BLANK) - 1, end + MAX_SPACES - 1

    def signs(line: str) -> object:
        for pair in _PAIR(f" {line}"):
            before = len(line[: pair.start()].split(None, most))
            if least <= before < most and _NUMBER(pair[1]):
                return True
        if len(line.split(None, end)) <= end and begin(line):
            return True
        many = max(line.count("|"), line.count(","), line.count(";"))
        return many >= len(names) - 1 and _CELL_PAIR(f" {line}")

    return signs
