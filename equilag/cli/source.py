"""The group that a command is about: from a snapshot file, or from a live cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.cli.cluster import add_cluster, add_reading, reading
from equilag.cli.files import OutputFile, read_snapshot
from equilag.cli.options import SNAPSHOT_HELP
from equilag.cli.sampling import add_sample, sampled
from equilag.cli.screen import remark
from equilag.errors import InputError
from equilag.report.json_text import to_json
from equilag.report.words import plural

if TYPE_CHECKING:
    from equilag.building.group_input import GroupInput
    from equilag.group import Group
    from equilag.policy import Policy

LIVE_ONLY: Final = (
    "group", "command_config", "auto_offset_reset", "isolation_level", "sample", "save_snapshot",
)  # fmt: skip


def add_source(parser: argparse.ArgumentParser) -> None:
    """SNAPSHOT, and the options for a live group in its place."""
    parser.add_argument("snapshot", metavar="SNAPSHOT", nargs="?", help=SNAPSHOT_HELP)
    live = parser.add_argument_group("a live group in place of SNAPSHOT")
    add_cluster(live, required=False)
    live.add_argument("--group", metavar="G", help="the consumer group to read")
    add_reading(live, "its lag is unknown")
    add_sample(live)
    live.add_argument(
        "--save-snapshot",
        metavar="F",
        help="write the group's snapshot to this file, for equilag verify F PLAN",
    )
    parser.set_defaults(refuse=parser.error)


def read_group(args: argparse.Namespace, policy: Policy | None = None) -> Group:
    """The group that the command is about. Raises InputError, also for options that do not go
    together.

    With the policy of a plan that is to be made, warnings name topics that seem to belong together,
    settings about racks where these are not known, and settings that others change or cancel.
    """
    check_source(args)
    if args.bootstrap_server is None:
        group = read_snapshot(args.snapshot)
        _warn(group, policy)
        return group
    target = _saved(args)

    from equilag.adapters.kafka.group_kinds import BROKER_ASSIGNS, CONSUMER
    from equilag.adapters.snapshot.write import snapshot_document
    from equilag.group import Group

    found = live_group(args)
    for line in found.remarks:
        remark(line)
    if found.kind == CONSUMER:
        remark(BROKER_ASSIGNS)
    group = Group.build(**found.given)
    _warn(group, policy, found.protocol)
    if target is not None:
        target.write(to_json(snapshot_document(found.given), group.n_partitions))
    return group


def _warn(group: Group, policy: Policy | None, protocol: str = "") -> None:
    from equilag.cli.co_partition_warning import warn_of_torn_topics
    from equilag.cli.rack_warning import warn_of_racks
    from equilag.cli.setting_warnings import warn_of_settings

    if policy is not None:
        warn_of_torn_topics(group, policy, protocol)
        warn_of_racks(group, policy)
        warn_of_settings(group, policy)


class LiveGroup(NamedTuple):
    """A live group as it was read."""

    given: GroupInput
    remarks: list[str]
    protocol: str
    """The assignor that it uses; empty if unknown."""
    kind: str
    """The kind of group, such as ``classic``."""


def live_group(args: argparse.Namespace) -> LiveGroup:
    """Read the group, and measure its rates and capacities with ``--sample``. Raises InputError."""
    reset = args.auto_offset_reset
    with reading(args) as reader:
        if args.sample is None:
            found = reader.read(args.group)
            given, remarks = found.group_input(reset), [*found.remarks]
        else:
            found, given, measured = sampled(reader, args.group, args.sample, reset)
            remarks = [*found.remarks, *measured]
    without = sum(map(len, found.offsets.uncommitted.values()))
    if without and reset is None:
        remarks.append(
            f"the lag of {plural(without, 'partition')} without a commit is unknown and counts as"
            " 0; --auto-offset-reset settles it"
        )
    return LiveGroup(given, remarks, found.protocol, found.kind)


def check_source(args: argparse.Namespace) -> None:
    """Refuse anything but exactly one of the two sources. Raises InputError."""
    if args.bootstrap_server is None:
        given = next((name for name in LIVE_ONLY if getattr(args, name) is not None), None)
        if given is not None:
            args.refuse(f"{_option(given)} needs --bootstrap-server")
        if args.snapshot is None:
            args.refuse("SNAPSHOT is required, or --bootstrap-server with --group")
    elif args.snapshot is not None:
        args.refuse("give either SNAPSHOT or --bootstrap-server")
    elif args.group is None:
        args.refuse("--bootstrap-server needs --group")


def _saved(args: argparse.Namespace) -> OutputFile | None:
    if args.save_snapshot is None:
        return None
    for other in ("out", "plot"):
        if getattr(args, other, None) == args.save_snapshot:
            raise InputError(f"is also the file of {_option(other)}", "--save-snapshot")
    return OutputFile(args.save_snapshot, "--save-snapshot")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
