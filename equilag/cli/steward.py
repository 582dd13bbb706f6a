"""``equilag steward``: leads a live classic group and hands out plans."""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from equilag.cli import options
from equilag.cli.cluster import add_cluster, add_reading, client_settings
from equilag.cli.screen import emit, remark
from equilag.cli.steward_log import logging_to_stderr
from equilag.errors import InputError, MissingExtra
from equilag.policy import Policy

if TYPE_CHECKING:
    from equilag.live.steward.steward_options import StewardOptions

NAME: Final = "steward"
HELP: Final = "leads a live group from outside and hands it plans"
DESCRIPTION: Final = """\
Joins a classic consumer group as a member without topics and, as its leader,
hands equilag's plans to the other members, which need not be changed. Start it
before the members, or let it take over. It rebalances the group by itself only
where that is worth it. docs/live.md is the guide."""
EPILOG: Final = """\
It needs the rights Read on the group and Describe on its topics. SIGTERM makes
it leave: the members go on with their own assignor.

example:
  equilag steward --bootstrap-server kafka:9092 --group orders --dry-run
  equilag steward --bootstrap-server kafka:9092 --group orders"""

LISTEN: Final = "127.0.0.1:9478"
_ASK_S: Final = 5.0


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser, required=False)
    parser.add_argument("--group", metavar="G", help="the group to lead")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="join nothing; only say when it would rebalance, and what that would have gained",
    )
    parser.add_argument(
        "--take-over",
        action="store_true",
        help="if another member leads, remove all others from the group once, which join again"
        " at once",
    )
    parser.add_argument(
        "--status", action="store_true", help="ask a running steward at --listen how it is"
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        type=address,
        default=LISTEN,
        help=f"/metrics, /healthz and /status; {LISTEN} unless told",
    )
    _add_worth(parser.add_argument_group("when to rebalance"))
    _add_planning(parser.add_argument_group("how to plan"))
    _add_membership(parser.add_argument_group("membership"))


def _add_worth(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--gain",
        metavar="PERCENT",
        type=options.percent,
        default=20.0,
        help="lag spread that a plan must save, in percent of the mean per member; 20 unless told",
    )
    group.add_argument(
        "--gain-records",
        metavar="N",
        type=options.whole(),
        default=1000,
        help="and in records; 1000 unless told",
    )
    group.add_argument(
        "--gain-per-move",
        metavar="N",
        type=options.whole(),
        default=0,
        help="and in records for each partition that moves; 0 unless told",
    )
    group.add_argument(
        "--confirm",
        metavar="N",
        type=options.whole(),
        default=3,
        help="looks in a row that must say so; 3 unless told",
    )
    group.add_argument(
        "--min-interval",
        metavar="T",
        type=options.duration,
        default=300.0,
        help="from one of its rebalances to the next; 5m unless told",
    )
    group.add_argument(
        "--every",
        metavar="T",
        type=options.duration,
        default=10.0,
        help="from one look at the group to the next; 10s unless told",
    )


def _add_planning(group: argparse._ArgumentGroup) -> None:
    options.add_goals(group, tolerance=5.0)
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=options.seconds,
        default=5.0,
        help="seconds for a plan made ahead of time; 5 unless told",
    )
    group.add_argument(
        "--rebalance-limit",
        metavar="S",
        type=options.seconds,
        default=1.0,
        help="seconds for a plan that the group waits for, at most a quarter of the session;"
        " 1 unless told",
    )
    add_reading(group)


def _add_membership(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--instance-id",
        metavar="ID",
        default="equilag-steward",
        help="its group.instance.id; a second steward with the same one takes its place,"
        " one with another waits behind it",
    )
    group.add_argument(
        "--session-timeout",
        metavar="T",
        type=options.duration,
        default=10.0,
        help="how long the group waits for it when it dies; 10s unless told",
    )
    group.add_argument(
        "--keep-membership",
        "--keep-seat",
        action="store_true",
        help="on SIGTERM do not leave the group, so that one that is started again within the"
        " session still leads",
    )
    group.add_argument(
        "--protocol",
        metavar="NAME",
        action="append",
        default=[],
        help="an assignor's name that the members have, besides those that come with Kafka's"
        " clients; may be given several times",
    )


def address(text: str) -> tuple[str, int]:
    """A host and a port out of ``HOST:PORT``."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form HOST:PORT")
    return host.strip("[]"), int(port)


def run(args: argparse.Namespace) -> int:
    if args.status:
        return _status(args.listen)
    for value, option in ((args.bootstrap_server, "--bootstrap-server"), (args.group, "--group")):
        if not value:
            raise InputError("is due (see equilag steward --help)", option)
    if not args.instance_id:
        raise InputError("empty, where an id is due", "--instance-id")
    if not all(args.protocol):
        raise InputError("empty, where a name is due", "--protocol")
    if args.dry_run and args.take_over:
        raise InputError("a dry run joins nothing", "--take-over")
    if args.confirm < 1:
        raise InputError("0, where at least one look is due", "--confirm")

    from equilag.adapters.kafka.client_config import kafka_config

    try:
        from equilag.live.steward.http_server import serve
        from equilag.live.steward.steward import Steward
    except ImportError as error:
        raise MissingExtra(
            f"the steward needs {error.name}: pip install 'equilag[steward]'"
        ) from error
    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))
    with logging_to_stderr():
        steward = Steward(config, _options(args))
        server = serve(steward.state, *args.listen)
        try:
            with _ended_by_signals(steward.end):
                steward.run()
        finally:
            server.shutdown()
            server.server_close()
    return 0


def _options(args: argparse.Namespace) -> StewardOptions:
    from equilag.live.rebalance.gain import Thresholds
    from equilag.live.steward.assignments import BUILT_IN
    from equilag.live.steward.steward_options import StewardOptions

    with options.named():
        policy = Policy.of(args.policy, args.balance, args.move_cost, args.tolerance)
    return StewardOptions(
        group=args.group,
        instance=args.instance_id,
        protocols=(*dict.fromkeys([*args.protocol, *BUILT_IN]),),
        policy=policy,
        thresholds=Thresholds(
            args.gain, args.gain_records, args.gain_per_move, args.confirm, args.min_interval
        ),
        session=args.session_timeout,
        observe_every=args.every,
        plan_limit=args.time_limit,
        rebalance_limit=args.rebalance_limit,
        seed=args.seed,
        reset=args.auto_offset_reset or options.RESETS_DEFAULT,
        isolation=args.isolation_level or options.ISOLATION_LEVELS[0],
        dry_run=args.dry_run,
        take_over=args.take_over,
        keep_membership=args.keep_membership,
    )


@contextmanager
def _ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Call `end` on SIGINT and SIGTERM."""
    before = {
        which: signal.signal(which, lambda *_: end()) for which in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


def _status(where: tuple[str, int]) -> int:
    """Print what a running steward says of itself; 1 if it is not healthy."""
    from urllib.error import URLError
    from urllib.request import urlopen

    host, port = where
    shown = f"[{host}]" if ":" in host else host
    try:
        with urlopen(f"http://{shown}:{port}/status", timeout=_ASK_S) as answer:
            told = json.load(answer)
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise InputError(f"no steward answers at {host}:{port}: {reason}", "--listen") from error
    counters = told.pop("counters", {})
    width = max(map(len, [*told, *counters]), default=0)
    lines = [f"{name:<{width}}  {_cell(value)}" for name, value in told.items()]
    lines += [f"{name:<{width}}  {value}" for name, value in sorted(counters.items())]
    emit("\n".join(lines) + "\n")
    if not told.get("healthy"):
        remark(f"not healthy: {told.get('problem')}")
        return 1
    return 0


def _cell(value: object) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value)
