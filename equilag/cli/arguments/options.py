"""Options: how they are declared and converted, and those that several commands share."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from equilag.domain.errors import InputError
from equilag.domain.figures import shorten
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.show import guess
from equilag.report.terminal import COLORS, DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH

if TYPE_CHECKING:
    from equilag.planner.worth.thresholds import VerdictLimits


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


AnyParser = argparse.ArgumentParser | argparse._ArgumentGroup
"""What options are added to."""
LIVE: Final = "--bootstrap-server"
TEXT: Final = "--from-describe"
"""The options that name a live group, and a text of Kafka's tools."""
RESETS: Final = ("earliest", "latest", "none")
RESETS_DEFAULT: Final = "latest"
reset: Final = OneOf(RESETS, ignores_case=True)
"""Converts a setting of consumers' ``auto.offset.reset``."""
ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
FILES: Final = frozenset({
    "SNAPSHOT", "PLAN", "PLAN.json", "F", "F2", "F.html", "FILE", "FILE.properties", "FILE.toml",
    "PATH", "TEXT",
})  # fmt: skip
"""What the help calls the name of a file."""
SNAPSHOT_HELP: Final = (
    "the group: JSON (equilag/snapshot/1), plain, gzip or zstd; - reads standard input"
)
OTHER_PARAMETERS: Final = (
    "time_limit", "seed", "effort", "deterministic", "assignor", "group", "subscribe", "output",
    "threads", "catch_up", "weight", "at", "window", "horizon", "tasks", "auto_offset_reset",
)  # fmt: skip
PARAMETERS: Final = {
    **{declared.place: declared.option for declared in SETTINGS.values()},
    **{name: f"--{name.replace('_', '-')}" for name in OTHER_PARAMETERS},
}
"""Parameter of the library -> the option that sets it."""
MAX_SEED: Final = 2**31
"""The solvers take a signed 32-bit seed."""


class Option(NamedTuple):
    """An option as it is declared. Without a value and without a default it is None."""

    flag: str
    metavar: str
    """What the help calls its value; empty for one without a value, which is True if given."""
    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    repeats: bool = False
    """True if it can be given several times: then its value is a list."""
    required: bool = False
    needs: tuple[str, ...] = ()
    """Options of which one has to be given beside this one."""


def add(parser: AnyParser, *declared: Option) -> None:
    """Add options to a parser."""
    for one in declared:
        told: dict[str, Any] = {"help": one.help, "default": [] if one.repeats else one.default}
        if not one.metavar:
            told |= {"action": "store_true", "default": False}
        else:
            told |= {"metavar": one.metavar, "type": one.type, "required": one.required}
            told |= {"action": "append"} if one.repeats else {}
        action: Any = parser.add_argument(one.flag, **told)
        action.needs = one.needs


SEED: Final = Option(
    "--seed", "N", "seed of the random choices (default: 0)", whole(MAX_SEED), 0
)  # fmt: skip


def add_run(parser: AnyParser, *, time_limit: float) -> None:
    """How long a plan is searched for, from which seed; `answering` reads the options."""
    add(
        parser,
        SEED,
        Option("--time-limit", "S", f"planning time in seconds (default: {time_limit:g})", seconds,
               time_limit),
        Option("--effort", "S", "limit the counted work to about S core-seconds; runs are"
               " repeatable", seconds),
        Option("--deterministic", "", "the same as --effort with half the time limit"),
    )  # fmt: skip


def effort_of(args: argparse.Namespace) -> float | None:
    """The limit of counted work that the options ask for; None for no such limit."""
    if args.deterministic and args.effort is None:
        return float(args.time_limit) / 2
    return cast("float | None", args.effort)


def add_output(parser: AnyParser) -> None:
    """``--output`` and ``--json``: what the report is written as; and how text looks."""
    add(parser, Option("--output", "O", "what to print: text, json, an installed output, or"
                       " MODULE:FUNCTION (default: text)", default="text"))  # fmt: skip
    parser.add_argument("--json", action="store_const", const="json", dest="output",
                        help="the same as --output json")  # fmt: skip
    add_screen(parser)


def add_json(parser: AnyParser, json_help: str) -> None:
    """``--json`` of commands that have no other output."""
    add(parser, Option("--json", "", json_help))


def add_screen(parser: AnyParser) -> None:
    """``--width`` and ``--color``: how a report looks; `deliver.show` reads them."""
    add(
        parser,
        Option("--width", "N", f"columns of the report, {MIN_WIDTH} or more (default: the"
               f" terminal's, else {DEFAULT_WIDTH})", whole(MAX_WIDTH + 1, MIN_WIDTH)),
        Option("--color", "WHEN", f"{', '.join(COLORS)}; auto: on a terminal, unless NO_COLOR or"
               f" FORCE_COLOR is set (default: {COLORS[0]})", OneOf(COLORS), COLORS[0]),
    )  # fmt: skip


def check_output(args: argparse.Namespace) -> None:
    """Raises InputError if there is no such output: before a large file is read for it."""
    from equilag.report.outputs import check_output

    with named():
        check_output(args.output)


PLAN_OUTPUTS: Final = (
    Option("--out", "PLAN.json", "write the plan's JSON to this file"),
    Option("--verbose", "", "show also how the plan was found, and how fast"),
)
"""Of the commands that make a plan."""


LIMITS: Final = (
    Option("--gain", "PERCENT", "minimum relief of the most relieved member, in percent of a fair"
           " share (default: 10)", percent, 10.0),
    Option("--min-gain", "RECORDS", "minimum relief in records besides (default: what a member gets"
           " in a second, or 1000 where no rate is known)", whole()),
    Option("--min-lag", "RECORDS", "lag per partition that is much, where no rate is known"
           " (default: 10000)", whole(), 10_000),
    Option("--behind", "T", "lag that is much, in time of production (default: 1m)", duration,
           60.0),
)  # fmt: skip
"""From where on something is wrong with a group; of every command that judges one."""


def limits_of(args: argparse.Namespace) -> VerdictLimits:
    """What `LIMITS` say."""
    from equilag.planner.worth.thresholds import Thresholds, VerdictLimits

    thresholds = Thresholds(args.gain, min_gain=args.min_gain)
    return VerdictLimits(thresholds, args.min_lag, args.behind)


@contextmanager
def named(policy: Policy | None = None) -> Iterator[None]:
    """Errors of the library name its parameters: name the option that sets each instead. Other
    places stay what they are; so does room that the group itself has, if `policy` limits none."""
    try:
        yield
    except InputError as error:
        option = PARAMETERS.get(error.place, error.place)
        if error.place.rpartition(".")[2] == "max_partitions":
            own = policy is not None and not policy.max_partitions
            option = error.place if own else PARAMETERS["max_partitions"]
        raise InputError(error.problem, option, error.source) from error


def check_assignors(args: argparse.Namespace) -> None:
    """Raises InputError for a wrong name, if the command takes any: before a large file is read for
    it."""
    names = getattr(args, "assignor", None)
    for name in [names] if isinstance(names, str) else names or ():
        from equilag.heuristics.registry import get_assignor

        with named():
            get_assignor(name)


COMPARED: Final = Option(
    "--assignor", "MODULE:ATTRIBUTE",
    "an assignor of your own to compare as well; can be repeated", repeats=True,
)  # fmt: skip
"""Of the commands that compare all assignors."""
