"""Options that several commands share, and the converters of their values."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from equilag.cli.arguments.converters import OneOf
from equilag.cli.arguments.converters import one_of as one_of
from equilag.cli.arguments.converters import pattern as pattern
from equilag.cli.arguments.converters import percent as percent
from equilag.cli.arguments.converters import seconds as seconds
from equilag.cli.arguments.converters import whole as whole
from equilag.cli.arguments.durations import MAX_SHOWN as MAX_SHOWN
from equilag.cli.arguments.durations import duration as duration
from equilag.cli.arguments.screen_options import add_screen
from equilag.domain.errors import InputError
from equilag.domain.policy.policy import (
    BALANCES,
    DEFAULT_HORIZON,
    DEFAULT_TOLERANCE,
    MAX_MOVE_COST,
    POLICIES,
    REAL_FIELDS,
    Policy,
    RealSettings,
)

if TYPE_CHECKING:
    from threading import Event

    from equilag.planner.solving.progress import Watcher
    from equilag.planner.solving.settings import SolveSettings

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
PARAMETERS: Final = {
    name: f"--{name.replace('_', '-')}"
    for name in (
        "policy", "time_limit", "seed", "balance", "move_cost", "tolerance", "max_moves", "fresh",
        "effort", "deterministic", "assignor", "group", "subscribe", "output", *REAL_FIELDS,
    )
}  # fmt: skip
PLANNING_FIELDS: Final = ("weight", "horizon", "add_members")
"""Settings that only commands about one group have options for."""
MAX_SEED: Final = 2**31
"""The solvers take a signed 32-bit seed."""


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("snapshot", metavar="SNAPSHOT", help=SNAPSHOT_HELP)


def add_planning(
    parser: AnyParser, *, time_limit: float, tolerance: float = DEFAULT_TOLERANCE
) -> None:
    """What a plan aims at, within which limits: the options of `plan`, `compare`, `frontier`.

    `policy_of` and `settings_of` read them.
    """
    add_goals(parser, tolerance=tolerance)
    parser.add_argument(
        "--max-moves",
        metavar="N",
        type=whole(),
        help="move at most N partitions (default: no limit)",
    )
    parser.add_argument("--fresh", action="store_true", help="plan as if no partition had an owner")
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
        help="limit the work to about S seconds' worth, counted, so that a run can be repeated"
        " exactly",
    )
    parser.add_argument(
        "--deterministic",
        action="store_true",
        help="the same as --effort with half the time limit",
    )


def policy_of(args: argparse.Namespace) -> Policy:
    """The policy that the options of `add_planning` and `add_real` ask for. Raises InputError."""
    with named():
        return Policy(
            args.policy,
            args.balance,
            args.move_cost,
            args.tolerance,
            args.max_moves,
            args.fresh,
            **planning_settings(args),
        )


def real_settings(args: argparse.Namespace) -> RealSettings:
    """The settings that the options of `real_options.add_real` ask for, not checked yet."""
    names = (name for name in REAL_FIELDS if name not in PLANNING_FIELDS)
    return cast(RealSettings, {name: getattr(args, name) for name in names})


def planning_settings(args: argparse.Namespace) -> RealSettings:
    """The same, and what the options of `real_options.add_weight` ask for."""
    settings = real_settings(args)
    settings["add_members"] = args.add_members
    settings["weight"] = args.weight
    settings["horizon"] = DEFAULT_HORIZON if args.horizon is None else args.horizon
    return settings


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


def add_goals(parser: AnyParser, *, tolerance: float = DEFAULT_TOLERANCE) -> None:
    """``--policy`` and the settings on top of it, and ``--seed``."""
    parser.add_argument(
        "--policy",
        metavar="P",
        type=one_of(POLICIES),
        default=POLICIES[0],
        help=f"{', '.join(POLICIES)} (default: {POLICIES[0]})",
    )
    add_balance(parser)
    parser.add_argument(
        "--move-cost",
        metavar="LAG",
        type=whole(MAX_MOVE_COST),
        default=0,
        help="records of lag spread that each move must save; with capacities, records at a member"
        " of the largest one (default: 0)",
    )
    parser.add_argument(
        "--tolerance",
        metavar="PERCENT",
        type=percent,
        default=tolerance,
        help="lag spread accepted above the best, if that saves moves, in percent of the mean load"
        f" (default: {tolerance:g})",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole(MAX_SEED),
        default=0,
        help="seed of the random choices (default: 0)",
    )


def add_balance(parser: AnyParser) -> None:
    parser.add_argument(
        "--balance",
        metavar="B",
        type=one_of(BALANCES),
        help=f"which counts are even: {', '.join(BALANCES)} (default: the policy's own)",
    )


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


def check_output(args: argparse.Namespace) -> None:
    """Raises InputError if there is no such output: before a large file is read for it."""
    from equilag.report.outputs import check_output

    with named():
        check_output(args.output)


def add_plan_outputs(parser: AnyParser) -> None:
    """Where the commands that make a plan write it."""
    parser.add_argument("--out", metavar="PLAN.json", help="write the plan's JSON to this file")
    add_output(parser, "print the plan's JSON; the same as --output json")
    parser.add_argument(
        "--verbose", action="store_true", help="show also how the plan was found, and how fast"
    )


@contextmanager
def named(policy: Policy | None = None) -> Iterator[None]:
    """Errors of the library name its parameters: name the option that sets each instead. Other
    places stay what they are; so does room that the group itself has, if `policy` limits none."""
    try:
        yield
    except InputError as error:
        name = error.place.rpartition(".")[2]
        own = policy is not None and policy.overrides.max_partitions is None
        if name != "max_partitions":
            place = PARAMETERS.get(error.place, error.place)
        else:
            place = error.place if own else PARAMETERS[name]
        raise InputError(error.problem, place, error.source) from error


def add_compared_assignors(parser: argparse.ArgumentParser) -> None:
    """``--assignor`` of the commands that compare all assignors."""
    parser.add_argument(
        "--assignor",
        action="append",
        default=[],
        metavar="MODULE:ATTRIBUTE",
        help="an assignor of your own to compare as well; can be repeated",
    )
