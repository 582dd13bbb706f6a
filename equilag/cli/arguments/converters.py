"""Converters of the values of options. What cannot be converted is an ArgumentTypeError."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from equilag.cli.arguments.durations import MAX_SHOWN
from equilag.domain.show import guess
from equilag.report.wording.words import shorten


def seconds(text: str) -> float:
    """A number of seconds, 0 or more."""
    return _number(text, "a number of seconds, 0 or more")


def percent(text: str) -> float:
    """A percentage, 0 or more."""
    value = _number(text, "a percentage from 0 to 1000000")
    if value > 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 1000000")
    return value


def _number(text: str, required: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not {required}")
    return value


def number_from(least: float, most: float, what: str) -> Callable[[str], float]:
    """A converter to numbers from `least` to `most` of something."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            required = f"a number of {what} from {least:g} to {most:g}"
            raise argparse.ArgumentTypeError(f"{shorten(text, MAX_SHOWN)!r} is not {required}")
        return value

    return convert


def whole(below: int | None = None) -> Callable[[str], int]:
    """A converter to whole numbers, 0 or more and less than `below`."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if value < 0 or (below is not None and value >= below):
            required = "0 or more" if below is None else f"from 0 to {below - 1}"
            problem = f"{shorten(text, MAX_SHOWN)!r} is not a whole number, {required}"
            raise argparse.ArgumentTypeError(problem)
        return value

    return convert


@dataclass(frozen=True, slots=True)
class OneOf:
    """A converter that accepts only `names`; argparse's own message on choices reads less well."""

    names: tuple[str, ...]
    ignores_case: bool = False
    """True if all names are in lower case, and a value need not be."""

    def __call__(self, text: str) -> str:
        if self.ignores_case:
            text = text.lower()
        if text not in self.names:
            problem = f"{shorten(text, MAX_SHOWN)!r} is none of {', '.join(self.names)}"
            raise argparse.ArgumentTypeError(problem + guess(text, self.names))
        return text


def one_of(names: tuple[str, ...]) -> OneOf:
    """A converter that accepts only `names`."""
    return OneOf(names)


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a regular expression: {error}"
        ) from error
