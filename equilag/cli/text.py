"""Pieces of text: names made safe and short, numbers, tables, bars."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_TAIL: Final = 6
# Kafka's member ids are a client id and a random UUID, of which a few digits will do.
_UUID: Final = re.compile(r"-([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_DIGITS: Final = (4, 8)


@dataclass(frozen=True, slots=True)
class Style:
    """How text looks: columns, whether there are colours, whether only ASCII signs will do."""

    width: int = 100
    colour: bool = False
    ascii: bool = False

    @property
    def arrow(self) -> str:
        return "->" if self.ascii else "→"

    @property
    def dots(self) -> str:
        return "..." if self.ascii else "…"

    def bold(self, text: str) -> str:
        return self._paint(text, "1")

    def good(self, text: str) -> str:
        return self._paint(text, "32")

    def warn(self, text: str) -> str:
        return self._paint(text, "33")

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def titled(self, title: str, rest: str) -> list[str]:
        """Lines of prose that begin with a title."""
        first, *more = wrap(title + rest, self, "  ")
        return [self.bold(title) + first[len(title) :] if first.startswith(title) else first, *more]

    def bar(self, value: int, largest: int, cells: int) -> str:
        """A bar of up to `cells` columns, padded to them; anything above 0 shows."""
        eighths = -(-value * cells * 8 // largest) if largest else 0
        if self.ascii:
            return ("#" * -(-eighths // 8)).ljust(cells)
        full, rest = divmod(eighths, 8)
        return ("█" * full + _EIGHTHS[rest].strip()).ljust(cells)


def printable(text: str) -> str:
    """`text` with everything that would not show, or would do harm to a terminal, escaped."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )


def columns(text: str) -> int:
    """Columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def pad(text: str, width: int, align: str = "<") -> str:
    """`text` filled up to `width` columns."""
    blank = " " * (width - columns(text))
    return blank + text if align == ">" else text + blank


def shorten(text: str, width: int, dots: str = "…") -> str:
    """`text` cut at its end to `width` characters."""
    return text if len(text) <= width else text[: max(0, width - len(dots))] + dots


def middle(text: str, width: int, dots: str = "…") -> str:
    """`text` cut in its middle to `width` characters: the front, which people choose, says most."""
    if len(text) <= width:
        return text
    tail = min(_TAIL, max(0, (width - len(dots)) // 3))
    return text[: max(1, width - tail - len(dots))] + dots + (text[-tail:] if tail else "")


def abbreviate(names: Iterable[str], width: int, dots: str = "…") -> dict[str, str]:
    """Short forms of names, made printable, as wide as they must be to differ from one another."""
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


def number(value: int) -> str:
    """A whole number with thousands separators."""
    return f"{value:,}"


def plural(count: int, word: str, words: str | None = None) -> str:
    """`1 member`, `7 members`."""
    return f"{count:,} {word if count == 1 else words or word + 's'}"


def percent(value: float) -> str:
    """A percentage with as many digits as say something."""
    size = abs(value)
    if size == 0:
        return "0 %"
    if size < 0.01:
        return "under 0.01 %" if value > 0 else "over -0.01 %"
    if size < 10:
        return f"{value:.2f} %"
    if 99.95 <= size < 100:
        return f"{value:.2f} %" if size < 99.995 else "over 99.99 %"
    return f"{value:.1f} %" if size < 100 else f"{value:,.0f} %"


def duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def wrap(text: str, style: Style, indent: str = "") -> list[str]:
    """Lines of prose, no wider than the screen, the later ones indented."""
    return textwrap.wrap(
        text, style.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def table(rows: Sequence[Sequence[str]], align: str, gap: str = "  ") -> list[str]:
    """Aligned lines; `align` has one of `<` and `>` per column."""
    widths = [max(columns(row[i]) for row in rows) for i in range(len(align))] if rows else []
    return [
        gap.join(
            pad(cell, width, side) for cell, width, side in zip(row, widths, align, strict=True)
        ).rstrip()
        for row in rows
    ]


def listed(names: Sequence[str], most: int, dots: str = "…") -> str:
    """Names in a row, no more than `most` of them."""
    shown = ", ".join(printable(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, {dots} and {number(len(names) - most)} more"
