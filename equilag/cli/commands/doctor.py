"""``equilag doctor``: what brokers and groups are ready for."""

from __future__ import annotations

import argparse
import re
from contextlib import suppress
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.cluster import add_cluster, reading
from equilag.cli.arguments.configuration import PROFILE, read_configuration
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.source import source_words
from equilag.cli.deliver import deliver
from equilag.cli.screen import ACT, FINE, remark
from equilag.domain.show import plural

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
