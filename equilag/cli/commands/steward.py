"""``equilag steward``: leads a live classic group and assigns equilag's plans."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import add_cluster, add_reading, client_settings
from equilag.cli.arguments.converters import duration, number_from
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.steward_thresholds import (
    CO_PARTITION,
    add_thresholds,
    add_weight,
    co_partition_mode,
    thresholds_of,
)
from equilag.cli.screen import remark
from equilag.cli.steward_status import logging_to_stderr, show_status
from equilag.cli.stop_signals import handled
from equilag.domain.errors import InputError, MissingExtra
from equilag.live.rebalance.live_policy import LIVE_DEFAULTS, LIVE_HORIZON_S

if TYPE_CHECKING:
    from equilag.live.steward.steward_options import StewardOptions

NAME: Final = "steward"
HELP: Final = "lead a live group from outside and assign equilag's plans"
DESCRIPTION: Final = """\
Joins a classic consumer group as a member without topics. As the group's leader
it assigns partitions by equilag's plans; the other members need no change.
Start it before the members, or use --take-over. It starts a rebalance only if
the gain is worth it. docs/live.md is the guide."""
EPILOG: Final = """\
It needs READ on the group and DESCRIBE on its topics. On SIGTERM it leaves, and
the members go on with their own assignor.

example:
  equilag steward --bootstrap-server kafka:9092 --group orders --dry-run
  equilag steward --bootstrap-server kafka:9092 --group orders"""

LISTEN: Final = "127.0.0.1:9478"
"""Loopback: the status is private by default. A port in the range of Prometheus exporters."""
REPLACED: Final = 3
"""Exit status if another process has joined with its instance id: a supervisor must not start it
again, as the two would replace each other without end."""

planning_seconds: Final = number_from(0.01, 600.0, "a number of seconds from 0.01 to 600")
"""Less than a planner's first step takes is no limit but a mistake; a group is not planned for
longer while it waits."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser, required=False)
    parser.add_argument("--group", metavar="G", help="the group to lead")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="do not join; log when it would rebalance, and what that would have gained",
    )
    parser.add_argument(
        "--take-over",
        action="store_true",
        help="if another member leads, remove all other members once; they rejoin at once",
    )
    parser.add_argument(
        "--take-over-wait",
        metavar="T",
        type=duration,
        default=300.0,
        help="keep a removed member's partitions for this long: at least the members'"
        " max.poll.interval.ms (default: 5m)",
    )
    parser.add_argument(
        "--status",
        action="store_true",
        help="print the status of the steward that runs at --listen",
    )
    parser.add_argument(
        "--json", action="store_true", help="with --status: print the JSON of /status"
    )
    parser.add_argument(
        "--listen",
        metavar="HOST:PORT",
        type=address,
        default=LISTEN,
        help=f"address of the live page, /status, /metrics and /healthz (default: {LISTEN})",
    )
    parser.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="accept requests to this name with dots, besides this machine's names; can be"
        " repeated",
    )
    options.add_screen(parser)
    add_thresholds(parser.add_argument_group("when to rebalance"))
    _add_planning(parser.add_argument_group("how to plan"))
    add_settings(parser, "steward", LIVE_DEFAULTS, {"co_partition": CO_PARTITION})
    _add_membership(parser.add_argument_group("membership"))


def _add_planning(group: argparse._ArgumentGroup) -> None:
    add_weight(group, LIVE_HORIZON_S)
    options.add_seed(group)
    group.add_argument(
        "--time-limit",
        metavar="S",
        type=planning_seconds,
        default=5.0,
        help="planning time in seconds for a plan made in advance (default: 5)",
    )
    group.add_argument(
        "--rebalance-limit",
        metavar="S",
        type=planning_seconds,
        default=1.0,
        help="planning time in seconds while the group waits, at most a quarter of the session"
        " (default: 1)",
    )
    add_reading(group)


def _add_membership(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--instance-id",
        metavar="ID",
        default="equilag-steward",
        help="its group.instance.id (default: equilag-steward); a second steward with the same"
        " id replaces it, one with another id follows it",
    )
    group.add_argument(
        "--session-timeout",
        metavar="T",
        type=duration,
        default=10.0,
        help="how long the group waits for it after a crash (default: 10s)",
    )
    group.add_argument(
        "--state",
        metavar="FILE",
        type=Path,
        help="keep measured rates and speeds in this file over restarts",
    )
    group.add_argument(
        "--keep-membership",
        action="store_true",
        help="stay a member on SIGTERM, to lead again after a restart within the session",
    )
    group.add_argument(  # its old name
        "--keep-seat", dest="keep_membership", action="store_true", help=argparse.SUPPRESS
    )
    group.add_argument(
        "--protocol",
        metavar="NAME",
        action="append",
        default=[],
        help="name of an assignor that the members use besides those of Kafka's clients;"
        " may be repeated",
    )


def address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``."""
    host, colon, port = text.rpartition(":")
    if colon and port.isascii() and port.isdigit() and int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{port} is no port; 65535 is the highest")
    if not colon or not host or not port.isascii() or not port.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form HOST:PORT")
    return host.strip("[]"), int(port)


def run(args: argparse.Namespace) -> int:
    if args.status:
        return show_status(args)
    if args.json:
        raise InputError("needs --status; a steward that runs serves it at --listen", "--json")
    for value, option in ((args.bootstrap_server, "--bootstrap-server"), (args.group, "--group")):
        if not value:
            raise InputError("is required (see equilag steward --help)", option)
    if not args.instance_id:
        raise InputError("is empty", "--instance-id")
    if not all(args.protocol):
        raise InputError("is empty", "--protocol")
    if args.dry_run and args.take_over:
        raise InputError("cannot be combined with --dry-run, which joins no group", "--take-over")
    chosen = _options(args)

    from equilag.adapters.kafka.client_config import kafka_config

    try:
        from equilag.live.status.http_server import serve
        from equilag.live.steward.membership_errors import Fenced
        from equilag.live.steward.steward import Steward
    except ImportError as error:
        raise MissingExtra(
            f"the steward needs {error.name}: pip install 'equilag[steward]'"
        ) from error
    config = kafka_config(args.bootstrap_server, client_settings(args.command_config))
    with logging_to_stderr():
        steward = Steward(config, chosen)
        host, port = args.listen
        server = serve(steward.state, host, port, args.allow_host)
        try:
            with handled(lambda *_: steward.end(), signal.SIGINT, signal.SIGTERM):
                steward.run()
        except Fenced as error:
            remark(str(error))
            return REPLACED
        finally:
            server.shutdown()
            server.server_close()
    return 0


def _options(args: argparse.Namespace) -> StewardOptions:
    from equilag.live.rebalance.assignments import BUILT_IN
    from equilag.live.steward.steward_options import StewardOptions

    mode = co_partition_mode(args)
    weight = None if args.weight == "work" else args.weight
    policy = policy_of(args, "steward", LIVE_DEFAULTS, weight=weight, horizon=args.horizon)
    with options.named():
        return StewardOptions(
            group=args.group,
            instance=args.instance_id,
            protocols=(*dict.fromkeys([*args.protocol, *BUILT_IN]),),
            policy=policy,
            thresholds=thresholds_of(args),
            session=args.session_timeout,
            observe_every=args.every,
            plan_limit=args.time_limit,
            rebalance_limit=args.rebalance_limit,
            seed=args.seed,
            reset=args.auto_offset_reset or options.RESETS_DEFAULT,
            isolation=args.isolation_level or options.ISOLATION_LEVELS[0],
            co_partition=mode,
            state_file=args.state,
            dry_run=args.dry_run,
            take_over=args.take_over,
            take_over_wait=args.take_over_wait,
            keep_membership=args.keep_membership,
        )
