"""Options of `equilag steward`: what to balance and keep together, when to rebalance."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments.converters import OneOf, duration, percent, whole
from equilag.domain.errors import InputError

if TYPE_CHECKING:
    from equilag.live.rebalance.kept_together import CoPartitionMode
    from equilag.planner.worth.thresholds import Thresholds

LIVE_WEIGHTS: Final = ("work", "lag", "rate")
"""What a live group can balance; its topics have no weights of their own."""
CO_PARTITION: Final = (
    "give partition i of all these topics to one member, for joins; can be repeated; auto: topics"
    " that seem to be joined; none: no lists (default: auto)"
)
"""Help of ``--co-partition``: lists of topics, ``auto`` or ``none``."""


def add_weight(group: argparse._ArgumentGroup, horizon_s: float) -> None:
    """Add what is balanced; `horizon_s` is the default of `--horizon`."""
    group.add_argument(
        "--weight",
        metavar="W",
        type=OneOf(LIVE_WEIGHTS),
        default=LIVE_WEIGHTS[0],
        help="what to balance per member's speed; work: lag + rate x horizon; lag; rate: records"
        " produced per second (default: work)",
    )
    group.add_argument(
        "--horizon",
        metavar="T",
        type=duration,
        default=horizon_s,
        help=f"how far ahead work looks (default: {horizon_s:g}s)",
    )


def add_thresholds(group: argparse._ArgumentGroup) -> None:
    """Add when a rebalance is worth it."""
    group.add_argument(
        "--gain",
        metavar="PERCENT",
        type=percent,
        default=10.0,
        help="minimum relief of the most relieved member, in percent of a fair share (default: 10)",
    )
    group.add_argument(
        "--gain-delay",
        metavar="T",
        type=duration,
        default=60.0,
        help="the same relief in time of work; either is enough (default: 1m)",
    )
    group.add_argument(
        "--confirm",
        metavar="N",
        type=whole(),
        default=2,
        help="consecutive observations that must agree (default: 2)",
    )
    group.add_argument(
        "--cooldown",
        metavar="T",
        type=duration,
        default=30.0,
        help="minimum time between two rebalances that it starts; doubles when one does not help,"
        " halves when one does (default: 30s)",
    )
    group.add_argument(
        "--moves-per-hour",
        metavar="N",
        type=whole(),
        help="maximum moves per hour in the rebalances that it starts (default: ten times the"
        " partitions)",
    )
    group.add_argument(
        "--every",
        metavar="T",
        type=duration,
        default=5.0,
        help="time between two observations of the group (default: 5s)",
    )


def thresholds_of(args: argparse.Namespace) -> Thresholds:
    """Return the thresholds that the options ask for. Raises InputError."""
    from equilag.planner.worth.thresholds import Thresholds

    if args.confirm < 1:
        raise InputError("must be at least 1", "--confirm")
    return Thresholds(args.gain, args.gain_delay, args.confirm, args.cooldown, args.moves_per_hour)


def co_partition_mode(args: argparse.Namespace) -> CoPartitionMode:
    """What is kept together besides the lists that are left in `args`. Raises InputError."""
    from equilag.live.rebalance.kept_together import CO_PARTITION_MODES

    given = args.co_partition or ["auto"]
    for mode in CO_PARTITION_MODES:
        if mode in given:
            if len(given) > 1:
                raise InputError(f"{mode} does not go with another value", "--co-partition")
            args.co_partition = None
            return mode
    return "none"
