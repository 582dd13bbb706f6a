"""``equilag groups``: lists the consumer groups of a live cluster, most uneven lag first."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import GROUPS, add_cluster, add_reading, reading
from equilag.cli.deliver import deliver
from equilag.cli.group_watch import WATCH, watch
from equilag.cli.screen import remark
from equilag.domain.figures import plural, printable
from equilag.domain.natural_order import natural_key
from equilag.report.reports.groups import GroupsReport

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_kinds import ListedGroup
    from equilag.adapters.kafka.group_reader import Reading, Readings
    from equilag.planner.diagnosis.judged_plan import VerdictLimits
    from equilag.planner.facts.live_group import LiveGroupFacts

NAME: Final = "groups"
HELP: Final = "list the groups of a live cluster, most uneven lag first"
DESCRIPTION: Final = """\
Lists the groups of a cluster: state, kind, members, lag, and how unevenly the
current assignment spreads the lag. Groups of kinds that equilag does not read
(share, streams, connect) have no figures. equilag never joins a group or
commits. It needs DESCRIBE on groups and their topics. Groups that cannot be
read are reported on standard error."""
EPILOG: Final = """\
lag spread: the heaviest member's lag minus the lightest member's. worst member:
the heaviest member's share of the group's lag.

With --watch a terminal shows the newest list; a file or pipe gets one block per
round. A failed round prints a line; a failed first round ends the command.
Ctrl-C ends it with exit status 0.

examples:
  equilag groups --bootstrap-server kafka:9092 --groups 'orders-.*'
  equilag groups --bootstrap-server kafka:9092 --watch 10"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    options.add(parser, GROUPS)
    add_reading(parser)
    options.add(parser, *options.GAINS, *options.BEHIND)
    parser.add_argument("--watch", **WATCH)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    options.check_output(args)
    if args.watch is not None:
        return watch(args, lambda: listed(args))
    report, remarks = listed(args)
    for line in remarks:
        remark(line)
    deliver(report, args)
    return 0


def listed(args: argparse.Namespace) -> tuple[GroupsReport, list[str]]:
    """Return the groups of the cluster, and remarks about what could not be read. Raises
    InputError."""
    reset = args.auto_offset_reset or options.RESETS_DEFAULT
    with reading(args) as reader:
        found = reader.read_all(bool if args.groups is None else args.groups.fullmatch)
    limits = options.limits_of(args)
    rows = [figures(one, reset, limits) for one in found.groups]
    rows += [without_figures(name, one) for name, one in found.others.items()]
    rows.sort(key=lambda row: (-(row.lag_spread or 0), -(row.lag or 0), natural_key(row.group)))
    settings = {
        "bootstrap_server": args.bootstrap_server,
        "groups": None if args.groups is None else args.groups.pattern,
        "auto_offset_reset": reset,
        "isolation_level": args.isolation_level or options.ISOLATION_LEVELS[0],
    }
    taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    command = plan_command(rows, args)
    report = GroupsReport(tuple(rows), found.left_out, settings, command, taken_at)
    return report, problems(found)


def plan_command(groups: Sequence[LiveGroupFacts], args: argparse.Namespace) -> str | None:
    """Return the command that plans the most uneven group; None if all are even."""
    worst = next((row for row in groups if row.lag_spread), None)
    if worst is None:
        return None
    words = ["equilag", "plan", "--bootstrap-server", args.bootstrap_server]
    if args.command_config is not None:
        words += ["--command-config", args.command_config]
    return printable(shlex.join([*words, "--group", worst.group]))


def figures(found: Reading, reset: str, limits: VerdictLimits) -> LiveGroupFacts:
    """Return a group as a row. Figures about members are None without active members."""
    from equilag.domain.group.group import Group
    from equilag.planner.facts.live_group import live_group_facts
    from equilag.planner.verdict.quick_verdict import quick_verdict

    group = Group.build(**found.group_input(reset))
    unknown = sum(map(len, found.offsets.unknown.values()))
    row = live_group_facts(group, found.state, found.kind, unknown, found.remarks)
    verdict = quick_verdict(group, limits)
    cause = verdict.causes[0].cause if verdict.causes else None
    return replace(row, cause=cause, action=verdict.action)


def without_figures(name: str, listed: ListedGroup) -> LiveGroupFacts:
    """Return the row of a group of a kind that is not read."""
    from equilag.adapters.kafka.group_kinds import described_kind
    from equilag.planner.facts.live_group import LiveGroupFacts

    what, why = described_kind(listed.kind)
    return LiveGroupFacts(name, listed.state, listed.kind, remarks=[f"{what}: {why}"])


def problems(found: Readings) -> list[str]:
    """Return remarks about what could not be read."""
    from equilag.adapters.kafka.group_kinds import left_out_lines
    from equilag.adapters.kafka.reading import NO_COMMIT

    lines = left_out_lines(found.left_out)
    without = sum(len(row) for one in found.groups for row in one.offsets.uncommitted.values())
    if without:
        lines.append(f"{plural(without, 'partition')} with {NO_COMMIT}")
    return [*lines, *found.remarks]
