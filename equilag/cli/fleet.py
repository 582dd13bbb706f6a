"""``equilag fleet``: every group of a history planned on Spark, and what came of it."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

from equilag.cli import fleet_export, fleet_show, options
from equilag.cli.cluster import client_settings
from equilag.cli.files import naming, read_file, to_json
from equilag.cli.screen import ProgressLine, emit, style_of
from equilag.errors import InputError
from equilag.policy import POLICIES, Policy

NAME: Final = "fleet"
HELP: Final = "plans for every group of a history or of a cluster, on Spark"
DESCRIPTION: Final = """\
Plans every consumer group of a history of offsets and memberships (recorded by
equilag collect, or of your own making) or of a live cluster, each with its
proof, and compares every assignor on all of them. Needs Java 17 and the extra
equilag[spark]; docs/fleet.md describes tables, figures and clusters."""
EPILOG: Final = """\
of a finished run:
  equilag fleet show RUN             the worst groups, the assignors compared
  equilag fleet export RUN GROUP     a group's snapshot and plan as files

examples:
  equilag fleet --history history --out run-1
  equilag fleet --bootstrap-server kafka:9092 --out run-2
  equilag fleet --history history --rules rules.toml --out run-3"""

TERMINATED: Final = 143
"""What a shell reports for a program that SIGTERM ended."""
WEIGHTS: Final = ("lag", "rate", "forecast", "bytes")
RESETS: Final = ("latest", "earliest", "none")
PLACES: Final = {
    "weight": "--weight",
    "at": "--at",
    "window": "--window",
    "horizon": "--horizon",
    "tasks": "--tasks",
    "auto_offset_reset": "--auto-offset-reset",
}


def configure(parser: argparse.ArgumentParser) -> None:
    source = parser.add_argument_group("what to read (one of three)")
    source.add_argument("--history", metavar="DIR", help="a directory with offsets/ and members/")
    source.add_argument(
        "--offsets",
        metavar="PATH",
        action="append",
        default=[],
        help="files, directories or patterns of parquet or JSON lines; may be given again",
    )
    source.add_argument(
        "--members", metavar="PATH", action="append", default=[], help="the same for memberships"
    )
    source.add_argument(
        "--bootstrap-server", metavar="B", help="a live cluster, through its __consumer_offsets"
    )
    source.add_argument(
        "--command-config", metavar="FILE", help="how to log in, as for Kafka's own tools"
    )
    parser.add_argument("--out", metavar="RUN", help="a new directory for what comes out")
    parser.add_argument(
        "--json", action="store_true", help="the summary's JSON instead of the report"
    )
    _configure_planning(parser.add_argument_group("how to plan"))
    _configure_signals(parser.add_argument_group("what to spread"))
    _configure_spark(parser.add_argument_group("Spark"))
    commands = parser.add_subparsers(metavar="show | export", parser_class=type(parser))
    for module in (fleet_show, fleet_export):
        command = commands.add_parser(
            module.NAME, help=module.HELP, description=module.DESCRIPTION, epilog=module.EPILOG
        )
        module.configure(command)
        command.set_defaults(run=module.run)


def _configure_planning(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--policy",
        metavar="P",
        type=options.one_of(POLICIES),
        default=POLICIES[0],
        help=f"{', '.join(POLICIES)}; the first unless told",
    )
    group.add_argument(
        "--rules", metavar="FILE.toml", help="other policies and settings for groups by name"
    )
    group.add_argument(
        "--effort",
        metavar="S",
        type=options.seconds,
        default=0.1,
        help="seconds' worth of counted work per group, 0.1 unless told",
    )
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=options.seconds,
        default=60.0,
        help="seconds of clock per group, as a wall behind the effort; 60 unless told",
    )
    group.add_argument(
        "--seed", metavar="N", type=options.whole(options.MAX_SEED), default=0, help="0 unless told"
    )


def _configure_signals(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--weight",
        metavar="W",
        type=options.one_of(WEIGHTS),
        default=WEIGHTS[0],
        help=f"{', '.join(WEIGHTS)}; the first unless told",
    )
    group.add_argument(
        "--at", metavar="TIME", type=moment, help="plan as of then; the newest sample unless told"
    )
    group.add_argument(
        "--window",
        metavar="T",
        type=options.duration,
        default=3600.0,
        help="the time before that over which rates are taken; 1h unless told",
    )
    group.add_argument(
        "--horizon",
        metavar="T",
        type=options.duration,
        default=600.0,
        help="how far ahead the forecast looks; 10m unless told",
    )
    group.add_argument(
        "--stale-after",
        metavar="T",
        type=options.duration,
        help="groups not sampled for so long are not planned; unless told 10m, or three times"
        " their sampling interval if that is more",
    )
    group.add_argument(
        "--auto-offset-reset",
        metavar="R",
        type=options.one_of(RESETS),
        default=RESETS[0],
        help="what a partition without a commit counts as: latest (unless told), earliest or none",
    )


def _configure_spark(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--master", metavar="URL", help="a cluster; this machine's cores unless told"
    )
    group.add_argument(
        "--driver-memory",
        metavar="M",
        default="4g",
        help="heap of the embedded Spark, 4g unless told",
    )
    group.add_argument(
        "--tasks",
        metavar="N",
        type=options.whole(),
        default=64,
        help="bins of groups, 64 unless told",
    )
    group.add_argument(
        "--kill-after",
        metavar="T",
        type=options.duration,
        default=30.0,
        help="past twice its time limit, when a group that hangs is given up; 30s unless told",
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


def run(args: argparse.Namespace) -> int:
    offsets, members = _sources(args)
    if args.out is None:
        raise InputError("there must be a directory for what comes out", "--out")

    from equilag.pipeline.session import check_spark

    check_spark()

    from equilag.pipeline.fleet_options import FleetOptions
    from equilag.pipeline.job import run_fleet
    from equilag.pipeline.rules import GroupSettings, Rules, read_rules

    default = GroupSettings(Policy.of(args.policy), args.effort, args.time_limit, args.seed)
    rules = Rules(default)
    if args.rules is not None:
        text = read_file(args.rules)
        with naming(args.rules):
            rules = read_rules(text, default)
    try:
        chosen = FleetOptions(
            out=args.out,
            rules=rules,
            offsets=offsets,
            members=members,
            bootstrap=args.bootstrap_server,
            client=client_settings(args.command_config),
            at=args.at,
            window=_ms(args.window),
            horizon=_ms(args.horizon),
            stale=None if args.stale_after is None else _ms(args.stale_after),
            weight=args.weight,
            reset=args.auto_offset_reset,
            tasks=args.tasks,
            kill_after=args.kill_after,
        )
        with _one_line_only(), ProgressLine() as line:
            summary = run_fleet(
                chosen,
                master=args.master,
                memory=args.driver_memory,
                watcher=lambda *stage: line.say(bar, *stage),
            )
    except InputError as error:
        place = PLACES.get(error.place, error.place)
        raise InputError(error.problem, place, error.source) from error
    if args.json:
        emit(to_json(summary, 0))
        return 0

    from equilag.cli.render_fleet import render_fleet
    from equilag.pipeline.fleet_report import read_report

    emit(render_fleet(read_report(args.out), style_of(sys.stdout)))
    return 0


@contextmanager
def _one_line_only() -> Iterator[None]:
    """PySpark logs what it raises as well, tracebacks and all; and a run that is ended by SIGTERM
    is tidied up like one that is interrupted."""
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
        signal.signal(signal.SIGTERM, before)


def _sources(args: argparse.Namespace) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files of offsets and of members; none for a live cluster. Raises InputError."""
    files = bool(args.offsets or args.members)
    given = [bool(args.history), files, bool(args.bootstrap_server)]
    if sum(given) != 1:
        raise InputError(
            "there must be exactly one of --history, --offsets with --members and"
            " --bootstrap-server (see equilag fleet --help)"
        )
    if args.command_config and not args.bootstrap_server:
        raise InputError("is of no use without --bootstrap-server", "--command-config")
    if args.history:
        from pathlib import Path

        base = Path(args.history)
        if not base.is_dir():
            raise InputError("cannot be read: no such directory", source=args.history)
        return (str(base / "offsets"),), (str(base / "members"),)
    if files and not (args.offsets and args.members):
        missing = "--members" if args.offsets else "--offsets"
        raise InputError("has to be there as well", missing)
    return tuple(args.offsets), tuple(args.members)


def _ms(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def bar(stage: object, done: object, total: object) -> str:
    """One line about where a run is."""
    assert isinstance(done, int) and isinstance(total, int)
    if not total:
        return f"{stage} …"
    full = 20 * done // total
    return f"{stage:<9} [{'#' * full}{'.' * (20 - full)}] {done}/{total} tasks"
