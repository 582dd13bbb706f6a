"""The commands and their options, and what is said to somebody who gets them wrong."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from equilag.cli import (
    assign,
    collect,
    compare,
    fleet,
    frontier,
    groups,
    plan,
    snapshot,
    steward,
    verify,
)
from equilag.errors import InputError

COMMANDS: Final = (
    plan, assign, compare, verify, frontier, snapshot, groups, collect, fleet, steward,
)  # fmt: skip

DESCRIPTION: Final = """\
Plans which member of a Kafka consumer group reads which partitions: even
counts, even lag, few moves; and proves how good each plan is."""

EPILOG: Final = """\
example:
  equilag plan snapshot.json --time-limit 5 --out plan.json
  equilag verify snapshot.json plan.json

SNAPSHOT and PLAN are JSON files, also gzip or zstd; "-" reads standard input.
--bootstrap-server B --group G takes the place of SNAPSHOT where a live group is
to be read.
equilag COMMAND --help describes the options of a command.

exit status:
  0    fine
  1    only from verify: the plan does not hold
  2    bad input or usage, with one line on standard error; nothing written
  70   a defect of equilag: a plan contradicts a bound taken for proved
  130  interrupted"""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the descriptions, which are broken by hand."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24, width=80)


class Parser(argparse.ArgumentParser):
    """An argument parser that says what is wrong in one line."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        settings.setdefault("formatter_class", HelpFormatter)
        super().__init__(*args, **settings)

    def error(self, message: str) -> NoReturn:
        problem = message.removeprefix("argument ")
        raise InputError(f"{problem} (see {self.prog} --help)")


class TopParser(Parser):
    """The parser of `equilag` itself, whose help is a page of its own."""

    def format_help(self) -> str:
        lines = [f"  {module.NAME:<10} {module.HELP}" for module in COMMANDS]
        return "\n".join(
            [
                "usage: equilag COMMAND [ARGUMENTS]",
                "       equilag --help | --version",
                "",
                DESCRIPTION,
                "",
                "commands:",
                *lines,
                "",
                EPILOG,
                "",
            ]
        )


class ShowVersion(argparse.Action):
    """``--version``; the installed package is asked only then."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        from importlib.metadata import PackageNotFoundError, version

        from equilag.cli.screen import emit

        try:
            emit(f"equilag {version('equilag')}\n")
        except PackageNotFoundError:
            emit("equilag (not installed, so of no known version)\n")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """The parser; a parsed command carries its function as `run`."""
    parser = TopParser(prog="equilag")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="the version, and no more")
    names = ", ".join(module.NAME for module in COMMANDS)
    parser.set_defaults(run=lambda _: parser.error(f"no command; one of {names}"))
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    for module in COMMANDS:
        command = commands.add_parser(
            module.NAME, help=module.HELP, description=module.DESCRIPTION, epilog=module.EPILOG
        )
        module.configure(command)
        command.set_defaults(run=module.run)
    return parser
