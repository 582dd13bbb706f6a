"""The options of ``equilag fleet``."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.converters import OneOf, duration, seconds, whole, wrong
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings

WEIGHTS: Final = ("work", "lag", "rate", "forecast", "bytes")


def moment(text: str) -> int:
    """Milliseconds since 1970, out of themselves or an RFC 3339 time (UTC unless it says)."""
    try:
        if text.isdecimal():
            return int(text)
        when = datetime.fromisoformat(text)
    except ValueError as error:
        raise wrong(text, "neither a time such as 2026-11-21T09:00:00Z nor milliseconds") from error
    since = (when if when.tzinfo else when.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1)


SOURCE: Final = (
    Option("--history", "DIR", "a directory with offsets/, members/ and perhaps racks/"),
    Option("--offsets", "PATH", "offsets: files, directories or patterns of parquet or JSON lines;"
           " can be repeated", repeats=True),
    Option("--members", "PATH", "the same, of memberships", repeats=True),
    Option("--racks", "PATH", "the same, of the racks of partitions; optional", repeats=True),
    Option("--bootstrap-server", "B", "a live cluster, through its __consumer_offsets"),
    Option("--command-config", "FILE", "login and TLS settings, as for Kafka's own tools"),
)  # fmt: skip
PLANNING: Final = (
    Option("--rules", "FILE.toml", "other policies and settings for groups by name"),
    Option("--effort", "S", "counted work per group in core-seconds (default: 0.1)", seconds, 0.1),
    Option("--time-limit", "S", "longest planning time per group in seconds (default: 60)", seconds,
           60.0),
    options.SEED,
)  # fmt: skip
SIGNALS: Final = (
    Option("--weight", "W", f"{', '.join(WEIGHTS)} (default: work where rates are known, else lag)",
           OneOf(WEIGHTS)),
    Option("--at", "TIME", "plan as of this time (default: the newest sample)", moment),
    Option("--window", "T", "measure rates over this time before --at (default: 1h)",
           duration, 3600.0),
    Option("--horizon", "T", "how far ahead work and the forecast look (default: 5m and 10m)",
           duration),
    Option("--stale-after", "T", "do not plan groups without a sample for this long (default: 10m,"
           " or three sampling intervals if that is more)", duration),
    Option("--auto-offset-reset", "R", "where consumers start in a partition without a commit:"
           " earliest, latest or none (default: latest)",
           OneOf(options.RESETS), options.RESETS_DEFAULT),
)  # fmt: skip
SPARK: Final = (
    Option("--master", "URL", "a Spark cluster (default: this machine's cores)"),
    Option("--driver-memory", "M", "heap of the embedded Spark (default: 4g)", default="4g"),
    Option("--tasks", "N", "tasks that the groups are divided into (default: 8 for each core)",
           whole()),
    Option("--kill-after", "T", "end a group's process this long after twice its time limit"
           " (default: 30s)", duration, 30.0),
)  # fmt: skip


def add_fleet_options(parser: argparse.ArgumentParser) -> None:
    """What to read, how to plan, what to spread, and Spark's own settings."""
    options.add(parser.add_argument_group("what to read (one of three)"), *SOURCE)
    options.add(parser, Option("--out", "RUN", "a new directory for the results"))
    options.add_json(parser, "print the summary's JSON instead of the report")
    options.add_screen(parser)
    parser.set_defaults(output="text")
    options.add(parser.add_argument_group("how to plan"), *PLANNING)
    add_settings(parser, "fleet")
    options.add(parser.add_argument_group("what to spread"), *SIGNALS)
    options.add(parser.add_argument_group("Spark"), *SPARK)
