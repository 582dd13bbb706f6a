"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from equilag.cli.arguments.converters import OneOf, seconds, whole
from equilag.domain.errors import InputError
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.report.terminal import COLORS, DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH

if TYPE_CHECKING:
    from threading import Event

    from equilag.planner.solving.run_settings import SolveSettings
    from equilag.planner.solving.stage import Watcher

AnyParser = argparse.ArgumentParser | argparse._ArgumentGroup
"""What options are added to."""
STDIN: Final = "-"
RESETS: Final = ("earliest", "latest", "none")
reset: Final = OneOf(RESETS, ignores_case=True)
"""Converts a setting of consumers' ``auto.offset.reset``."""
RESETS_DEFAULT: Final = "latest"
ISOLATION_LEVELS: Final = ("read_uncommitted", "read_committed")
SNAPSHOT_HELP: Final = (
    "the group: JSON (equilag/snapshot/1), plain, gzip or zstd; - reads standard input"
)
RUN_PARAMETERS: Final = (
    "time_limit", "seed", "effort", "deterministic", "assignor", "group", "subscribe", "output",
)  # fmt: skip
PARAMETERS: Final = {
    **{declared.place: declared.option for declared in SETTINGS.values()},
    **{name: f"--{name.replace('_', '-')}" for name in RUN_PARAMETERS},
}
"""Parameter of the library -> the option that sets it."""
MAX_SEED: Final = 2**31
"""The solvers take a signed 32-bit seed."""


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("snapshot", metavar="SNAPSHOT", help=SNAPSHOT_HELP)


def add_run(parser: AnyParser, *, time_limit: float) -> None:
    """How long a plan is searched for, from which seed; `settings_of` reads the options."""
    add_seed(parser)
    parser.add_argument(
        "--time-limit",
        metavar="S",
        type=seconds,
        default=time_limit,
        help=f"planning time in seconds (default: {time_limit:g})",
    )
    parser.add_argument(
        "--effort",
        metavar="S",
        type=seconds,
        help="limit the counted work to about S core-seconds; runs are repeatable",
    )
    parser.add_argument(
        "--deterministic",
        action="store_true",
        help="the same as --effort with half the time limit",
    )


def add_seed(parser: AnyParser) -> None:
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole(MAX_SEED),
        default=0,
        help="seed of the random choices (default: 0)",
    )


def settings_of(args: argparse.Namespace, progress: Watcher, stop: Event) -> SolveSettings:
    """The other settings of a run, from the same options."""
    return {
        "time_limit": args.time_limit,
        "seed": args.seed,
        "effort": args.effort,
        "deterministic": args.deterministic,
        "progress": progress,
        "stop": stop,
    }


def effort_of(args: argparse.Namespace) -> float | None:
    """The limit of counted work that the options ask for; None for no such limit."""
    if args.deterministic and args.effort is None:
        return float(args.time_limit) / 2
    return cast("float | None", args.effort)


def run_settings(args: argparse.Namespace) -> dict[str, Any]:
    """Seed, and effort where it is limited, as in the policy of a plan's JSON."""
    effort = effort_of(args)
    return {"seed": args.seed, **({} if effort is None else {"effort": effort})}


def add_output(parser: AnyParser, json_help: str = "the same as --output json") -> None:
    """``--output`` and ``--json``: what the report is written as; and how text looks."""
    parser.add_argument(
        "--output",
        metavar="O",
        default="text",
        help="what to print: text, json, an installed output, or MODULE:FUNCTION (default: text)",
    )
    parser.add_argument("--json", action="store_const", const="json", dest="output", help=json_help)
    add_screen(parser)


def add_json(parser: AnyParser, json_help: str) -> None:
    """``--json`` of commands that have no other output."""
    parser.add_argument("--json", action="store_true", help=json_help)


def check_output(args: argparse.Namespace) -> None:
    """Raises InputError if there is no such output: before a large file is read for it."""
    from equilag.report.outputs import check_output

    with named():
        check_output(args.output)


def add_plot(parser: AnyParser, what: str) -> None:
    parser.add_argument("--plot", metavar="F", help=f"draw {what} to this file: .svg or .png")


def add_plan_outputs(parser: AnyParser) -> None:
    """Where the commands that make a plan write it."""
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan's JSON to this file")
    add_output(parser)
    parser.add_argument(
        "--verbose", action="store_true", help="show also how the plan was found, and how fast"
    )


@contextmanager
def renamed(option_of: Callable[[str], str]) -> Iterator[None]:
    """Let an InputError name, in place of what it is about, what `option_of` says."""
    try:
        yield
    except InputError as error:
        raise InputError(error.problem, option_of(error.place), error.source) from error


@contextmanager
def named(policy: Policy | None = None) -> Iterator[None]:
    """Errors of the library name its parameters: name the option that sets each instead. Other
    places stay what they are; so does room that the group itself has, if `policy` limits none."""

    def option_of(place: str) -> str:
        name = place.rpartition(".")[2]
        own = policy is not None and policy.max_partitions is None
        if name != "max_partitions":
            return PARAMETERS.get(place, place)
        return place if own else PARAMETERS[name]

    with renamed(option_of):
        yield


def check_assignors(names: Sequence[str]) -> None:
    """Raises InputError for a wrong name: before a large file is read for it."""
    from equilag.heuristics.registry import get_assignor

    with named():
        for name in names:
            get_assignor(name)


def add_compared_assignors(parser: argparse.ArgumentParser) -> None:
    """``--assignor`` of the commands that compare all assignors."""
    parser.add_argument(
        "--assignor",
        action="append",
        default=[],
        metavar="MODULE:ATTRIBUTE",
        help="an assignor of your own to compare as well; can be repeated",
    )


def add_screen(parser: AnyParser) -> None:
    """``--width`` and ``--color``: how a report looks; `deliver.show` reads them."""
    parser.add_argument(
        "--width",
        metavar="N",
        type=columns,
        help=f"columns of the report, {MIN_WIDTH} or more (default: the terminal's, else"
        f" {DEFAULT_WIDTH})",
    )
    parser.add_argument(
        "--color",
        metavar="WHEN",
        type=OneOf(COLORS),
        default=COLORS[0],
        help=f"{', '.join(COLORS)}; auto: on a terminal, unless NO_COLOR or FORCE_COLOR is set"
        f" (default: {COLORS[0]})",
    )


def columns(text: str) -> int:
    """A number of columns that a report fits."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0
    if not MIN_WIDTH <= value <= MAX_WIDTH:
        problem = f"{text!r} is not a whole number from {MIN_WIDTH} to {MAX_WIDTH}"
        raise argparse.ArgumentTypeError(problem)
    return value
