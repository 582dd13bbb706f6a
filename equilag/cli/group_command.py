"""Commands, as they are declared; those about one group by their answer and what it writes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from equilag.adapters.files import OutputFile
from equilag.cli.arguments import options
from equilag.cli.arguments.files import naming_plan, one_stdin, read_object
from equilag.cli.arguments.options import Declared, Option
from equilag.cli.arguments.policy_options import policy_of, settings_options
from equilag.cli.arguments.source import SOURCE, GroupPast, in_place_of_file, read_group
from equilag.cli.progress_line import ProgressLine
from equilag.cli.screen import ACT, FINE, INTERRUPTED, deliver, deliver_page
from equilag.cli.stop_signals import stopping
from equilag.domain.policy.policy import Policy

if TYPE_CHECKING:
    from equilag.domain.group.group import Group
    from equilag.domain.policy.setting import Command
    from equilag.planner.solving.run_settings import RunSettings
    from equilag.report.report_blocks import Report

PLAN_FILE: Final = Option(
    "plan", "PLAN", "the plan, as plan --out writes it; - reads standard input (default: make one)"
)


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
    past: GroupPast
    """The group, and what it was before."""
    policy: Policy
    plan: dict[str, Any] | None
    """The JSON of PLAN; None where a plan is to be made."""
    run: RunSettings

    @property
    def group(self) -> Group:
        return self.past.group


class CliCommand(NamedTuple):
    """A command as the parser takes it."""

    name: str
    help: str
    description: str
    epilog: str
    run: Callable[[argparse.Namespace], int]
    """Returns the exit status. Raises InputError."""
    declared: tuple[Declared, ...] = ()
    """What it takes."""
    below: tuple[CliCommand, ...] = ()
    """Commands of its own."""


@dataclass(frozen=True)
class GroupCommand:
    """The same of one that answers a question about one group."""

    name: str
    help: str
    description: str
    epilog: str
    answer: Callable[[Question], Report]
    own: tuple[Option, ...] = ()
    """Options of its own."""
    time_limit: float | None = None
    """Default of the planning time in seconds; None for a command that searches for no plan."""
    settings: Command = "plan"
    """Whose settings of a policy it takes."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    helps: Mapping[str, str] = field(default_factory=dict)
    """As for `settings_options`."""
    place: Callable[[argparse.Namespace], None] | None = None
    """Tells files apart, and checks them, where there are others than SNAPSHOT. Raises
    InputError."""
    beside_plan: tuple[str, ...] = ()
    """Settings of the policy that have an effect beside PLAN."""
    writes_plan: bool = False
    makes_page: bool = False
    """True if it writes a page; what it prints is then up to its own options."""
    below: ClassVar[tuple[CliCommand, ...]] = ()

    @property
    def declared(self) -> tuple[Declared, ...]:
        searching: tuple[Declared, ...] = ()
        if self.time_limit is not None:
            settings = settings_options(self.settings, self.defaults, self.helps)
            searching = *settings, *options.run_options(self.time_limit)
        written = options.PLAN_OUTPUTS if self.writes_plan else ()
        printed = () if self.makes_page else options.OUTPUT
        return *SOURCE, *self.own, *searching, *written, *printed

    def run(self, args: argparse.Namespace) -> int:
        """The exit status. Raises InputError, before a large file is read where it can."""
        if self.place is not None:
            self.place(args)
        searches = self.time_limit is not None
        settings_of = self.settings, self.defaults, self.beside_plan
        policy = policy_of(args, *settings_of) if searches else Policy()
        options.check_output(args)
        plan, others = getattr(args, "plan", None), getattr(args, "others", ())
        target, plot = (
            None if path is None else OutputFile(path, option, (args.snapshot, plan, *others))
            for option in ("--out", "--plot")
            for path in [getattr(args, option[2:], None)]
        )
        ending = ""
        if plot is not None:
            from equilag.report.plot import check_plot

            ending = check_plot(plot.path)
        options.check_assignors(args)
        warned = searches and self.settings == "plan" and plan is None
        past = read_group(args, policy if warned else None)
        document = None if plan is None else read_object(plan)
        run: AbstractContextManager[RunSettings] = nullcontext({})
        with answering(args) if searches else run as settings:
            report = self.answer(Question(args, past, policy, document, settings))
        if plot is not None:
            from equilag.report.plot import plot_of

            plot.write(plot_of(report.chart, past.group.name, ending))
        (deliver_page if self.makes_page else deliver)(report, args, target)
        if getattr(args, "check", False) and report.asks() and not report.interrupted:
            return ACT
        return INTERRUPTED if report.interrupted else FINE


def place_files(args: argparse.Namespace) -> None:
    """Take the one file beside another source for PLAN. Raises InputError for two of stdin."""
    if in_place_of_file(args) and args.plan is None:
        args.snapshot, args.plan = None, args.snapshot
    one_stdin(args.snapshot, args.plan, *args.from_describe)
