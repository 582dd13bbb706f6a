"""``equilag groups``: the consumer groups of a live cluster or of a text, the worst first."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import GROUPS, add_cluster, add_reading, reading
from equilag.cli.arguments.source import check_text_or_live
from equilag.cli.arguments.text_source import add_text, groups_from_text
from equilag.cli.deliver import deliver
from equilag.cli.group_watch import WATCH, watch
from equilag.cli.screen import ACT, FINE, remark
from equilag.domain.figures import natural_key, plural, printable
from equilag.report.reports.groups import GroupsReport

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_kinds import ListedGroup
    from equilag.adapters.kafka.group_reader import Readings
    from equilag.adapters.kafka.reading import Reading
    from equilag.planner.facts.live_group import LiveGroupFacts
    from equilag.planner.worth.thresholds import VerdictLimits

NAME: Final = "groups"
HELP: Final = "list the groups of a live cluster or of a text, the worst first"
DESCRIPTION: Final = """\
Lists the groups of a cluster, or of a text of kafka-consumer-groups --describe
--all-groups: what is wrong with each, what to do, and its lag. The groups that
need something come first, by lag. Groups of kinds that equilag does not read
(share, streams, connect) have no figures. equilag never joins a group or
commits. It needs DESCRIBE on groups and their topics. Groups that cannot be
read are reported on standard error."""
EPILOG: Final = """\
spread: the heaviest member's lag minus the lightest member's. worst: the
heaviest member's share of the group's lag.

The exit status is 10 if a group needs something, else 0.

With --watch a terminal shows the newest list; a file or pipe gets one block per
round. A failed round prints a line; a failed first round ends the command.
Ctrl-C ends it with exit status 0.

examples:
  equilag groups --bootstrap-server kafka:9092 --groups 'orders-.*'
  equilag groups --bootstrap-server kafka:9092 --watch 10
  equilag groups --from-describe before.txt --from-describe after.txt \\
      --between 1m"""

LIVE_ONLY: Final = ("command_config", "isolation_level", "watch")
TEXT_ONLY: Final = ("between", "members_from")


def configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser, required=False)
    add_text(parser, all_groups=True)
    options.add(parser, GROUPS)
    add_reading(parser)
    options.add(parser, *options.LIMITS)
    parser.add_argument("--watch", **WATCH)
    options.add_output(parser)
    parser.set_defaults(refuse=parser.error)


def run(args: argparse.Namespace) -> int:
    check_text_or_live(args, TEXT_ONLY, LIVE_ONLY, one_group=False)
    options.check_output(args)
    if args.watch is not None:
        return watch(args, lambda: listed(args))
    report, remarks = listed(args)
    for line in remarks:
        remark(line)
    deliver(report, args)
    return ACT if any(row.asks for row in report.groups) else FINE


def listed(args: argparse.Namespace) -> tuple[GroupsReport, list[str]]:
    """Return the groups of the cluster or text, and remarks about what could not be read. Raises
    InputError."""
    rows, left_out, remarks = (_of_cluster if args.from_describe is None else _of_text)(args)
    rows.sort(key=lambda row: (not row.asks, -(row.lag or 0), natural_key(row.group)))
    settings: dict[str, Any] = {
        "groups": None if args.groups is None else args.groups.pattern,
        "auto_offset_reset": args.auto_offset_reset or options.RESETS_DEFAULT,
    }
    if args.from_describe is None:
        settings |= {
            "bootstrap_server": args.bootstrap_server,
            "isolation_level": args.isolation_level or options.ISOLATION_LEVELS[0],
        }
    else:
        texts = [path for path in (args.describe_before, args.from_describe) if path is not None]
        settings |= {"from_describe": texts, "between_s": args.between}
    taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    live = args.from_describe is None
    command = plan_command(rows, args)
    report = GroupsReport(tuple(rows), left_out, settings, command, taken_at if live else None)
    return report, remarks


Found: TypeAlias = "tuple[list[LiveGroupFacts], Mapping[str, str], list[str]]"
"""A row per group, why others cannot be read, and remarks."""


def _of_cluster(args: argparse.Namespace) -> Found:
    reset = args.auto_offset_reset or options.RESETS_DEFAULT
    with reading(args) as reader:
        found = reader.read_all(bool if args.groups is None else args.groups.fullmatch)
    limits = options.limits_of(args)
    rows = [figures(one, reset, limits) for one in found.groups]
    rows += [without_figures(name, one) for name, one in found.others.items()]
    return rows, found.left_out, problems(found)


def _of_text(args: argparse.Namespace) -> Found:
    from equilag.domain.group.group import Group
    from equilag.domain.group.lag import UNKNOWN
    from equilag.planner.facts.live_group import live_group_facts
    from equilag.planner.verdict.quick_verdict import quick_verdict

    found, limits = groups_from_text(args), options.limits_of(args)
    rows = []
    for name, result in found.groups.items():
        if args.groups is not None and not args.groups.fullmatch(name):
            continue
        group = Group.build(**result.given)
        unknown = int((group.quality == UNKNOWN).sum())
        verdict = quick_verdict(group, limits)
        rows.append(live_group_facts(group, "", "", unknown, result.assumed, verdict))
    left_out = [f"left out: {name}: {why}" for name, why in found.left_out.items()]
    return rows, found.left_out, [*found.remarks, *left_out]


def plan_command(groups: Sequence[LiveGroupFacts], args: argparse.Namespace) -> str | None:
    """Return the command that says more of the worst group; None if none needs something."""
    worst = next((row for row in groups if row.asks), None)
    if worst is None:
        return None
    words = ["equilag", "plan"]
    for option in ("bootstrap_server", "command_config", "describe_before", "from_describe"):
        if (value := getattr(args, option, None)) is not None:
            flag = "from_describe" if option == "describe_before" else option
            words += [f"--{flag.replace('_', '-')}", value]
    if getattr(args, "between", None) is not None:
        words += ["--between", f"{args.between:g}s"]
    return printable(shlex.join([*words, "--group", worst.group]))


def figures(found: Reading, reset: str, limits: VerdictLimits) -> LiveGroupFacts:
    """Return a group as a row. Figures about members are None without active members."""
    from equilag.domain.group.group import Group
    from equilag.planner.facts.live_group import live_group_facts
    from equilag.planner.verdict.quick_verdict import quick_verdict

    group = Group.build(**found.group_input(reset))
    unknown = sum(map(len, found.offsets.unknown.values()))
    verdict = quick_verdict(group, limits)
    return live_group_facts(group, found.state, found.kind, unknown, found.remarks, verdict)


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
