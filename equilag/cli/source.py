"""The group that a command is about: from a snapshot file, or from a live cluster."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from equilag.cli.cluster import add_cluster, add_reading, reading
from equilag.cli.files import OutputFile, read_snapshot
from equilag.cli.options import RESETS_DEFAULT, SNAPSHOT_HELP
from equilag.cli.screen import remark
from equilag.errors import InputError
from equilag.report.json_text import to_json

if TYPE_CHECKING:
    from equilag.building.group_input import GroupInput
    from equilag.group import Group

LIVE_ONLY: Final = (
    "group", "command_config", "auto_offset_reset", "isolation_level", "save_snapshot",
)  # fmt: skip


def add_source(parser: argparse.ArgumentParser) -> None:
    """SNAPSHOT, and the options for a live group in its place."""
    parser.add_argument("snapshot", metavar="SNAPSHOT", nargs="?", help=SNAPSHOT_HELP)
    live = parser.add_argument_group("a live group in place of SNAPSHOT")
    add_cluster(live, required=False)
    live.add_argument("--group", metavar="G", help="the consumer group to read")
    add_reading(live)
    live.add_argument(
        "--save-snapshot",
        metavar="F",
        help="write the group's snapshot to this file, for equilag verify F PLAN",
    )
    parser.set_defaults(refuse=parser.error)


def read_group(args: argparse.Namespace) -> Group:
    """The group that the command is about. Raises InputError, also for options that do not go
    together."""
    check_source(args)
    if args.bootstrap_server is None:
        return read_snapshot(args.snapshot)
    target = _saved(args)

    from equilag.adapters.snapshot.write import snapshot_document
    from equilag.group import Group

    given, remarks = live_group(args)
    for line in remarks:
        remark(line)
    group = Group.build(**given)
    if target is not None:
        target.write(to_json(snapshot_document(given), group.n_partitions))
    return group


def live_group(args: argparse.Namespace) -> tuple[GroupInput, list[str]]:
    """A live group as it was read, and remarks about it. Raises InputError."""
    with reading(args) as reader:
        found = reader.read(args.group)
    return found.group_input(args.auto_offset_reset or RESETS_DEFAULT), found.remarks


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
