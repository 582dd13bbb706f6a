"""The parser of the command line: the commands, the help, and messages about wrong usage."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NoReturn

from equilag import __version__
from equilag.cli.arguments.configuration import add_profile, put_values, read_configuration, settle
from equilag.cli.arguments.conversions import MAX_SHOWN
from equilag.cli.arguments.options import TEXT, add, options_of
from equilag.cli.commands.collect import COLLECT
from equilag.cli.commands.exporter import EXPORTER
from equilag.cli.commands.fleet import FLEET
from equilag.cli.commands.group_answers import (
    ASSIGN,
    COMPARE,
    EXPLAIN,
    FRONTIER,
    PLAN,
    SIMULATE,
    SIZE,
)
from equilag.cli.commands.groups import DOCTOR, GROUPS_LIST
from equilag.cli.commands.report import REPORT, VERIFY
from equilag.cli.commands.shell import COMPLETION, CONFIG
from equilag.cli.commands.snapshot import SNAPSHOT
from equilag.cli.commands.steward import STEWARD
from equilag.cli.group_command import CliCommand, GroupCommand
from equilag.cli.screen import emit
from equilag.domain.errors import InputError
from equilag.domain.figures import shorten
from equilag.domain.show import guess, masked

SECTIONS: Final[dict[str, tuple[CliCommand | GroupCommand, ...]]] = {
    "one group": (PLAN, EXPLAIN, ASSIGN, COMPARE, FRONTIER, REPORT, VERIFY),
    "members and time": (SIZE, SIMULATE),
    "live groups": (GROUPS_LIST, SNAPSHOT, STEWARD, EXPORTER, DOCTOR),
    "fleets": (COLLECT, FLEET),
    "your shell": (CONFIG, COMPLETION),
}
"""The commands as the help lists them."""
COMMANDS: Final = tuple(command for commands in SECTIONS.values() for command in commands)

DESCRIPTION: Final = """\
Plans which member of a Kafka consumer group reads which partitions: even
counts, even lag, few moves; and proves how good each plan is."""

EPILOG: Final = """\
example:
  equilag plan snapshot.json --time-limit 5 --out plan.json
  equilag verify snapshot.json plan.json

SNAPSHOT and PLAN are JSON files, plain, gzip or zstd; "-" reads standard input.
--bootstrap-server B --group G in place of SNAPSHOT reads a live group.
equilag COMMAND --help describes the options of a command. The environment
(EQUILAG_MAX_MOVES=10) and profiles set them too: equilag config shows it.

exit status:
  0    success
  1    only from verify: the plan does not hold
  2    bad input or usage, with one line on standard error; nothing is written
  10   only from plan --check, groups and doctor: there is something to do
  70   internal error; please report it
  130  interrupted"""


MISSING: Final = "the following arguments are required: "
"""How argparse begins the message about missing arguments."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help in 80 columns, as the descriptions, whose lines are broken by hand."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=24, width=80)


class Parser(argparse.ArgumentParser):
    """An argument parser whose messages are one line."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        settings.setdefault("formatter_class", HelpFormatter)
        super().__init__(*args, **settings)

    def error(self, message: str) -> NoReturn:
        problem = message.removeprefix("argument ")
        if problem.startswith(MISSING):
            names = problem.removeprefix(MISSING)
            problem = f"{names} {'are' if ', ' in names else 'is'} required"
        raise InputError(f"{problem} (see {self.prog} --help)")

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Refuses what it does not know. The parser of a command does that itself, since only it
        knows the options that may be meant."""
        found, extras = super().parse_known_args(args, namespace)
        if extras:
            self.error(unknown_arguments(extras, self))
        settle(self, found)
        return found, extras

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Called by argparse for every value; only the names of commands are choices."""
        if action.choices is not None and value not in action.choices:
            self.error(unknown_command(str(value), action.choices))


class TopParser(Parser):
    """The parser of `equilag` itself, with its own page of help."""

    def error(self, message: str) -> NoReturn:
        if message.startswith(f"{UNKNOWN}-"):
            message = f"{message}; put options after COMMAND"
        super().error(message)

    def format_help(self) -> str:
        lines = []
        for title, commands in SECTIONS.items():
            lines += [f"{title}:"]
            lines += [f"  {command.name:<11} {command.help}" for command in commands]
            lines += [""]
        return "\n".join(
            [
                "usage: equilag COMMAND [ARGUMENTS]",
                "       equilag --help | --version",
                "",
                DESCRIPTION,
                "",
                *lines,
                EPILOG,
                "",
            ]
        )


class ShowVersion(argparse.Action):
    """``--version``, through `emit`, which says what cannot be written."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        emit(f"equilag {__version__}\n")
        parser.exit()


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser; a parsed command carries its function as `run`, its own parser, and
    `whole_parser` to make that of all commands. Words that begin with a command need that one only:
    the options of all take longer to declare than most of them to run. It takes values from the
    environment and from a profile. Raises InputError."""
    parser = TopParser(prog="equilag")
    parser.add_argument("--version", action=ShowVersion, nargs=0, help="print the version")
    names = ", ".join(command.name for command in COMMANDS)
    parser.set_defaults(
        parser=parser, run=lambda _: parser.error(f"COMMAND is required: one of {names}")
    )
    first = next((word for word in words if word == "-" or not word.startswith("-")), "")
    named = tuple(command for command in COMMANDS if first == command.name)
    asks = named and not {"-h", "--help"} & {*words}
    for command in _add(parser, "COMMAND", named or COMMANDS):
        command.set_defaults(whole_parser=build_parser)
        if any(options_of(command)):
            add_profile(command)
            if asks:
                put_values(command, read_configuration(words).values, build_parser)
    return parser


def _add(
    parser: argparse.ArgumentParser, metavar: str, commands: Iterable[CliCommand | GroupCommand]
) -> Iterator[argparse.ArgumentParser]:
    """Add commands to a parser; their own parsers."""
    places = parser.add_subparsers(metavar=metavar, parser_class=Parser)
    for one in commands:
        command = places.add_parser(
            one.name, help=one.help, description=one.description, epilog=one.epilog
        )
        add(command, *one.declared)
        command.set_defaults(run=one.run, parser=command)
        if one.below:
            names = " | ".join(below.name for below in one.below)
            list(_add(command, names, one.below))
        yield command


UNKNOWN: Final = "unrecognized arguments: "
"""How the message about unknown arguments begins, in argparse too."""
TEXT_FIRST: Final = f"first equilag snapshot {TEXT} TEXT --out group.json"
"""The way to a command that takes a snapshot only."""
NO_FILE: Final = f"give a text with {TEXT}, and a snapshot to equilag plan"
"""The way from a command that takes no snapshot."""


def unknown_arguments(extras: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """The problem with arguments that a parser does not know, with the option that was meant."""
    problem = f"{UNKNOWN}{shorten(masked(' '.join(extras)), MAX_SHOWN)}"
    files = [one.dest for one in parser._actions if not one.option_strings]
    wrong = next((word for word in extras if word.startswith("-") and word != "-"), None)
    if wrong is None:
        no_file = TEXT in parser._option_string_actions and not files
        return f"{problem}; {NO_FILE}" if no_file else problem
    option = wrong.partition("=")[0]
    if option == TEXT and "snapshot" in files:
        return f"{problem}; {TEXT_FIRST}"
    flags = [one.declared.flag for one in options_of(parser) if one.declared.help]
    return problem + guess(option.lower(), flags)


def unknown_command(word: str, known: Iterable[str]) -> str:
    """The problem with a word that is no command. A file is taken for a snapshot to plan."""
    names = list(known)
    problem = f"{shorten(word, MAX_SHOWN)!r} is none of {', '.join(names)}"
    if "plan" in names and "." in word:
        return f"{problem}, did you mean equilag plan {shorten(word, MAX_SHOWN)}?"
    return problem + guess(word, names)
