"""What `plan` and `assign` do with a finished plan: into a file, onto the screen."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from equilag.cli.files import Target, to_json
from equilag.cli.screen import emit, style_of

if TYPE_CHECKING:
    from equilag.plan import Plan


def target_of(args: argparse.Namespace) -> Target | None:
    """Where ``--out`` says. Raises InputError."""
    return None if args.out is None else Target(args.out, "--out", (args.snapshot,))


def deliver(plan: Plan, args: argparse.Namespace, target: Target | None) -> None:
    """The file first: it is complete even where nobody reads the summary to its end."""
    text = to_json(plan.to_dict(), plan.group.n_partitions) if target or args.json else ""
    if target is not None:
        target.write(text)
    if args.json:
        emit(text)
        return

    from equilag.cli.render_plan import render_plan

    emit(render_plan(plan, style_of(sys.stdout)))
