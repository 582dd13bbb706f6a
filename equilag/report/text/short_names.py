"""Long names in few columns of a terminal, still different from one another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from rich.cells import cell_len

from equilag.report.words import printable, shorten

TAIL: Final = 6
"""Characters kept of the end of a name that is cut in its middle: room for a number."""
_UUID: Final = re.compile(r"-([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_DIGITS: Final = (4, 8)
"""Digits kept of the random UUID with which Kafka's member ids end: the fewest that will do."""

Cut = Callable[[str, int, str], str]


def middle(text: str, width: int, dots: str = "…") -> str:
    """`text` cut in its middle to `width` characters; more is kept of the front, which people
    choose."""
    if len(text) <= width:
        return text
    tail = min(TAIL, max(0, (width - len(dots)) // 3))
    return text[: max(1, width - tail - len(dots))] + dots + (text[-tail:] if tail else "")


def fitted(text: str, room: int, dots: str, cut: Cut = middle) -> str:
    """`text`, printable already, cut to `room` columns of a terminal."""
    short, width = text, room
    while cell_len(short) > room and width > 1:
        short = cut(text, width, dots)
        width -= 1
    return short


def abbreviate(names: Iterable[str], width: int, dots: str = "…") -> dict[str, str]:
    """Name -> a short printable form. The forms differ wherever the names do, and are about
    `width` characters long, longer where they would not differ."""
    full = {name: printable(name) for name in names}
    trimmed = full
    for digits in _DIGITS:
        short = {name: _without_uuid(text, digits, dots) for name, text in full.items()}
        if len(set(short.values())) == len(full):
            trimmed = short
            break
    longest = max(map(len, trimmed.values()), default=0)
    while width < longest:
        short = {name: middle(text, width, dots) for name, text in trimmed.items()}
        if len(set(short.values())) == len(full):
            return short
        width += 4
    return trimmed


def _without_uuid(name: str, digits: int, dots: str) -> str:
    return _UUID.sub(lambda found: f"-{found[1][:digits]}{dots}", name)


def labels(names: Iterable[str], room: int, dots: str = "…") -> dict[str, str]:
    """Printable name -> the name in at most `room` columns, cut where the names do not differ."""
    full = list(dict.fromkeys(names))
    if max(map(cell_len, full), default=0) <= room:
        return {name: name for name in full}
    short = abbreviate(full, room, dots)
    fitting = {name: fitted(short[name], room, dots) for name in full}
    alike: dict[str, list[str]] = {}
    for name, label in fitting.items():
        alike.setdefault(label, []).append(name)
    for some in alike.values():
        if len(some) > 1:
            front = max(0, _common_prefix(some) - room // 4)
            fitting |= {name: fitted(dots + name[front:], room, dots, shorten) for name in some}
    return fitting


def member_names(ids: Iterable[str], room: int, dots: str = "…") -> dict[str, str]:
    """Member id -> the id in at most `room` columns, most of its random UUID left out."""
    trimmed = abbreviate(ids, room, dots)
    short = labels(trimmed.values(), room, dots)
    return {name: short[text] for name, text in trimmed.items()}


def _common_prefix(names: list[str]) -> int:
    """Characters that all names begin with."""
    first, last = min(names), max(names)
    pairs = enumerate(zip(first, last, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(last)))
