"""Numbers, plural forms and names as words; names come from users and are made printable. The order
of names that hold numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from equilag.domain.show import form as form
from equilag.domain.show import plural as plural

Write = Callable[[float], str]
"""How a number is written."""

PREFIXES: Final = "kMGTPE"
"""Of 10^3, 10^6, ...; a figure is below 2^63, so E is the last one needed."""
TIME_UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (0, "s"))
"""Seconds of each unit from which on it is used."""
MIN_WHOLE_SECONDS: Final = 9.95
"""What is below has a decimal."""
COUNTED: Final = {
    "records": "record", "records/s": "record/s", "seconds": "second", "partitions": "partition",
}  # fmt: skip
"""First words of units -> the same of one."""
NONE: Final = "-"
"""What a table shows where there is no figure."""


def in_units(figure: str, unit: str) -> str:
    """A written figure with its unit: ``1 record``, ``2 seconds of work``."""
    first, _, rest = unit.partition(" ")
    if figure != "1" or first not in COUNTED:
        return f"{figure} {unit}"
    return f"1 {COUNTED[first]} {rest}".rstrip()


def printable(text: str) -> str:
    """`text` with every character escaped that is invisible or that controls a terminal."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )


def in_ascii(text: str) -> str:
    """`text` with every character beyond ASCII escaped, as a stream writes it that has no other."""
    return text if text.isascii() else text.encode("ascii", "backslashreplace").decode("ascii")


def shorten(text: str, width: int, dots: str = "…") -> str:
    """`text` cut at its end to `width` characters."""
    return text if len(text) <= width else text[: max(0, width - len(dots))] + dots


def number(value: float) -> str:
    """A whole number with thousands separators; another one with four significant digits."""
    if isinstance(value, int) or not value:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:#.4g}"


def short_number(value: float) -> str:
    """A number in few columns: `2.34M`; up to four digits in full."""
    size = float(abs(value))
    if size < 10_000:
        return number(value)
    for prefix in PREFIXES:
        size /= 1000
        if size < 999.5:
            digits = 2 if size < 9.995 else 1 if size < 99.95 else 0
            return f"{'-' if value < 0 else ''}{size:.{digits}f}{prefix}"
    return number(value)


def ratio_words(value: float) -> str:
    """How many times as much: two decimals, one from ten on, and few columns if it is large."""
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:,.1f}" if value < 10_000 else short_number(round(value))


def percent(value: float) -> str:
    """A percentage with three significant digits, and never rounded to 0 or to 100."""
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


def short_percent(value: float) -> str:
    """A percentage in few columns."""
    if 0 < abs(value) < 0.01:
        return "<0.01 %" if value > 0 else ">-0.01 %"
    return percent(value).replace("over ", ">")


def status_words(status: str, evidence: str | None) -> str:
    """A plan's status; an optimum that nobody can check without a solver says so."""
    on_solver = status == "optimal" and evidence == "solver"
    return f"{status} (solver)" if on_solver else printable(status)


def duration(seconds: float) -> str:
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def time_span(seconds: float) -> str:
    """A duration in its two largest units: ``2.3 s``, ``3 min 20 s``, ``1 h``."""
    if seconds < MIN_WHOLE_SECONDS:
        return short_span(seconds)
    left = round(seconds)
    parts = (left // 86_400, left // 3600 % 24, left // 60 % 60, left % 60)
    first = next(place for place, part in enumerate(parts) if part)
    shown = [*zip(parts, ("d", "h", "min", "s"), strict=True)][first : first + 2]
    return " ".join(f"{number(part)} {name}" for part, name in shown if part)


def short_span(seconds: float) -> str:
    """A duration in few columns: ``2.3 s``, ``52 s``, ``3.3 min``, ``1 h``."""
    size, name = next(unit for unit in TIME_UNITS if seconds >= unit[0] * 0.9995)
    value = seconds / size if size else seconds
    if 0 < value < 0.05:
        return "<0.1 s"
    text = f"{value:.1f}" if value < MIN_WHOLE_SECONDS else number(round(value))
    return f"{text.removesuffix('.0')} {name}"


def listed(names: Sequence[str], most: int, dots: str = "…") -> str:
    """The first `most` names in a row, and how many more there are."""
    shown = ", ".join(printable(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, {dots} and {number(len(names) - most)} more"


def in_a_row(names: Sequence[str]) -> str:
    """All of the names, with an *and* before the last."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


_DIGITS: Final = re.compile(r"([0-9]+)")

NaturalKey = tuple[tuple[str | tuple[int, str], ...], str]


def natural_key(name: str) -> NaturalKey:
    """A key to sort by: runs of digits by their value, everything else by code points.

    Names that differ have different keys, `a01` and `a1` too.
    """
    parts = _DIGITS.split(name)  # text, digits, text, ...
    return tuple(_number(part) if i % 2 else part for i, part in enumerate(parts)), name


def _number(digits: str) -> tuple[int, str]:
    """Orders as the value does. Python refuses to convert thousands of digits."""
    value = digits.lstrip("0")
    return len(value), value
