"""What commands that plan share: a run that is watched, can be stopped, and names options."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from equilag.cli.arguments import options
from equilag.cli.arguments.files import naming_plan
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import FINE, INTERRUPTED
from equilag.cli.stop_signals import stopping
from equilag.domain.policy.policy import Policy

if TYPE_CHECKING:
    from equilag.planner.solving.run_settings import RunSettings


@contextmanager
def answering(args: argparse.Namespace, policy: Policy) -> Iterator[RunSettings]:
    """The settings of the run. Its errors name options, and the file of a plan that was given."""
    plan = getattr(args, "plan", None)
    with stopping() as stop, ProgressLine() as line, options.named(policy), naming_plan(plan):
        yield {
            "time_limit": args.time_limit,
            "seed": args.seed,
            "effort": args.effort,
            "deterministic": args.deterministic,
            "progress": line,
            "stop": stop,
        }


def status_of(*, interrupted: bool) -> int:
    """The exit status of an answer, which may have been told to end before it was done."""
    return INTERRUPTED if interrupted else FINE
