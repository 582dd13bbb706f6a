"""``equilag steward``: leads a live classic group and assigns equilag's plans."""

from __future__ import annotations

import argparse
import signal
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import ANY_CLUSTER, ISOLATION, RESET, client_config
from equilag.cli.arguments.conversions import OneOf, duration, number_from, whole
from equilag.cli.arguments.options import Option, Titled
from equilag.cli.arguments.policy_options import policy_of, settings_options
from equilag.cli.arguments.serving import SCALING, limit_of, listening, scale_settings
from equilag.cli.group_command import CliCommand
from equilag.cli.screen import deliver, emit, remark
from equilag.cli.stop_signals import handled
from equilag.domain.errors import InputError, MissingExtra
from equilag.live.rebalance.live_policy import LIVE_DEFAULTS, LIVE_HORIZON_S
from equilag.report.outputs import to_json

if TYPE_CHECKING:
    from equilag.live.rebalance.kept_together import CoPartitionMode
    from equilag.live.steward.steward_options import StewardOptions


LIVE_WEIGHTS: Final = ("work", "lag", "rate")
"""What a live group can balance; its topics have no weights of their own."""
CO_PARTITION: Final = (
    "give partition i of all these topics to one member, for joins; can be repeated; auto: topics"
    " that seem to be joined; none: no lists (default: auto)"
)
"""Help of ``--co-partition``: lists of topics, ``auto`` or ``none``."""
planning_seconds: Final = number_from(0.01, 600.0, "a number of seconds from 0.01 to 600")
"""Less than a planner's first step takes is no limit but a mistake; a group is not planned for
longer while it waits."""


def check_steward(args: argparse.Namespace) -> None:
    """Raises InputError for options that are missing or do not go together."""
    for value, option in ((args.bootstrap_server, "--bootstrap-server"), (args.group, "--group")):
        if not value:
            raise InputError("is required (see equilag steward --help)", option)
    if not args.instance:
        raise InputError("is empty", "--instance-id")
    if not all(args.protocol):
        raise InputError("is empty", "--protocol")
    if args.dry_run and args.take_over:
        raise InputError("cannot be combined with --dry-run, which joins no group", "--take-over")


def steward_options(args: argparse.Namespace) -> StewardOptions:
    """What a steward is to do. Raises InputError."""
    from equilag.live.rebalance.assignments import BUILT_IN
    from equilag.live.steward.steward_options import StewardOptions
    from equilag.planner.worth.thresholds import Thresholds, VerdictLimits

    mode = co_partition_mode(args)
    weight = None if args.weight == "work" else args.weight
    policy = policy_of(args, "steward", LIVE_DEFAULTS, weight=weight, horizon=args.horizon)
    thresholds = Thresholds(
        args.gain, args.gain_delay, args.confirm, args.cooldown, args.moves_per_hour,
        args.min_gain,
    )  # fmt: skip
    own: dict[str, Any] = {
        "protocols": (*dict.fromkeys([*args.protocol, *BUILT_IN]),),
        "policy": policy,
        "limits": VerdictLimits(thresholds, args.min_lag, args.behind),
        "scale": scale_settings(args, args.group),
        "threads": limit_of(args.threads, args.group),
        "co_partition": mode,
        "plan_key": b"" if args.plan_key is None else read_key(args.plan_key),
    }
    names = (one.name for one in fields(StewardOptions) if one.name not in own)
    return StewardOptions(**own, **{name: getattr(args, name) for name in names})


def read_key(file: Path) -> bytes:
    """Return the text of the file without white space around it. Raises InputError."""
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        raise InputError(error.strerror or str(error), str(file), "--plan-key") from error
    if not key:
        raise InputError("is empty", str(file), "--plan-key")
    return key


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


def run(args: argparse.Namespace) -> int:
    if args.status:
        return _show_status(args)
    check_steward(args)
    chosen = steward_options(args)

    try:
        from equilag.live.status.http_server import serve
        from equilag.live.status.log_lines import logging_to_stderr
        from equilag.live.status.served_pages import steward_pages
        from equilag.live.steward.steward import Steward
    except (ImportError, MissingExtra) as error:  # of the smaller extra for reading a cluster
        missing = error if isinstance(error, ImportError) else error.__cause__
        name = getattr(missing, "name", None) or "more packages"
        raise MissingExtra(f"the steward needs {name}: pip install 'equilag[steward]'") from error
    config = client_config(args)
    with logging_to_stderr():
        steward = Steward(config, chosen)
        host, port = args.listen
        server = serve(steward_pages(steward.state), host, port, args.allow_host)
        try:
            with handled(lambda *_: steward.end(), signal.SIGINT, signal.SIGTERM):
                steward.run()
        finally:
            server.shutdown()
            server.server_close()
    return 0


def _show_status(args: argparse.Namespace) -> int:
    """Print the status of the steward at ``--listen``. Return 1 if it is not healthy. Raises
    InputError if none answers."""
    from equilag.live.status.steward_facts import ask_status

    document = ask_status(*args.listen)
    if args.json:
        emit(to_json(document))
    else:
        from equilag.live.status.steward_facts import read_steward_facts
        from equilag.live.status.steward_report import StewardReport

        deliver(StewardReport(read_steward_facts(document)), args)
    if not document.get("healthy"):
        remark(f"not healthy: {document.get('problem')}")
        return 1
    return 0


STEWARD: Final = CliCommand(
    "steward",
    "lead a live group from outside and assign equilag's plans",
    """\
Joins a classic consumer group as a member without topics. As the group's leader
it assigns partitions by equilag's plans; the other members need no change.
Start it before the members, or use --take-over. It starts a rebalance only if
the gain is worth it. In a KIP-848 group brokers need a plug-in, see
docs/kip848-plugin.md. docs/live.md is the guide.""",
    """\
It needs READ on the group G and on G.equilag-steward, in which the stewards of
a group elect the one that leads, and DESCRIBE on the topics of G. On SIGTERM
another steward takes its place; without one the members go on with their own
assignor.

example:
  equilag steward --bootstrap-server kafka:9092 --group orders --dry-run
  equilag steward --bootstrap-server kafka:9092 --group orders""",
    run,
    (
        *ANY_CLUSTER,
        Option("--group", "G", "the group to lead"),
        Option("--dry-run", "", "do not join; log when it would rebalance, and what that would have"
               " gained"),
        Option("--take-over", "", "if another member leads, remove all other members once; they"
               " rejoin at once", excludes="--dry-run"),
        Option("--take-over-wait", "T", "keep a removed member's partitions for this long: at least"
               " the members' max.poll.interval.ms", duration, 300.0),
        Option("--status", "", "print the status of the steward that runs at --listen"),
        Option("--json", "", "with --status: print the JSON of /status", needs=("--status",)),
        *listening("the live page, /status, /metrics, /scale/ and /healthz", 9478),
        *options.SCREEN,
        Titled("when to rebalance", (
            *options.LIMITS,
            Option("--gain-delay", "T", "the same relief in time of work; either is enough",
                   duration, 60.0),
            Option("--confirm", "N", "consecutive observations that must agree", whole(least=1), 2),
            Option("--cooldown", "T", "minimum time between two rebalances that it starts; doubles"
                   " when one does not help, halves when one does", duration, 30.0),
            Option("--moves-per-hour", "N", "maximum moves per hour in the rebalances that it"
                   " starts (default: ten times the partitions)", whole()),
            Option("--every", "T", "time between two observations of the group", duration, 5.0,
                   parameter="observe_every"),
        )),
        Titled("how to plan", (
            Option("--weight", "W", "what to balance per member's speed; work: lag + rate x"
                   " horizon; lag; rate: records produced per second", OneOf(LIVE_WEIGHTS),
                   LIVE_WEIGHTS[0]),
            Option("--horizon", "T", "how far ahead work looks", duration, LIVE_HORIZON_S),
            options.SEED,
            Option("--time-limit", "S", "planning time in seconds for a plan made in advance",
                   planning_seconds, 5.0, parameter="plan_limit"),
            Option("--rebalance-limit", "S", "planning time in seconds while the group waits, at"
                   " most a quarter of the session", planning_seconds, 1.0),
            RESET._replace(parameter="reset"),
            ISOLATION._replace(parameter="isolation"),
        )),
        SCALING,
        *settings_options("steward", LIVE_DEFAULTS, {"co_partition": CO_PARTITION}),
        Titled("membership", (
            Option("--instance-id", "ID", "its group.instance.id, the same for all stewards of a"
                   " group", default="equilag-steward", parameter="instance"),
            Option("--session-timeout", "T", "how long the group waits for it after a crash",
                   duration, 20.0, parameter="session"),
            Option("--state", "FILE", "keep measured rates and speeds in this file over restarts",
                   Path, parameter="state_file"),
            Option("--keep-membership", "", "stay a member on SIGTERM, to lead again after a"
                   " restart within the session"),
            Option("--keep-seat", "", "", parameter="keep_membership"),  # its old name
            Option("--plan-key", "FILE", "sign plans for KIP-848 groups with this file's text, the"
                   " brokers' equilag.plan.key", Path),
            Option("--convert", "", "lead a classic group through the brokers' plug-in: they"
                   " convert it to KIP-848, and back once no steward runs"),
            Option("--outvote", "", "lead a KIP-848 group whose members name another assignor, by"
                   " more carriers"),
            Option("--protocol", "NAME", "name of an assignor that the members use besides those of"
                   " Kafka's clients; may be repeated", repeats=True),
        )),
    ),
)  # fmt: skip
