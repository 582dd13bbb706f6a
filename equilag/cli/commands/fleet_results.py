"""``equilag fleet show``, ``report`` and ``export``: a finished run on the screen, as a page, and a
group of it as files."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

from equilag.adapters.files import OutputFile, write_both
from equilag.cli.arguments import options
from equilag.cli.arguments.conversions import whole
from equilag.cli.arguments.options import Option
from equilag.cli.group_command import CliCommand
from equilag.cli.screen import deliver, deliver_page, emit, page_required
from equilag.domain.figures import printable
from equilag.report.outputs import to_json

if TYPE_CHECKING:
    from equilag.planner.facts.fleet_run import FleetRun
    from equilag.report.reports.fleet import FleetReport

TOP: Final = 20
"""Worst groups that are shown unless another number is asked for: what a screen holds."""
EPILOG: Final = """\
Needs neither Spark nor Java.

example:
  equilag fleet {example}"""
EXPORT_FORMAT: Final = "equilag/fleet-export/1"
CUT: Final = "the time limit cut the run short, so equilag plan may find another plan"


def _read(directory: str, top: int, *, every_group: bool = False) -> FleetReport:
    from equilag.pipeline.results.fleet_report import load_fleet
    from equilag.report.reports.fleet import FleetReport

    return FleetReport(load_fleet(directory), top, every_group=every_group)


RUN: Final = Option("directory", "DIR", "the directory of a finished run", required=True)
TEXTFILE: Final = Option(
    "--textfile", "F.prom", "write the groups' metrics to this file, for node_exporter"
)


def _show(args: argparse.Namespace) -> int:
    options.check_output(args)
    report = _read(args.directory, args.top)
    textfile(report.run, args)
    deliver(report, args)
    return 0


def textfile(run: FleetRun, args: argparse.Namespace) -> None:
    """Write the file of ``--textfile``, if there is one. Raises InputError."""
    if args.textfile is not None:
        from equilag.live.status.metric_families import write_textfile

        write_textfile(run, args.textfile)


def _report(args: argparse.Namespace) -> int:
    page_required(args)
    target = None if args.out is None else OutputFile(args.out, "--out")
    deliver_page(_read(args.directory, TOP, every_group=True), args, target)
    return 0


def _export(args: argparse.Namespace) -> int:
    from equilag.pipeline.results.export import export_group, file_stem, plain_word, plan_command
    from equilag.pipeline.results.run_dir import reading_run

    stem = file_stem(args.group)
    snapshot_path, plan_path = (
        plain_word(Path(args.out) / f"{stem}.{kind}.json") for kind in ("snapshot", "plan")
    )
    targets = OutputFile(snapshot_path, "--out"), OutputFile(plan_path, "--out")
    with reading_run(args.directory):
        snapshot, plan = export_group(args.directory, args.group)
        size = plan.group.n_partitions
        texts = to_json(snapshot, size), to_json(plan.to_dict(), size)
        again = plan_command(plan, snapshot_path)
    write_both(*targets, *texts)
    verify = shlex.join(["equilag", "verify", snapshot_path, plan_path])
    if args.json:
        emit(to_json({
            "format": EXPORT_FORMAT, "group": plan.group.name, "directory": args.directory,
            "policy": plan.settings, "status": plan.status, "evidence": plan.evidence,
            "snapshot_file": snapshot_path, "plan_file": plan_path,
            "commands": {"verify": verify, "plan": again},
        }))  # fmt: skip
        return 0
    lines = [f"snapshot  {snapshot_path}", f"plan      {plan_path}", ""]
    lines += ["check the plan, and make it again:", f"  {verify}", f"  {again}"]
    lines += [] if plan.repeatable else [CUT]
    emit("\n".join(map(printable, lines)) + "\n")
    return 0


SHOW: Final = CliCommand(
    "show",
    "what a finished run found: the worst groups first",
    """\
Shows a finished run: how many groups are planned and proved optimal, the groups
that are the most uneven today with what a plan saves and how many moves it
costs, how far every assignor is from the proved bound over the whole fleet, the
faults of the data, and which groups are not planned and why.""",
    EPILOG.format(example="show run-1 --top 50"),
    _show,
    (
        RUN,
        TEXTFILE,
        Option("--top", "N", "number of worst groups to show", whole(), TOP),
        *options.OUTPUT,
    ),
)  # fmt: skip
REPORT: Final = CliCommand(
    "report",
    "a page about a finished run",
    """\
Writes one HTML file that needs no network: the verdict on the fleet, the worst
groups, who does not keep up, what each assignor would do, groups that are not
planned, and a table of all groups, each with its figures and the commands that
plan it.""",
    EPILOG.format(example="report run-1 --out run-1.html"),
    _report,
    (
        RUN,
        Option("--out", "F.html", "write the page to this file"),
        Option("--json", "", "print the facts of the page, with all groups, as JSON"),
    ),
)  # fmt: skip
EXPORT: Final = CliCommand(
    "export",
    "one group's snapshot and plan, as files",
    """\
Writes one group's snapshot and its plan with the certificate, as the run found
it, to GROUP.snapshot.json and GROUP.plan.json: both or none. equilag verify
accepts the pair, and equilag plan finds the same plan again.""",
    """\
In the file names, "_" replaces every character other than ASCII letters,
digits, ".", "_" and "-", and a "." or "-" in front; names are cut at 100
characters. A name that is changed ends in "-" and eight digits of its SHA-256.
Existing files of these names are replaced.

example:
  equilag fleet export run-1 payments-service --out /tmp""",
    _export,
    (
        RUN,
        Option("group", "GROUP", "the name of a planned group", required=True),
        Option("--out", "DIR2", "an existing directory to write to (default: the current one)",
               default="."),
        Option("--json", "", "print the files' names and the commands as JSON"),
    ),
)  # fmt: skip
