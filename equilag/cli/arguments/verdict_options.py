"""The options that say from where on something is wrong with a group."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import duration, percent, whole
from equilag.cli.arguments.options import AnyParser, Option

if TYPE_CHECKING:
    from equilag.planner.diagnosis.judged_plan import VerdictLimits

GAINS: Final = (
    Option("--gain", "PERCENT", "minimum relief of the most relieved member, in percent of a fair"
           " share (default: 10)", percent, 10.0),
    Option("--min-gain", "RECORDS", "minimum relief in records besides (default: what a member gets"
           " in a second, or 1000 where no rate is known)", whole()),
)  # fmt: skip
BEHIND: Final = (
    Option("--min-lag", "RECORDS", "lag per partition that is much, where no rate is known"
           " (default: 10000)", whole(), 10_000),
    Option("--behind", "T", "lag that is much, in time of production (default: 1m)", duration,
           60.0),
)  # fmt: skip


def add_verdict(parser: AnyParser) -> None:
    options.add(parser, *GAINS, *BEHIND)


def limits_of(args: argparse.Namespace) -> VerdictLimits:
    """What the options say."""
    from equilag.planner.diagnosis.judged_plan import VerdictLimits
    from equilag.planner.worth.thresholds import Thresholds

    thresholds = Thresholds(args.gain, min_gain=args.min_gain)
    return VerdictLimits(thresholds, args.min_lag, args.behind)
