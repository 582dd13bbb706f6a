"""The group that a command is about: a snapshot file, a text of Kafka's tools, a live group."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from equilag.cli.arguments.cluster import add_cluster, add_reading, reading
from equilag.cli.arguments.files import OutputFile, read_snapshot
from equilag.cli.arguments.options import SNAPSHOT_HELP
from equilag.cli.arguments.sampling import add_sample, sampled
from equilag.cli.arguments.text_source import TEXT_OPTIONS, add_text, group_from_text
from equilag.cli.screen import remark
from equilag.domain.errors import InputError
from equilag.report.json_text import to_json
from equilag.report.wording.words import plural

if TYPE_CHECKING:
    from equilag.domain.building.group_input import GroupInput
    from equilag.domain.group.group import Group
    from equilag.domain.policy.policy import Policy

LIVE_ONLY: Final = ("command_config", "isolation_level", "sample")
"""Options for a live group; the next ones are for a text too."""
NOT_FILE: Final = ("group", "auto_offset_reset", "save_snapshot")


def add_source(parser: argparse.ArgumentParser) -> None:
    """SNAPSHOT, and the options for a text or a live group in its place."""
    parser.add_argument("snapshot", metavar="SNAPSHOT", nargs="?", help=SNAPSHOT_HELP)
    add_text(parser.add_argument_group("a text of Kafka's tools in place of SNAPSHOT"))
    live = parser.add_argument_group("a live group in place of SNAPSHOT")
    add_cluster(live, required=False)
    live.add_argument(
        "--group", metavar="G", help="the group to read; a text needs it if it holds several"
    )
    add_reading(live, "its lag is unknown; with a text latest")
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
    if not in_place_of_file(args):
        group = read_snapshot(args.snapshot)
        _warn(group, policy)
        return group
    target = _saved(args)

    from equilag.adapters.snapshot.write import snapshot_document
    from equilag.domain.group.group import Group

    given, remarks, protocol = _other_group(args)
    for line in remarks:
        remark(line)
    group = replace(Group.build(**given), remarks=tuple(remarks))
    _warn(group, policy, protocol)
    if policy is not None and policy.weight is None and args.from_describe is None:
        _hint_at_sample(args)
    if target is not None:
        target.write(to_json(snapshot_document(given), group.n_partitions))
    return group


def _hint_at_sample(args: argparse.Namespace) -> None:
    """Say once how a plan of a live group learns more than lags, unless the weight is chosen."""
    if args.sample is None:
        remark(
            "rates and capacities are unknown, so lag alone is spread; --sample 30s measures them"
        )


def in_place_of_file(args: argparse.Namespace) -> bool:
    """True if the group is not that of a snapshot file."""
    return args.bootstrap_server is not None or args.from_describe is not None


def _other_group(args: argparse.Namespace) -> tuple[GroupInput, list[str], str]:
    """Read a text or a live group. Returns the group, remarks about it, and the assignor that it
    uses, empty if unknown."""
    if args.from_describe is not None:
        return (*group_from_text(args), "")

    from equilag.adapters.kafka.group_kinds import BROKER_ASSIGNS, CONSUMER

    found = live_group(args)
    of_kind = [BROKER_ASSIGNS] if found.kind == CONSUMER else []
    return found.given, [*found.remarks, *of_kind], found.protocol


def _warn(group: Group, policy: Policy | None, protocol: str = "") -> None:
    from equilag.cli.setting_warnings import rack_warnings, setting_warnings, warn_of_torn_topics

    if policy is not None:
        warn_of_torn_topics(group, policy, protocol)
        for line in (*rack_warnings(group, policy), *setting_warnings(group, policy)):
            remark(line)


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
            " 0; set --auto-offset-reset"
        )
    return LiveGroup(given, remarks, found.protocol, found.kind)


def check_source(args: argparse.Namespace) -> None:
    """Refuse anything but exactly one of the three sources. Raises InputError."""
    live, text = args.bootstrap_server is not None, args.from_describe is not None
    if live and text:
        args.refuse("give either --from-describe or --bootstrap-server")
    if args.snapshot is not None and (live or text):
        other = "--bootstrap-server" if live else "--from-describe"
        args.refuse(f"give either SNAPSHOT or {other}")
    if not live:
        refuse_given(args, LIVE_ONLY, "--bootstrap-server")
    if not text:
        refuse_given(args, TEXT_OPTIONS, "--from-describe")
    if not (live or text):
        refuse_given(args, NOT_FILE, "--bootstrap-server or --from-describe")
        if args.snapshot is None:
            args.refuse(
                "SNAPSHOT is required, or --from-describe, or --bootstrap-server with --group"
            )
    elif live and args.group is None:
        args.refuse("--bootstrap-server needs --group")


def refuse_given(args: argparse.Namespace, names: tuple[str, ...], needed: str) -> None:
    """Refuse options that need another one, which is not given."""
    given = next((name for name in names if getattr(args, name) not in (None, False, [])), None)
    if given is not None:
        args.refuse(f"{_option(given)} needs {needed}")


def _saved(args: argparse.Namespace) -> OutputFile | None:
    if args.save_snapshot is None:
        return None
    for other in ("out", "plot"):
        if getattr(args, other, None) == args.save_snapshot:
            raise InputError(f"is also the file of {_option(other)}", "--save-snapshot")
    return OutputFile(args.save_snapshot, "--save-snapshot", (args.from_describe,))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
