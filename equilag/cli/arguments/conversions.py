"""What the text of an option becomes; each converter raises ArgumentTypeError."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from equilag.domain.figures import shorten
from equilag.domain.show import guess

MAX_SHOWN: Final = 40
"""Characters of a wrong value in a message: enough to recognise it."""
LONGEST_S: Final = 1e9
"""30 years; Python cannot wait longer than ten times that."""
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_PART: Final = r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?([smhd])"
_DURATION: Final = re.compile(rf"{_PART}(?: ?{_PART}){{0,3}}")


def wrong(text: str, what: str) -> argparse.ArgumentTypeError:
    """The error of a value; `what` says what is wrong with it."""
    return argparse.ArgumentTypeError(f"{shorten(text, MAX_SHOWN)!r} is {what}")


def duration(text: str) -> float:
    """Seconds out of numbers with their units: ``30s``, ``5m``, ``1h30m``, ``7d``; more than 0, and
    at most `LONGEST_S`."""
    found = _DURATION.fullmatch(text.strip())
    parts = re.findall(_PART, text) if found else []
    value = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < value <= LONGEST_S:
        raise wrong(text, "not a duration such as 30s, 5m or 1h")
    return value


def span_text(seconds: float) -> str:
    """Seconds as `duration` takes them, in the largest unit that they are a multiple of."""
    unit = next((name for name in "dhm" if seconds % _UNITS[name] == 0), "s")
    return f"{seconds / _UNITS[unit]:g}{unit}"


def number_from(least: float, most: float, required: str) -> Callable[[str], float]:
    """A converter to finite numbers from `least` to `most`; `required` says it in words."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (least <= value <= most and value < math.inf):
            raise wrong(text, f"not {required}")
        return value

    return convert


seconds: Final = number_from(0, math.inf, "a number of seconds, 0 or more")
percent: Final = number_from(0, 1e6, "a percentage from 0 to 1000000")


def whole(below: int | None = None, least: int = 0) -> Callable[[str], int]:
    """A converter to whole numbers, `least` or more and less than `below`."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if value < least or (below is not None and value >= below):
            required = f", {least} or more" if below is None else f" from {least} to {below - 1}"
            raise wrong(text, f"not a whole number{required}")
        return value

    return convert


@dataclass(frozen=True, slots=True)
class OneOf:
    """A converter that accepts only `names`; argparse's own message on choices reads less well."""

    names: tuple[str, ...]
    ignores_case: bool = False
    """True if all names are in lower case, and a value need not be."""

    def __call__(self, text: str) -> str:
        text = text.lower() if self.ignores_case else text
        if text not in self.names:
            raise wrong(text, f"none of {', '.join(self.names)}{guess(text, self.names)}")
        return text


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        problem = f"{text!r} is not a regular expression: {error}"
        raise argparse.ArgumentTypeError(problem) from error


def named_value(text: str) -> str:
    """``NAME=VALUE``, as it is. The value may be a secret, so that no error shows it."""
    name, equals, _ = text.partition("=")
    if not name.strip() or not equals:
        raise argparse.ArgumentTypeError("a property is not of the form NAME=VALUE")
    return text
