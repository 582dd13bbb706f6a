"""The options of ``equilag fleet``."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import OneOf, duration, seconds, whole
from equilag.cli.arguments.policy_options import add_settings

WEIGHTS: Final = ("work", "lag", "rate", "forecast", "bytes")


def add_fleet_options(parser: argparse.ArgumentParser) -> None:
    """What to read, how to plan, what to spread, and Spark's own settings."""
    source = parser.add_argument_group("what to read (one of three)")
    source.add_argument(
        "--history",
        metavar="DIR",
        help="a directory with offsets/, members/ and perhaps racks/",
    )
    source.add_argument(
        "--offsets",
        metavar="PATH",
        action="append",
        default=[],
        help="offsets: files, directories or patterns of parquet or JSON lines; can be repeated",
    )
    source.add_argument(
        "--members", metavar="PATH", action="append", default=[], help="the same, of memberships"
    )
    source.add_argument(
        "--racks",
        metavar="PATH",
        action="append",
        default=[],
        help="the same, of the racks of partitions; optional",
    )
    source.add_argument(
        "--bootstrap-server", metavar="B", help="a live cluster, through its __consumer_offsets"
    )
    source.add_argument(
        "--command-config", metavar="FILE", help="login and TLS settings, as for Kafka's own tools"
    )
    parser.add_argument("--out", metavar="RUN", help="a new directory for the results")
    options.add_json(parser, "print the summary's JSON instead of the report")
    options.add_screen(parser)
    parser.set_defaults(output="text")
    _add_planning(parser.add_argument_group("how to plan"))
    add_settings(parser, "fleet")
    _add_signals(parser.add_argument_group("what to spread"))
    _add_spark(parser.add_argument_group("Spark"))


def _add_planning(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--rules", metavar="FILE.toml", help="other policies and settings for groups by name"
    )
    group.add_argument(
        "--effort",
        metavar="S",
        type=seconds,
        default=0.1,
        help="counted work per group in core-seconds (default: 0.1)",
    )
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=seconds,
        default=60.0,
        help="longest planning time per group in seconds (default: 60)",
    )
    options.add_seed(group)


def _add_signals(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--weight",
        metavar="W",
        type=OneOf(WEIGHTS),
        help=f"{', '.join(WEIGHTS)} (default: work where rates are known, else lag)",
    )
    group.add_argument(
        "--at",
        metavar="TIME",
        type=moment,
        help="plan as of this time (default: the newest sample)",
    )
    group.add_argument(
        "--window",
        metavar="T",
        type=duration,
        default=3600.0,
        help="measure rates over this time before --at (default: 1h)",
    )
    group.add_argument(
        "--horizon",
        metavar="T",
        type=duration,
        help="how far ahead work and the forecast look (default: 5m and 10m)",
    )
    group.add_argument(
        "--stale-after",
        metavar="T",
        type=duration,
        help="do not plan groups without a sample for this long (default: 10m, or three sampling"
        " intervals if that is more)",
    )
    group.add_argument(
        "--auto-offset-reset",
        metavar="R",
        type=OneOf(options.RESETS),
        default=options.RESETS_DEFAULT,
        help="where consumers start in a partition without a commit: earliest, latest or none"
        " (default: latest)",
    )


def _add_spark(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--master", metavar="URL", help="a Spark cluster (default: this machine's cores)"
    )
    group.add_argument(
        "--driver-memory",
        metavar="M",
        default="4g",
        help="heap of the embedded Spark (default: 4g)",
    )
    group.add_argument(
        "--tasks",
        metavar="N",
        type=whole(),
        help="tasks that the groups are divided into (default: 8 for each core)",
    )
    group.add_argument(
        "--kill-after",
        metavar="T",
        type=duration,
        default=30.0,
        help="end a group's process this long after twice its time limit (default: 30s)",
    )


def moment(text: str) -> int:
    """Milliseconds since 1970, out of themselves or an RFC 3339 time (UTC unless it says)."""
    if text.isdecimal():
        return int(text)
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is neither a time such as 2026-11-21T09:00:00Z nor milliseconds"
        ) from error
    since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1)
