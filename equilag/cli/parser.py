"""The parser of the command line: the commands, the help, and messages about wrong usage."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Final, NoReturn

from equilag import __version__
from equilag.cli.arguments.configuration import add_profile, put_values, read_configuration, settle
from equilag.cli.arguments.conversions import MAX_SHOWN
from equilag.cli.arguments.options import TEXT, options_of
from equilag.cli.commands import (
    collect,
    completion,
    config,
    doctor,
    exporter,
    fleet,
    group_answers,
    groups,
    report,
    snapshot,
    steward,
    verify,
)
from equilag.cli.group_command import GroupCommand
from equilag.cli.screen import emit
from equilag.domain.errors import InputError
from equilag.domain.figures import shorten
from equilag.domain.show import guess, masked

SECTIONS: Final[dict[str, tuple[ModuleType | GroupCommand, ...]]] = {
    "one group": (
        group_answers.PLAN, group_answers.EXPLAIN, group_answers.ASSIGN, group_answers.COMPARE,
        group_answers.FRONTIER, report, verify,
    ),
    "members and time": (group_answers.SIZE, group_answers.SIMULATE),
    "live groups": (groups, snapshot, steward, exporter, doctor),
    "fleets": (collect, fleet),
    "your shell": (config, completion),
}  # fmt: skip
"""The commands as the help lists them."""
COMMANDS: Final = tuple(module for modules in SECTIONS.values() for module in modules)

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
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
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
        for title, modules in SECTIONS.items():
            lines += [f"{title}:"]
            lines += [f"  {module.NAME:<11} {module.HELP}" for module in modules]
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
    names = ", ".join(module.NAME for module in COMMANDS)
    parser.set_defaults(
        parser=parser, run=lambda _: parser.error(f"COMMAND is required: one of {names}")
    )
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    first = next((word for word in words if word == "-" or not word.startswith("-")), "")
    named = [module for module in COMMANDS if first == module.NAME]
    asks = named and not {"-h", "--help"} & {*words}
    for module in named or COMMANDS:
        command = commands.add_parser(
            module.NAME, help=module.HELP, description=module.DESCRIPTION, epilog=module.EPILOG
        )
        module.configure(command)
        command.set_defaults(run=module.run, parser=command, whole_parser=build_parser)
        if any(options_of(command)):
            add_profile(command)
            if asks:
                put_values(command, read_configuration(words).values, build_parser)
    return parser


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
