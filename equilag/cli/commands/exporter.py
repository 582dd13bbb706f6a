"""``equilag exporter``: verdicts on many groups as metrics, and how many processes they need."""

from __future__ import annotations

import argparse
import logging
import signal
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import (
    ANY_CLUSTER,
    GROUPS,
    ISOLATION,
    RESET,
    client_config,
    wanted_groups,
)
from equilag.cli.arguments.conversions import duration
from equilag.cli.arguments.metrics_source import METRICS_NOW, server_of
from equilag.cli.arguments.options import Option, is_server
from equilag.cli.arguments.policy_options import policy_of, settings_options
from equilag.cli.arguments.serving import SCALING, GroupLimit, limit_of, listening, scale_settings
from equilag.cli.arguments.source import check_source
from equilag.cli.group_command import CliCommand
from equilag.cli.stop_signals import handled
from equilag.domain.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from equilag.live.exporter.exporter import ReadGroups

RECENT_S: Final = 120.0
"""In which a sample of a server has to be: twice the longest time between two scrapes that is in
use."""


def run(args: argparse.Namespace) -> int:
    check_source(args, one_group=False)
    policy = policy_of(args, "size")
    limits = options.limits_of(args)
    for one in (GroupLimit("", 1), *args.min_replicas, *args.max_replicas):
        scale_settings(args, one.pattern)  # a pattern is a name that it matches
    try:
        from equilag.live.exporter.exporter import Exporter
        from equilag.live.exporter.group_scaler import GroupScaler
        from equilag.live.exporter.watched_group import JudgeSettings
        from equilag.live.status.http_server import serve
        from equilag.live.status.log_lines import logging_to_stderr
        from equilag.live.status.served_pages import exporter_pages
        from equilag.live.status.status import log_event
    except ImportError as error:
        raise MissingExtra(f"needs {error.name}: pip install 'equilag[steward]'") from error

    def scaler(group: str) -> GroupScaler:
        return GroupScaler(scale_settings(args, group), limit_of(args.threads, group), policy)

    judge = JudgeSettings(limits, policy, args.auto_offset_reset)
    with ExitStack() as stack:
        exporter = Exporter(reader_of(args, stack), judge, scaler, args.every, args.seed)
        stack.enter_context(logging_to_stderr())
        host, port = args.listen
        server = serve(exporter_pages(exporter), host, port, args.allow_host)
        stack.callback(server.server_close)
        stack.callback(server.shutdown)
        shown = f"{host}:{server.server_address[1]}"
        log_event(logging.INFO, "listening", address=shown)
        with handled(lambda *_: exporter.stop.set(), signal.SIGINT, signal.SIGTERM):
            exporter.run()
    return 0


def reader_of(args: argparse.Namespace, stack: ExitStack) -> ReadGroups:
    """What reads the groups of the source that the options name. It raises EquilagError if no
    broker, or the server, answers, or if that answers wrongly."""
    if not args.prometheus:
        return _cluster_reader(args, stack)
    if not is_server(args.prometheus[0]):
        raise InputError("is no server; a text of metrics does not change", options.METRICS)
    return _server_reader(args)


def _cluster_reader(args: argparse.Namespace, stack: ExitStack) -> ReadGroups:
    """It connects when it first reads. One request is in flight at each broker at most."""
    from equilag.adapters.kafka.described import NoAnswer
    from equilag.adapters.kafka.group_reader import GroupReader
    from equilag.live.exporter.exporter import GroupsRead

    config, wanted = client_config(args), wanted_groups(args)
    readers: list[GroupReader] = []

    def read() -> GroupsRead:
        if not readers:
            readers.append(GroupReader(config, isolation=args.isolation_level))
            stack.callback(readers[0].close)
        found = readers[0].read_all(wanted)
        if found.remarks and not found.groups:  # no coordinator answered
            raise NoAnswer(found.remarks[0])
        return GroupsRead(found.groups, found.left_out)

    return read


def _server_reader(args: argparse.Namespace) -> ReadGroups:
    """It reads the newest samples of a Prometheus server."""
    from equilag.adapters.prometheus.metric_groups import groups_of
    from equilag.live.exporter.exporter import GroupsRead

    server, wanted = server_of(args), wanted_groups(args)

    def read() -> GroupsRead:
        samples = server.read(None, RECENT_S, args.selector or "")
        found = groups_of(samples, wanted, newest=True)
        newest = max((one.times[-1] for one in found.values()), default=samples.at)
        return GroupsRead([one.last for one in found.values()], {}, max(0.0, time.time() - newest))

    return read


EXPORTER: Final = CliCommand(
    "exporter",
    "serve the verdicts on groups as metrics, and how many members help",
    """\
Reads the groups of a cluster again and again, and serves what equilag says of
each as metrics for Prometheus, and how many processes it needs for KEDA. equilag
never joins a group or commits. It needs DESCRIBE on groups and their topics.
docs/metrics.md is the guide.""",
    """\
It takes 5 % of a core at most: with many groups rounds come less often. SIGTERM
ends it.

example:
  equilag exporter --bootstrap-server kafka:9092 --groups 'orders-.*'
  curl http://127.0.0.1:9479/scale/orders-service""",
    run,
    (
        *ANY_CLUSTER,
        *METRICS_NOW,
        GROUPS,
        Option("--every", "T", "time between two rounds, at least", duration, 15.0),
        *listening("/metrics, /scale/, /healthz and /readyz", 9479),
        RESET,
        ISOLATION,
        *options.LIMITS,
        SCALING,
        *settings_options("size"),
        options.SEED,
    ),
)  # fmt: skip
