"""How figures, times and names are written: the one place for screens, pages and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from equilag.domain.show import MAX_NAMED
from equilag.domain.show import form as form
from equilag.domain.show import plural as plural
from equilag.domain.show import shorten as shorten

Write = Callable[[Any], str]
"""How a figure is written."""

PREFIXES: Final = "kMGTPE"
"""Of 10^3, 10^6, ...; a count is below 2^63, so E is the last one that counts need."""
EXACT: Final = 1e15
"""From here on a float is no whole number that somebody counted."""
LONG_PERCENT: Final = 10_000
"""Percent from which on digits are left out: a capacity that is off by a factor of a million, not a
figure to compare."""
UNITS: Final = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
MIN_WHOLE_SECONDS: Final = 9.95
"""What is below has a decimal."""
MILLISECONDS: Final = 0.0995
"""What is below is in milliseconds."""
COUNTED: Final = {
    "records": "record", "records/s": "record/s", "seconds": "second", "partitions": "partition",
}  # fmt: skip
"""First words of units -> the same of one."""
BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=%|×|(?:ms|s|min|h|d)\b)")
"""The blank between a figure and its unit, at which no line ends."""
NONE: Final = "-"
"""What a table shows where there is no figure."""
MOST_PERCENT: Final = 1_000_000
"""What a member is above the mean by at most where it is told in percent: beyond, capacities differ
by so much that the figure says nothing."""


def number(value: float) -> str:
    """A whole number as it is, with thousands separators; another one with at most four significant
    digits."""
    if isinstance(value, int) or (abs(value) < EXACT and value.is_integer()):
        return f"{int(value):,}"
    rounded = float(f"{value:.4g}")
    return f"{rounded:,.0f}" if EXACT > abs(rounded) >= 10_000 else f"{rounded:,.10g}"


def short_number(value: float) -> str:
    """A number in few columns: `2.34M`; up to four digits in full."""
    size = float(abs(value))
    if size < 10_000:
        return number(value)
    for prefix in PREFIXES:
        size /= 1000
        if size < 999.5:
            digits = 2 if size < 9.995 else 1 if size < 99.95 else 0
            text = f"{size:.{digits}f}"
            text = text.rstrip("0").rstrip(".") if digits else text
            return f"{'-' if value < 0 else ''}{text}{prefix}"
    return number(float(value))


def whole(value: float) -> str:
    """A figure in whole numbers, such as a number of records that was computed."""
    return number(round(value))


def ratio(value: float) -> str:
    """How many times as much: two decimals, one from ten on."""
    if value < 9.995:
        return f"{value:.2f}"
    return f"{value:,.1f}" if value < 10_000 else short_number(round(value))


def percent(value: float) -> str:
    """A percentage with three significant digits, and never rounded to 0 or to 100."""
    size = abs(value)
    if 0 < size < 0.01:
        return "under 0.01 %" if value > 0 else "over -0.01 %"
    if 99.995 <= size < 100:
        return "over 99.99 %"
    if size >= LONG_PERCENT:
        return f"{short_number(round(value))} %"
    digits = 2 if size < 10 or 99.95 <= size < 100 else 1 if size < 100 else 0
    text = f"{value:,.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if digits else text} %"


def short_percent(value: float) -> str:
    """A percentage in few columns."""
    return percent(value).replace("under ", "<").replace("over ", ">")


def surplus(value: float) -> str:
    """By how much the heaviest member is above the mean, in few digits."""
    if value <= 0:
        return "0 %"
    if value < 0.05:
        return "under 0.1 %"
    if value > MOST_PERCENT:
        return f"over {number(MOST_PERCENT)} %"
    return f"{value:.1f} %" if value < 9.95 else f"{whole(value)} %"


def time_span(seconds: float) -> str:
    """A duration in its two largest units: ``23 ms``, ``2.3 s``, ``3 min 20 s``, ``1 h``."""
    if seconds < MIN_WHOLE_SECONDS:
        return short_span(seconds)
    left = round(seconds)
    parts = (left // 86_400, left // 3600 % 24, left // 60 % 60, left % 60)
    first = next(place for place, part in enumerate(parts) if part)
    shown = [*zip(parts, (name for _, name in UNITS), strict=True)][first : first + 2]
    return " ".join(f"{number(part)} {name}" for part, name in shown if part)


def utc(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339 in UTC, to the second."""
    when = datetime.fromtimestamp(seconds, UTC)
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


def short_span(seconds: float) -> str:
    """A duration in one unit: ``2.3 s``, ``52 s``, ``3.3 min``, ``1 h``."""
    if 0 < seconds < MILLISECONDS:
        return f"{float(f'{1000 * seconds:.2g}'):g} ms"
    size, name = next((unit for unit in UNITS if seconds >= unit[0] * 0.9995), UNITS[-1])
    value = seconds / size
    text = f"{value:.1f}" if value < MIN_WHOLE_SECONDS else number(round(value))
    return f"{text.removesuffix('.0')} {name}"


class Change(NamedTuple):
    """A cell of a table with a figure now and under the plan."""

    now: Any
    planned: Any


class FigureForm(NamedTuple):
    """How figures of a column are written: in full, and in few columns."""

    full: Write
    short: Write


def _as_text(value: Any) -> str:
    return printable(str(value))


FORMS: Final[Mapping[str, FigureForm]] = {
    "number": FigureForm(number, short_number),
    "whole": FigureForm(whole, lambda value: short_number(round(value))),
    "percent": FigureForm(short_percent, short_percent),
    "share": FigureForm(*[lambda value: short_percent(100 * value)] * 2),
    "times": FigureForm(*[lambda value: f"{ratio(value)} ×"] * 2),
    "seconds": FigureForm(time_span, short_span),
    "ms": FigureForm(*[lambda value: f"{number(round(value, 1 if value < 100 else None))} ms"] * 2),
    "text": FigureForm(_as_text, _as_text),
    "name": FigureForm(_as_text, _as_text),
    "member": FigureForm(_as_text, _as_text),
    "command": FigureForm(_as_text, _as_text),
}
"""Form of a column -> how its values are written. `share` is a part of 1; `name` and `member` may
be shortened, a `command` never is."""
FIGURES: Final = frozenset({"number", "whole", "percent", "share", "times", "seconds", "ms"})
"""Forms of figures, which stand to the right and are sorted by value."""


def cell(value: Any, form: str, short: bool = False) -> str:
    """What a table shows of a value; ``7 → 8`` of a change."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Change):
        return " → ".join(cell(one, form, short) for one in value)
    return FORMS[form][short](value)


def in_units(figure: str, unit: str) -> str:
    """A written figure with its unit: ``1 record``, ``2 seconds of work``."""
    return f"{figure} {unit_of(figure, unit)}"


def unit_of(figure: str, unit: str) -> str:
    """The unit of a written figure: ``record`` of ``1``."""
    first, _, rest = unit.partition(" ")
    return unit if figure != "1" or first not in COUNTED else f"{COUNTED[first]} {rest}".rstrip()


def spread_over(low: float, high: float) -> str:
    """A range: ``6 to 7``; one figure where both ends read the same."""
    first, last = number(low), number(high)
    return first if first == last else f"{first} to {last}"


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


def partition_name(partition: tuple[str, int]) -> str:
    """A partition as Kafka's tools write it: ``orders-3``."""
    topic, place = partition
    return f"{printable(topic)}-{place}"


def listed(names: Sequence[str], most: int = MAX_NAMED) -> str:
    """The first `most` names in a row, and how many more there are."""
    shown = ", ".join(printable(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, … and {number(len(names) - most)} more"


def in_a_row(names: Sequence[str], most: int = 0, count: int = 0) -> str:
    """All of the names, with an *and* before the last; of more than `most` + 1, unless that is 0,
    the first ones and how many more there are, `count` in all if these are not all."""
    count = max(count, len(names))
    if most and count > most + 1:
        return f"{', '.join(names[:most])} and {number(count - most)} more"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


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
