"""Commands about one group: each is declared by its options, its answer and what it writes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from equilag.adapters.files import OutputFile
from equilag.cli.arguments import options
from equilag.cli.arguments.files import naming_plan, one_stdin, read_object
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.policy_options import add_settings, policy_of
from equilag.cli.arguments.source import add_source, in_place_of_file, read_group
from equilag.cli.deliver import deliver
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import ACT, FINE, INTERRUPTED
from equilag.cli.stop_signals import stopping
from equilag.domain.policy.policy import Policy

if TYPE_CHECKING:
    from equilag.domain.group.group import Group
    from equilag.domain.policy.setting import Command
    from equilag.planner.solving.run_settings import RunSettings
    from equilag.report.report_blocks import Report

PLAN_HELP = "the plan, as plan --out writes it; - reads standard input (default: make one)"


@contextmanager
def answering(args: argparse.Namespace) -> Iterator[RunSettings]:
    """The settings of a run that is watched and can be stopped. Its errors name the file of a plan
    that was given."""
    plan = getattr(args, "plan", None)
    with stopping() as stop, ProgressLine() as line, naming_plan(plan):
        yield {
            "time_limit": args.time_limit,
            "seed": args.seed,
            "effort": args.effort,
            "deterministic": args.deterministic,
            "progress": line,
            "stop": stop,
        }


class Question(NamedTuple):
    """What a command is asked."""

    args: argparse.Namespace
    group: Group
    policy: Policy
    plan: dict[str, Any] | None
    """The JSON of PLAN; None where a plan is to be made."""
    run: RunSettings


@dataclass(frozen=True)
class GroupCommand:
    """A command, which the parser takes for a module of one."""

    NAME: str
    HELP: str
    DESCRIPTION: str
    EPILOG: str
    answer: Callable[[Question], Report]
    own: tuple[Option, ...] = ()
    """Options of its own."""
    time_limit: float | None = None
    """Default of the planning time in seconds; None for a command that searches for no plan."""
    settings: Command = "plan"
    """Whose settings of a policy it takes."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    helps: Mapping[str, str] = field(default_factory=dict)
    """As for `add_settings`."""
    takes_plan: bool = False
    """True if PLAN may stand beside SNAPSHOT."""
    beside_plan: tuple[str, ...] = ()
    """Settings of the policy that have an effect beside PLAN."""
    writes_plan: bool = False

    def configure(self, parser: argparse.ArgumentParser) -> None:
        add_source(parser)
        if self.takes_plan:
            parser.add_argument("plan", metavar="PLAN", nargs="?", help=PLAN_HELP)
        options.add(parser, *self.own)
        if self.time_limit is not None:
            add_settings(parser, self.settings, self.defaults, self.helps)
            options.add_run(parser, time_limit=self.time_limit)
        if self.writes_plan:
            options.add(parser, *options.PLAN_OUTPUTS)
        options.add_output(parser)

    def run(self, args: argparse.Namespace) -> int:
        """The exit status. Raises InputError, before a large file is read where it can."""
        if self.takes_plan:
            place_files(args)
        searches = self.time_limit is not None
        policy = Policy()
        if searches:
            policy = policy_of(args, self.settings, self.defaults, self.beside_plan)
        options.check_output(args)
        plan = getattr(args, "plan", None)
        target, plot = (_file(args, name, (args.snapshot, plan)) for name in ("out", "plot"))
        ending = ""
        if plot is not None:
            from equilag.report.plot import check_plot

            ending = check_plot(plot.path)
        options.check_assignors(args)
        warned = searches and self.settings == "plan" and plan is None
        group = read_group(args, policy if warned else None)
        document = None if plan is None else read_object(plan)
        if searches:
            with answering(args) as settings:
                report = self.answer(Question(args, group, policy, document, settings))
        else:
            report = self.answer(Question(args, group, policy, document, {}))
        if plot is not None:
            from equilag.report.plot import plot_of

            plot.write(plot_of(report.chart, group.name, ending))
        deliver(report, args, target)
        if getattr(args, "check", False) and report.asks() and not report.interrupted:
            return ACT
        return INTERRUPTED if report.interrupted else FINE


def _file(args: argparse.Namespace, name: str, inputs: tuple[str | None, ...]) -> OutputFile | None:
    """The file that an option names, if the command has it. Raises InputError."""
    path = getattr(args, name, None)
    return None if path is None else OutputFile(path, f"--{name}", inputs)


def place_files(args: argparse.Namespace) -> None:
    """Take the one file beside another source of the group for PLAN. Raises InputError for two
    inputs from the one standard input."""
    if in_place_of_file(args) and args.plan is None:
        args.snapshot, args.plan = None, args.snapshot
    one_stdin(args.snapshot, args.plan, *args.from_describe)
