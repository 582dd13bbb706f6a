"""``equilag fleet``: every group of a history planned on Spark, and what came of it."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import ANY_CLUSTER, RESET, client_settings
from equilag.cli.arguments.conversions import OneOf, duration, seconds, whole
from equilag.cli.arguments.files import naming, read_file
from equilag.cli.arguments.metrics_source import METRICS_NOW, moment, server_of
from equilag.cli.arguments.options import Option, Titled
from equilag.cli.arguments.policy_options import policy_of, settings_options
from equilag.cli.commands import fleet_results
from equilag.cli.group_command import CliCommand
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import deliver, emit
from equilag.cli.stop_signals import handled
from equilag.domain.errors import InputError
from equilag.report.outputs import to_json

WEIGHTS: Final = ("work", "lag", "rate", "forecast", "bytes")


TERMINATED: Final = 143
"""What a shell reports for a program that SIGTERM ended."""
FORECAST_S: Final = 600.0
"""Seconds that the forecast looks ahead unless told: long enough for lags to change."""


def run(args: argparse.Namespace) -> int:
    with TemporaryDirectory() as folder:
        return _run(args, folder)


def _run(args: argparse.Namespace, folder: str) -> int:
    """`folder` is for a history out of metrics."""
    # Work is the default where a group has rates.
    weight = args.weight if args.weight in ("work", "lag") else None
    policy = policy_of(args, "fleet", weight=weight, horizon=args.horizon)
    offsets, members, racks = _sources(args, folder)
    if args.out is None:
        raise InputError("--out is required: a new directory for the results")

    from equilag.pipeline.session import check_spark

    check_spark()
    from equilag.pipeline.fleet_options import FleetOptions, GroupSettings, Rules, read_rules
    from equilag.pipeline.job import run_fleet

    default = GroupSettings(policy, args.effort, args.time_limit, args.seed)
    rules = Rules(default)
    if args.rules is not None:
        text = read_file(args.rules)
        with naming(args.rules):
            rules = read_rules(text, default)
    chosen = FleetOptions(
        out=args.out,
        rules=rules,
        offsets=offsets,
        members=members,
        racks=racks,
        bootstrap=args.bootstrap_server,
        client=client_settings(args),
        at=args.at,
        window=_ms(args.window),
        horizon=_ms(FORECAST_S if args.horizon is None else args.horizon),
        stale=None if args.stale_after is None else _ms(args.stale_after),
        weight=args.weight,
        reset=args.auto_offset_reset,
        tasks=args.tasks,
        kill_after=args.kill_after,
        limits=options.limits_of(args),
    )
    with _one_line_only(), ProgressLine() as line:
        summary = run_fleet(
            chosen,
            master=args.master,
            memory=args.driver_memory,
            watcher=lambda stage, done, total: line.show(
                f"{stage} {done}/{total} tasks" if total else f"{stage} …", done, total
            ),
        )
    from equilag.pipeline.results.fleet_report import load_fleet
    from equilag.report.reports.fleet import FleetReport

    report = FleetReport(load_fleet(args.out), fleet_results.TOP)
    fleet_results.textfile(report.run, args)
    if args.json:
        emit(to_json(summary))
    else:
        deliver(report, args)
    return 0


@contextmanager
def _one_line_only() -> Iterator[None]:
    """Turn off logging, since PySpark logs tracebacks of what it raises; and end a run on SIGTERM
    as on Ctrl-C, so that it is cleaned up."""
    with handled(lambda *_: sys.exit(TERMINATED), signal.SIGTERM):
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def _sources(args: argparse.Namespace, folder: str) -> tuple[tuple[str, ...], ...]:
    """Files of offsets, members and racks; none for a live cluster. What is read of metrics is
    written to the folder. Raises InputError."""
    files = bool(args.offsets or args.members or args.racks)
    given = [bool(args.history), files, bool(args.prometheus), bool(args.bootstrap_server)]
    if sum(given) != 1:
        raise InputError(
            "give exactly one of --history, --offsets with --members, --prometheus and"
            " --bootstrap-server (see equilag fleet --help)"
        )
    if args.prometheus:
        from equilag.pipeline.results.rounds import record_metrics

        at = None if args.at is None else args.at / 1000
        record_metrics(server_of(args).read(at, args.window, args.selector or ""), folder)
        return (f"{folder}/offsets",), (f"{folder}/members",), ()
    if args.history:
        from pathlib import Path

        base = Path(args.history)
        if not base.is_dir():
            raise InputError("cannot be read: no such directory", source=args.history)
        racks = base / "racks"
        found = (str(racks),) if racks.is_dir() and any(racks.iterdir()) else ()
        return (str(base / "offsets"),), (str(base / "members"),), found
    if files and not (args.offsets and args.members):
        missing = "--members" if args.offsets else "--offsets"
        raise InputError(f"{missing} is required as well")
    return tuple(args.offsets), tuple(args.members), tuple(args.racks)


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


FLEET: Final = CliCommand(
    "fleet",
    "plans for every group of a history or of a cluster, on Spark",
    """\
Plans every consumer group of a history of offsets and memberships (recorded by
equilag collect, or made by you) or of a live cluster, each with its proof, and
compares every assignor on all of them. Needs Java 17 and the extra
equilag[spark]; docs/fleet.md describes tables, figures and clusters.""",
    """\
of a finished run:
  equilag fleet show RUN             the worst groups, the assignors compared
  equilag fleet report RUN --out F   the same and all groups, as a page
  equilag fleet export RUN GROUP     a group's snapshot and plan as files

examples:
  equilag fleet --history history --out run-1
  equilag fleet --bootstrap-server kafka:9092 --out run-2
  equilag fleet --history history --rules rules.toml --out run-3""",
    run,
    (
        Titled("what to read (one of four)", (
            Option("--history", "DIR", "a directory with offsets/, members/ and perhaps racks/",
                   is_source=True),
            Option("--offsets", "PATH", "offsets: files, directories or patterns of parquet or JSON"
                   " lines; can be repeated", repeats=True, is_source=True),
            Option("--members", "PATH", "the same, of memberships", repeats=True, is_source=True),
            Option("--racks", "PATH", "the same, of the racks of partitions; optional",
                   repeats=True, is_source=True),
            *METRICS_NOW,
            *ANY_CLUSTER,
        )),
        Option("--out", "RUN", "a new directory for the results"),
        fleet_results.TEXTFILE,
        Option("--json", "", "print the summary's JSON instead of the report"),
        *options.SCREEN,
        Titled("how to plan", (
            Option("--rules", "FILE.toml", "other policies and settings for groups by name"),
            Option("--effort", "S", "counted work per group in core-seconds", seconds, 0.1),
            Option("--time-limit", "S", "longest planning time per group in seconds", seconds,
                   60.0),
            options.SEED,
            *options.LIMITS,
        )),
        *settings_options("fleet"),
        Titled("what to spread", (
            Option("--weight", "W", f"{', '.join(WEIGHTS)} (default: work where rates are known,"
                   " else lag)", OneOf(WEIGHTS)),
            Option("--at", "TIME", "plan as of this time (default: the newest sample)", moment),
            Option("--window", "T", "measure rates over this time before --at", duration, 3600.0),
            Option("--horizon", "T", "how far ahead work and the forecast look (default: 5m and"
                   " 10m)", duration),
            Option("--stale-after", "T", "do not plan groups without a sample for this long"
                   " (default: 10m, or three sampling intervals if that is more)", duration),
            RESET._replace(needs=()),
        )),
        Titled("Spark", (
            Option("--master", "URL", "a Spark cluster (default: this machine's cores)"),
            Option("--driver-memory", "M", "heap of the embedded Spark", default="4g"),
            Option("--tasks", "N", "tasks that the groups are divided into (default: 8 for each"
                   " core)", whole()),
            Option("--kill-after", "T", "end a group's process this long after twice its time"
                   " limit", duration, 30.0),
        )),
    ),
    (fleet_results.SHOW, fleet_results.REPORT, fleet_results.EXPORT),
)  # fmt: skip
