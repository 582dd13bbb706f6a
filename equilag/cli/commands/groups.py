"""``equilag groups`` and ``doctor``: what the groups and brokers of a cluster need."""

from __future__ import annotations

import argparse
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import (
    ANY_CLUSTER,
    CLUSTER,
    GROUPS,
    ISOLATION,
    RESET,
    reading,
    wanted_groups,
)
from equilag.cli.arguments.configuration import PROFILE, read_configuration
from equilag.cli.arguments.metrics_source import METRICS_THEN, input_of, samples_from_metrics
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.source import check_source, source_words
from equilag.cli.arguments.text_source import ALL_OF_TEXT, groups_from_text
from equilag.cli.group_command import CliCommand
from equilag.cli.group_watch import WATCH, watch
from equilag.cli.screen import ACT, FINE, deliver, remark
from equilag.domain.figures import natural_key, plural, printable

if TYPE_CHECKING:
    from equilag.report.reports.groups import GroupsReport, LiveGroupFacts


def _groups(args: argparse.Namespace) -> int:
    check_source(args, one_group=False)
    options.check_output(args)
    if args.watch is not None:
        return watch(args, lambda: listed(args))
    report, remarks = listed(args)
    for line in remarks:
        remark(line)
    deliver(report, args)
    return ACT if report.asks() else FINE


def listed(args: argparse.Namespace) -> tuple[GroupsReport, list[str]]:
    """Return the groups of the cluster or text, and remarks about what could not be read. Raises
    InputError."""
    from equilag.report.reports.groups import GroupsReport

    live = not args.from_describe and not args.prometheus
    of = _of_text if args.from_describe else _of_metrics if args.prometheus else _of_cluster
    rows, left_out, remarks = of(args)
    rows.sort(key=lambda row: (not row.asks, -(row.lag or 0), natural_key(row.group)))
    live_settings = {
        "bootstrap_server": args.bootstrap_server, "isolation_level": args.isolation_level,
    }  # fmt: skip
    text_settings = {"from_describe": args.from_describe, "between_s": args.between}
    if args.prometheus:
        text_settings = {"prometheus": args.prometheus, "between_s": args.between}
    settings: dict[str, Any] = {
        "groups": None if args.groups is None else args.groups.pattern,
        "auto_offset_reset": args.auto_offset_reset,
        **(live_settings if live else text_settings),
    }
    taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    command = plan_command(rows, args)
    made = GroupsReport(tuple(rows), left_out, settings, command, taken_at if live else None)
    return made, remarks


Found: TypeAlias = "tuple[list[LiveGroupFacts], Mapping[str, str], list[str]]"
"""A row per group, why others cannot be read, and remarks."""


def _of_cluster(args: argparse.Namespace) -> Found:
    from equilag.adapters.kafka.group_kinds import described_kind, left_out_lines
    from equilag.adapters.kafka.reading import NO_COMMIT
    from equilag.domain.group.group import Group
    from equilag.report.reports.groups import LiveGroupFacts, live_group_facts

    with reading(args) as reader:
        found = reader.read_all(wanted_groups(args))
    rows = [
        live_group_facts(
            Group.build(**one.group_input(args.auto_offset_reset)), options.limits_of(args),
            state=one.state, kind=one.kind, remarks=one.remarks,
        )
        for one in found.groups
    ]  # fmt: skip
    for name, other in found.others.items():  # of kinds that are not read
        remark = ": ".join(described_kind(other.kind))
        rows.append(LiveGroupFacts(name, other.state, other.kind, remarks=[remark]))
    lines = left_out_lines(found.left_out)
    without = sum(len(row) for one in found.groups for row in one.offsets.uncommitted.values())
    if without:
        lines.append(f"{plural(without, 'partition')} with {NO_COMMIT}")
    return rows, found.left_out, [*lines, *found.remarks]


def _of_text(args: argparse.Namespace) -> Found:
    from equilag.domain.group.group import Group
    from equilag.report.reports.groups import live_group_facts

    found, limits = groups_from_text(args), options.limits_of(args)
    rows = [
        live_group_facts(Group.build(**result.given), limits, remarks=result.assumed)
        for name, result in found.groups.items()
        if args.groups is None or args.groups.fullmatch(name)
    ]
    left_out = [f"left out: {name}: {why}" for name, why in found.left_out.items()]
    return rows, found.left_out, [*found.remarks, *left_out]


def _of_metrics(args: argparse.Namespace) -> Found:
    from equilag.domain.group.group import Group
    from equilag.report.reports.groups import live_group_facts

    limits, rows, told = options.limits_of(args), [], set[str]()
    for samples in samples_from_metrics(args, wanted_groups(args)).values():
        given, remarks = input_of(samples, args.auto_offset_reset)
        rows.append(live_group_facts(Group.build(**given), limits, remarks=remarks))
        told.update(samples.last.incomplete)  # the same of all
    return rows, {}, [*told]


def plan_command(groups: Sequence[LiveGroupFacts], args: argparse.Namespace) -> str | None:
    """Return the command that says more of the worst group; None if none needs something."""
    worst = next((row for row in groups if row.asks), None)
    if worst is None:
        return None
    words = "equilag", "plan", *source_words(args), "--group", worst.group
    return printable(shlex.join(words))


GROUPS_LIST: Final = CliCommand(
    "groups",
    "list the groups of a live cluster or of a text, the worst first",
    """\
Lists the groups of a cluster, or of a text of kafka-consumer-groups --describe
--all-groups: what is wrong with each, what to do, and its lag. The groups that
need something come first, by lag. Groups of kinds that equilag does not read
(share, streams, connect) have no figures. equilag never joins a group or
commits. It needs DESCRIBE on groups and their topics. Groups that cannot be
read are reported on standard error.""",
    """\
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
      --between 1m""",
    _groups,
    (
        *ANY_CLUSTER, *ALL_OF_TEXT, *METRICS_THEN, GROUPS, RESET, ISOLATION, *options.LIMITS,
        WATCH, *options.OUTPUT,
    ),
)  # fmt: skip


def _doctor(args: argparse.Namespace) -> int:
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
    report = ReadinessReport(brokers, groups, found.left_out, set_up(args))
    for line in (*left_out_lines(found.left_out), *found.remarks):
        remark(line)
    deliver(report, args)
    return ACT if report.asks() else FINE


def set_up(args: argparse.Namespace) -> dict[str, str]:
    """What of equilag is set up on this machine -> how: its configuration, and its extras, by the
    metadata of the package."""
    from importlib.metadata import PackageNotFoundError, distribution, requires

    lines: list[str] = []
    with suppress(PackageNotFoundError):  # a checkout that is not installed
        lines = requires("equilag") or []
    found = read_configuration([] if args.profile is None else [PROFILE.flag, args.profile])
    set_here = sum(one.source is None for one in found.values.values())
    profile = f"profile {found.profile} of {found.file}" if found.profile else "no profile"
    missing: dict[str, list[str]] = {}
    for package, extra in re.findall(r"^([\w.-]+).*extra == .([\w-]+)", "\n".join(lines), re.M):
        missing.setdefault(extra, [])
        try:
            distribution(package)
        except PackageNotFoundError:
            missing[extra].append(package)
    return {
        "configuration": f"{profile}, {plural(set_here, 'variable')}; see equilag config",
        **{f"equilag[{extra}]": f"without {', '.join(lacks)}" if lacks else "installed"
           for extra, lacks in missing.items()},
    }  # fmt: skip


DOCTOR: Final = CliCommand(
    "doctor",
    "what brokers and groups are ready for, and the next step",
    """\
Says which brokers have the plug-in for KIP-848 groups, how a steward can lead
each group, what would be lost, and the next step. equilag never joins a group,
commits or changes a setting. It needs DESCRIBE on groups and their topics, and
DESCRIBE_CONFIGS on the cluster. A broker that is down is not asked.""",
    """\
The exit status is 10 if something has to be done, else 0.

example:
  equilag doctor --bootstrap-server kafka:9092 --group orders --json""",
    _doctor,
    (*CLUSTER, Option("--group", "G", "only this group (default: all)"), *options.OUTPUT),
)  # fmt: skip
