"""``equilag report``: a page about a group, to look at and to send; and ``verify``."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from shlex import join, quote
from typing import TYPE_CHECKING, Final

from equilag.adapters.files import STDIN
from equilag.cli.arguments import options
from equilag.cli.arguments.files import (
    naming,
    one_stdin,
    read_file,
    read_object,
    read_snapshot,
    shown_path,
)
from equilag.cli.arguments.options import Option
from equilag.cli.arguments.source import in_place_of_file, source_words
from equilag.cli.group_command import CliCommand, GroupCommand, Question
from equilag.cli.screen import deliver, page_required
from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy

if TYPE_CHECKING:
    from equilag.domain.group.group import Group
    from equilag.report.report_blocks import Report


def _report(asked: Question) -> Report:
    from equilag.certificate.verify import checked_plan
    from equilag.planner.all_answers import all_answers, run_options
    from equilag.report.reports.group_report import GroupReport, ReportBasis
    from equilag.report.reports.history import CoursePoint

    args, (group, sampled, course) = asked.args, asked.past
    for path, one in args.earlier:
        if one.name != group.name:
            problem = f"is of the group {one.name!r}, not of {group.name!r}"
            raise InputError(problem, source=path)
    plan = None if asked.plan is None else checked_plan(group, asked.plan)
    wanted = asked.policy if plan is None else plan.policy or Policy()
    answers = all_answers(group, wanted, asked.run, plan=plan, assignors=args.assignor)
    basis = ReportBasis(_source(args), wanted, run_options(asked.run) if plan is None else {})
    if args.history is not None:
        from equilag.pipeline.results.record import lag_course

        course = lag_course(args.history, group.name)
    points = [CoursePoint(*one) for one in course]
    before = [*(one for _, one in args.earlier), *sampled]
    return GroupReport(answers, basis, before, points, options.limits_of(args))


def _place(args: argparse.Namespace) -> None:
    """Tell a plan from snapshots, and the newest of these from `earlier` ones. Raises InputError
    for two inputs from the one standard input."""
    if in_place_of_file(args) and args.snapshot is not None:
        args.others.insert(0, args.snapshot)
        args.snapshot = None
    one_stdin(args.snapshot, *args.others, *args.from_describe)
    plans = [path for path in args.others if path == STDIN or _is_plan(path)]
    if len(plans) > 1:
        args.parser.error("give one plan at most")
    page_required(args)
    args.plan = next(iter(plans), None)
    args.others = [path for path in args.others if path not in plans]
    args.earlier = _earlier(args)
    args.others = [path for path, _ in args.earlier]


def _is_plan(path: str) -> bool:
    """Snapshots are told from plans; what else it is, its reader says."""
    from equilag.adapters.parse_json import parse_json

    text = read_file(path)
    try:
        value = parse_json(text)
    except InputError:
        return False
    return isinstance(value, dict) and "assignment" in value


def _earlier(args: argparse.Namespace) -> list[tuple[str, Group]]:
    """The snapshots but for the newest, which then is that of the command."""
    from equilag.report.reports.history import in_order

    if not args.others:
        return []
    paths = args.others if args.snapshot is None else [args.snapshot, *args.others]
    groups = [(path, read_snapshot(path)) for path in paths]
    found = in_order([group for _, group in groups])
    groups.sort(key=lambda pair: found.index(pair[1]))
    if args.snapshot is not None:
        args.snapshot = groups.pop()[0]
    return groups


def _source(args: argparse.Namespace) -> str:
    """What the page's commands call the group, as words of a shell: a file, else the options of
    this command. Files are named without the folder that they were in on this machine."""
    if args.save_snapshot is not None:
        return quote(PurePath(args.save_snapshot).name)
    if args.snapshot is not None:
        return quote("SNAPSHOT" if args.snapshot == STDIN else PurePath(args.snapshot).name)
    return join(source_words(args, lambda path: "TEXT" if path == STDIN else PurePath(path).name))


REPORT: Final = GroupCommand(
    "report",
    "a page about a group, in one HTML file to look at and to send",
    """\
Writes one HTML file that needs no network: the verdict, members before and
after, moves, trade-offs between moves and lag spread, lag over time, sizes, a
comparison of assignors, and the proof. Of several snapshots of the group it
plans the newest, and says what changed since the others; with --sample, what
changed while the group was sampled, with --history its lag while it was
recorded.""",
    """\
Without a plan it makes one, with the options of equilag plan. Lag over time
needs the members' capacities, sizes need rates as well.

examples:
  equilag report snapshot.json --out report.html
  equilag report before.json after.json --out report.html""",
    _report,
    (
        Option("others", "FILE", "other snapshots of the group, of which the newest is planned; or"
               " its plan, as plan --out writes it (default: make one)", repeats=True),
        Option("--out", "F.html", "write the page to this file"),
        Option("--history", "DIR", "show the group's lag over a recording of equilag collect"),
        options.COMPARED,
        *options.LIMITS,
        Option("--json", "", "print the report's JSON (equilag/report/1)"),
    ),
    time_limit=2.0,  # for the plan, as of equilag plan; the other parts take theirs on top
    place=_place,
    makes_page=True,
)  # fmt: skip


DOES_NOT_HOLD: Final = 1
"""Exit status that the contract names."""


def _verify(args: argparse.Namespace) -> int:
    one_stdin(args.snapshot, args.plan)
    options.check_output(args)
    group = read_snapshot(args.snapshot)
    document = read_object(args.plan)

    from equilag.certificate.verify import check_plan
    from equilag.report.reports.verification import CheckReport

    with naming(args.plan):
        found = check_plan(group, document)
    deliver(CheckReport(group, shown_path(args.plan), found, document.get("policy")), args)
    return 0 if found.holds else DOES_NOT_HOLD


VERIFY: Final = CliCommand(
    "verify",
    "check a plan and its certificate from scratch, without a solver",
    """\
Recomputes every figure of a plan and proves every claim of its certificate
again, without a solver. It names the claims that only the solver can prove.""",
    """\
exit status: 0 if the plan holds, 1 if it does not (each finding a line),
2 for bad input

example:
  equilag plan snapshot.json --json | equilag verify snapshot.json -""",
    _verify,
    (
        options.SNAPSHOT._replace(required=True),
        Option("plan", "PLAN", "the plan: JSON (equilag/plan/1), plain, gzip or zstd; - reads"
               " standard input", required=True),
        *options.OUTPUT,
    ),
)  # fmt: skip
