"""Checks of single values, and the words for what is wrong with them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Final, TypeAlias

from equilag.domain.errors import InputError
from equilag.domain.show import PLAIN_NAME, guess, kind, shorten, show

Object: TypeAlias = dict[str, Any]
"""An object of JSON."""


@dataclass(frozen=True, slots=True)
class IntegerRange:
    """The integers from `low` to `high`; `beyond` says what is wrong with one above them.

    With `nullable` a column may have None as well (NULL in an array); `low` has to be 0 then.
    """

    low: int
    high: int
    beyond: str
    nullable: bool = False
    kind: str = "an integer"
    kinds: ClassVar = frozenset({int})

    def problem(self, value: object) -> str | None:
        """Why `value` is not one of these integers, or None."""
        if type(value) is not int:
            return not_a(value, self.kind)
        if value < self.low:
            return f"{show(value)} is below {self.low}"
        return f"{show(value)} {self.beyond}" if value > self.high else None

    def hold(self, column: Any) -> bool:
        """True if all numbers of an array are within it."""
        return not len(column) or bool(self.low <= column.min() and column.max() <= self.high)


class RateRange:
    """Records per second: 0, or `low` to `high`, so that sums of rates, and a lag divided by one,
    are finite; in a column None, NaN in an array, is unknown."""

    low, high, nullable, kinds = 1e-100, 1e100, True, frozenset({int, float})

    def problem(self, value: Any) -> str | None:
        """Why `value` is no rate, or None."""
        if type(value) not in self.kinds:
            return not_a(value, "a number")
        if not 0 <= value <= sys.float_info.max:
            return f"{show(value)} is not a finite number, 0 or more"
        within = value == 0 or self.low <= value <= self.high
        return None if within else f"{show(value)} is not 0, or {self.low:g} to {self.high:g}"

    def hold(self, column: Any) -> bool:
        """True if all numbers of an array are rates."""
        return bool(((column == 0) | ((column >= self.low) & (column <= self.high))).all())


_TOO_LONG: Final = "does not fit 64 bits"
NATURAL: Final = IntegerRange(0, 2**63 - 1, _TOO_LONG)
GENERATIONS: Final = IntegerRange(-1, 2**63 - 1, _TOO_LONG)

_RFC_3339: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:)(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)


def not_a(value: object, expected: str) -> str:
    """Return the problem of a value of the wrong kind: `"5" is a string, not an integer`."""
    if value is None or not isinstance(value, (bool, int, float, str)):
        return f"{kind(value)}, not {expected}"
    return f"{show(value)} is {kind(value)}, not {expected}"


def below(place: str, key: object) -> str:
    """Return the place of a field: `owned.orders`, or `owned["we ird"]` for a name with spaces."""
    if not isinstance(key, str) or not PLAIN_NAME.fullmatch(key):
        return f"{place}[{show(key)}]"
    return f"{place}.{shorten(key)}" if place else shorten(key)


def text_problem(value: object) -> str | None:
    """Why `value` is not a string that can be written in UTF-8, or None."""
    if not isinstance(value, str):
        return not_a(value, "a string")
    if value.isascii():
        return None
    try:  # half of a surrogate pair cannot be written, so no plan could name it
        value.encode()
    except UnicodeEncodeError:
        return f"{show(value)} is not valid Unicode"
    return None


def as_text(value: object, place: str) -> str:
    """Return `value` if it is a string that can be written in UTF-8; raises InputError."""
    if (problem := text_problem(value)) is not None:
        raise InputError(problem, place)
    assert isinstance(value, str)
    return value


def check_texts(values: Sequence[Any], place: str) -> None:
    """Refuse a list that holds anything but strings; raises InputError."""
    if not set(map(type, values)) <= {str}:
        index = next(i for i, value in enumerate(values) if type(value) is not str)
        raise InputError(not_a(values[index], "a string"), f"{place}[{index}]")


def as_integer(value: object, limits: IntegerRange, place: str) -> int:
    """Return `value` if it is an integer within `limits`; raises InputError."""
    if (problem := limits.problem(value)) is not None:
        raise InputError(problem, place)
    assert isinstance(value, int)
    return value


def as_object(value: object, place: str) -> Object:
    """Return `value` if it is an object; raises InputError."""
    if not isinstance(value, dict):
        raise InputError(not_a(value, "an object"), place)
    if not set(map(type, value)) <= {str}:  # only data made in Python can fail here
        key = next(key for key in value if type(key) is not str)
        raise InputError(f"{kind(key)} as a key, not a string", place)
    return value


def as_list(value: object, place: str) -> list[Any]:
    """Return `value` if it is a list; raises InputError."""
    if not isinstance(value, list):
        raise InputError(not_a(value, "a list"), place)
    return value


def as_lists(value: object, place: str) -> Object:
    """Return `value` if it is an object whose values are lists; raises InputError."""
    found = as_object(value, place)
    for key, row in found.items():
        as_list(row, below(place, key))
    return found


def check_keys(value: Object, known: Set[str], required: Iterable[str], place: str) -> None:
    """Refuse unknown fields and missing ones; raises InputError."""
    if not value.keys() <= known:
        key = next(key for key in value if key not in known)
        raise InputError(f"unknown field{guess(key, known)}", below(place, key))
    for key in sorted(required):
        if key not in value:
            raise InputError("missing, but required", below(place, key))


def as_time(value: object, place: str) -> str:
    """Return `value` if it is a time as in RFC 3339; raises InputError."""
    text = as_text(value, place)
    parts = _RFC_3339.fullmatch(text)
    if parts is not None:
        date, minute, second, zone = parts.groups()
        if second == "60":  # a leap second, which datetime does not know
            second = "59"
        try:
            datetime.fromisoformat(f"{date}T{minute}{second}{zone.upper()}")
        except ValueError:
            parts = None
    if parts is None:
        raise InputError(f"{show(text)} is not an RFC 3339 time (2026-11-21T09:00:00Z)", place)
    return text
