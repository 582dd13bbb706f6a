"""``equilag doctor``: what brokers and groups are ready for."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import add_cluster, reading
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.source import source_words
from equilag.cli.deliver import deliver
from equilag.cli.screen import ACT, FINE, remark

NAME: Final = "doctor"
HELP: Final = "what brokers and groups are ready for, and the next step"
DESCRIPTION: Final = """\
Says which brokers have the plug-in for KIP-848 groups, how a steward can lead
each group, what would be lost, and the next step. equilag never joins a group,
commits or changes a setting. It needs DESCRIBE on groups and their topics, and
DESCRIBE_CONFIGS on the cluster. A broker that is down is not asked."""
EPILOG: Final = """\
The exit status is 10 if something has to be done, else 0.

example:
  equilag doctor --bootstrap-server kafka:9092 --group orders --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    options.add(parser, Option("--group", "G", "only this group (default: all)"))
    options.add_output(parser)
    parser.set_defaults(isolation_level=None)


def run(args: argparse.Namespace) -> int:
    options.check_output(args)

    from equilag.adapters.kafka.group_kinds import left_out_lines
    from equilag.live.carrier.plug_in import broker_settings
    from equilag.live.carrier.readiness import broker_readiness, group_readiness
    from equilag.live.steward.election_loop import election_group
    from equilag.report.reports.readiness import ReadinessReport

    group = args.group
    wanted = bool if group is None else {group, election_group(group)}.__contains__
    with reading(args) as reader:
        settings = reader.call(broker_settings)
        found = reader.read_all(wanted)
        if group is not None and not found.groups and group not in found.others:
            found.groups.append(reader.read(group))
            found.left_out.clear()
    brokers = broker_readiness(settings, found)
    groups = group_readiness(found, brokers, [*source_words(args)])
    report = ReadinessReport(brokers, groups, found.left_out)
    for line in (*left_out_lines(found.left_out), *found.remarks):
        remark(line)
    deliver(report, args)
    return ACT if report.asks() else FINE
