"""Options that several commands share, and the kinds of values they take."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from equilag.errors import InputError
from equilag.policy import BALANCES, MAX_MOVE_COST, POLICIES

STDIN: Final = "-"
RESETS: Final = ("earliest", "latest", "none")
RESETS_DEFAULT: Final = "latest"
ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
SNAPSHOT_HELP: Final = (
    "the group: JSON (equilag/snapshot/1), also gzip or zstd; - for standard input"
)
PARAMETERS: Final = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "policy", "time_limit", "seed", "balance", "move_cost", "tolerance", "max_moves", "fresh",
        "effort", "deterministic", "assignor", "group", "subscribe",
    )
}  # fmt: skip
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?) ?([smhd])")
MAX_SEED: Final = 2**31
"""The solvers take a signed 32-bit seed."""


def seconds(text: str) -> float:
    """A number of seconds, 0 or more."""
    return _number(text, "a number of seconds, 0 or more")


def duration(text: str) -> float:
    """Seconds out of a number with its unit: ``30s``, ``5m``, ``1h``, ``7d``; more than 0."""
    found = _DURATION.fullmatch(text.strip())
    value = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if value <= 0:
        shown = text if len(text) <= 40 else text[:39] + "…"
        raise argparse.ArgumentTypeError(f"{shown!r} is not a duration such as 30s, 5m or 1h")
    return value


def percent(text: str) -> float:
    """A percentage, 0 or more."""
    value = _number(text, "a percentage from 0 to 1000000")
    if value > 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage from 0 to 1000000")
    return value


def _number(text: str, due: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not {due}")
    return value


def whole(below: int | None = None) -> Callable[[str], int]:
    """The kind of whole numbers from 0 on, and less than `below`."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = -1
        if value < 0 or (below is not None and value >= below):
            due = "0 or more" if below is None else f"from 0 to {below - 1}"
            shown = text if len(text) <= 40 else text[:39] + "…"
            raise argparse.ArgumentTypeError(f"{shown!r} is not a whole number, {due}")
        return value

    return convert


def one_of(names: tuple[str, ...]) -> Callable[[str], str]:
    """The kind of values that are one of `names`; argparse's own choices read less well."""

    def convert(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(names)}")
        return text

    return convert


def reset(text: str) -> str:
    """A setting of consumers' ``auto.offset.reset``."""
    return one_of(RESETS)(text.lower())


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("snapshot", metavar="SNAPSHOT", help=SNAPSHOT_HELP)


def add_time_limit(parser: argparse.ArgumentParser, default: float) -> None:
    parser.add_argument(
        "--time-limit",
        metavar="S",
        type=seconds,
        default=default,
        help=f"seconds for all of the planning, {default:g} unless told; 0 gives what is there"
        " at once",
    )


def add_goals(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, *, tolerance: float
) -> None:
    """What a plan is to aim at: ``--policy`` and the settings on top of it, and ``--seed``."""
    parser.add_argument(
        "--policy",
        metavar="P",
        type=one_of(POLICIES),
        default=POLICIES[0],
        help=f"{', '.join(POLICIES)}; the first unless told",
    )
    parser.add_argument(
        "--balance",
        metavar="B",
        type=one_of(BALANCES),
        help="which counts are even: total, per-topic or both; the policy's own unless told",
    )
    parser.add_argument(
        "--move-cost",
        metavar="LAG",
        type=whole(MAX_MOVE_COST),
        default=0,
        help="records of lag spread that one move must save; 0 unless told",
    )
    parser.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=percent,
        default=tolerance,
        help="percent of the mean load by which the spread may exceed the best if that saves"
        f" moves; {tolerance:g} unless told",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole(MAX_SEED),
        default=0,
        help="the random choices of the search; 0 unless told",
    )


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """``--out`` and ``--json`` of the commands that make a plan."""
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan's JSON to this file")
    parser.add_argument(
        "--json", action="store_true", help="the plan's JSON instead of the summary"
    )


@contextmanager
def named() -> Iterator[None]:
    """The library's errors name its parameters: here each becomes the option that sets it. Other
    places stay what they are."""
    try:
        yield
    except InputError as error:
        place = PARAMETERS.get(error.place, error.place)
        raise InputError(error.problem, place, error.source) from error
