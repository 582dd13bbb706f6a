"""``equilag fleet export``: one group's snapshot and plan, out of a finished run, as files."""

from __future__ import annotations

import argparse
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Final

from equilag.cli.arguments.files import OutputFile
from equilag.cli.arguments.options import Option, add, add_json
from equilag.cli.screen import emit
from equilag.domain.figures import printable
from equilag.report.json_text import to_json

NAME: Final = "export"
HELP: Final = "one group's snapshot and plan, as files"
DESCRIPTION: Final = """\
Writes one group's snapshot and its plan with the certificate, as the run found
it, to GROUP.snapshot.json and GROUP.plan.json: both or none. equilag verify
accepts the pair, and equilag plan finds the same plan again."""
EPILOG: Final = """\
In the file names, "_" replaces every character other than ASCII letters,
digits, ".", "_" and "-", and a "." or "-" in front; names are cut at 100
characters. A name that is changed ends in "-" and eight digits of its SHA-256.
Existing files of these names are replaced.

example:
  equilag fleet export run-1 payments-service --out /tmp"""
FORMAT: Final = "equilag/fleet-export/1"
CUT: Final = "the time limit cut the run short, so equilag plan may find another plan"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a finished run")
    parser.add_argument("group", metavar="GROUP", help="the name of a planned group")
    add(parser, Option("--out", "DIR2", "an existing directory to write to (default: the current"
                       " one)", default="."))  # fmt: skip
    add_json(parser, "print the files' names and the commands as JSON")


def run(args: argparse.Namespace) -> int:
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
        document = {
            "format": FORMAT,
            "group": plan.group.name,
            "directory": args.directory,
            "policy": plan.settings,
            "status": plan.status,
            "evidence": plan.evidence,
            "snapshot_file": snapshot_path,
            "plan_file": plan_path,
            "commands": {"verify": verify, "plan": again},
        }
        emit(to_json(document))
        return 0
    lines = [f"snapshot  {snapshot_path}", f"plan      {plan_path}", ""]
    lines += ["check the plan, and make it again:", f"  {verify}", f"  {again}"]
    lines += [] if plan.repeatable else [CUT]
    emit("\n".join(map(printable, lines)) + "\n")
    return 0


def write_both(first: OutputFile, second: OutputFile, text: str, other: str) -> None:
    """Write two files, or leave both as they were. Raises InputError."""
    path = Path(first.path).resolve()
    there = path.exists()
    before = path.read_bytes() if path.is_file() else None
    first.write(text)
    try:
        second.write(other)
    except BaseException:
        with suppress(OSError):
            if before is not None:
                path.write_bytes(before)
            elif not there:
                path.unlink()
        raise
