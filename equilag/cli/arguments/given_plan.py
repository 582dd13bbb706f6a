"""PLAN beside SNAPSHOT: commands that take a plan, or make one where none is given."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from equilag.cli.arguments.files import one_stdin, read_object
from equilag.cli.arguments.source import in_place_of_file, read_group
from equilag.domain.policy.policy import Policy

if TYPE_CHECKING:
    from equilag.domain.group.group import Group


def add_plan(parser: argparse.ArgumentParser) -> None:
    """PLAN, after SNAPSHOT."""
    parser.add_argument(
        "plan", metavar="PLAN", nargs="?",
        help="the plan, as plan --out writes it; - reads standard input (default: make one)",
    )  # fmt: skip


def place_files(args: argparse.Namespace) -> None:
    """Take the one file beside another source of the group for PLAN. Raises InputError for two
    inputs from the one standard input."""
    if in_place_of_file(args) and args.plan is None:
        args.snapshot, args.plan = None, args.snapshot
    one_stdin(args.snapshot, args.plan, args.from_describe)


def refuse_with_plan(args: argparse.Namespace, policy: Policy) -> None:
    """Refuse settings of the plan beside PLAN, which has its own."""
    if args.plan is not None and policy != Policy():
        args.refuse("with PLAN the options that make a plan have no effect")


def read_inputs(args: argparse.Namespace, policy: Policy) -> tuple[Group, dict[str, Any] | None]:
    """The group, and the plan's JSON; None where a plan is to be made. Raises InputError."""
    group = read_group(args, policy if args.plan is None else None)
    return group, given_plan(args)


def given_plan(args: argparse.Namespace) -> dict[str, Any] | None:
    """The JSON of PLAN. Raises InputError."""
    return None if args.plan is None else read_object(args.plan)
