"""Options: how they are declared, and those that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from equilag.cli.arguments.conversions import OneOf, duration, percent, seconds, span_text, whole
from equilag.report.terminal import COLORS, DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH

if TYPE_CHECKING:
    from equilag.planner.worth.thresholds import VerdictLimits


AnyParser = argparse.ArgumentParser | argparse._ArgumentGroup
"""What is declared is added to."""
LIVE: Final = "--bootstrap-server"
TEXT: Final = "--from-describe"
METRICS: Final = "--prometheus"
"""The options that name a live group, a text of Kafka's tools, and metrics."""
SERVER: Final = f"{METRICS} URL"
"""What an option needs that no text of metrics takes."""
FILES: Final = frozenset({
    "SNAPSHOT", "PLAN", "PLAN.json", "F", "F2", "F.html", "FILE", "FILE.properties", "FILE.toml",
    "PATH", "TEXT",
})  # fmt: skip
"""What the help calls the name of a file."""
MAX_SEED: Final = 2**31
"""The solvers take a signed 32-bit seed."""


class Option(NamedTuple):
    """An option as it is declared: by this alone a command line, a variable of the environment and
    a profile set it. Without a value and without a default it is None. Without dashes before its
    name it is what only a command line has at its place."""

    flag: str
    metavar: str
    """What the help calls its value; empty for one without a value, which is True if given, and
    False after ``--no-…``."""
    help: str
    """Without the default where that is `default`. Empty for one that no help names; then only a
    command line sets it."""
    type: Callable[[str], Any] = str
    default: Any = None
    repeats: bool = False
    """True if it can be given several times: then its value is a list."""
    required: bool = False
    needs: tuple[str, ...] = ()
    """Options of which one has to be given beside this one."""
    excludes: str = ""
    """An option that cannot stand beside this one."""
    is_source: bool = False
    """True if it names a group or groups to read: only one of the sources counts."""
    parameter: str = ""
    """The parameter that it sets, where that is not its name."""
    alone: Any = None
    """Its value where it is given without one."""

    @property
    def key(self) -> str:
        """Its name in a profile and, in capitals, in the environment."""
        return self.flag[2:].replace("-", "_")

    @property
    def help_text(self) -> str:
        """The help with the default."""
        told = self.default is None or "(default:" in self.help
        if told or not (self.metavar and self.help):
            return self.help
        is_time = self.type is duration
        words = span_text(self.default) if is_time else value_text(self, self.default)
        return f"{self.help} (default: {words})"

    @property
    def unset(self) -> Any:
        """The parameter without the option."""
        if self.repeats:
            return []
        return False if self.default is None and not self.metavar else self.default


class Titled(NamedTuple):
    """Options below a title of the help."""

    title: str
    options: tuple[Option, ...]


Declared: TypeAlias = Option | Titled


LayerName = Literal["option", "environment", "profile"]
"""What sets the value of an option, the first one first."""


class Origin(NamedTuple):
    """Where the value of an option comes from, as messages name it."""

    layer: LayerName
    place: str = ""
    source: str | None = None
    """The file of a profile."""
    text: Any = None
    """The value as it stands there."""


TYPED: Final = Origin("option")


class Taken(argparse.Action):
    """Takes an option from the command line. A repeated one that stands there takes nothing from
    other places."""

    def __init__(self, option_strings: Sequence[str], dest: str, declared: Option) -> None:
        self.declared = declared
        self.origin: Origin | None = None
        """None for the default."""
        words = declared.metavar
        super().__init__(
            option_strings, declared.parameter or dest, default=declared.unset,
            nargs=0 if not words else None if declared.alone is None else "?",
            const=declared.alone, type=declared.type if words else None,
            required=declared.required, help=declared.help_text or argparse.SUPPRESS,
            metavar=words or None,
        )  # fmt: skip

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        if not self.declared.metavar:
            values = self.switched(not str(option_string).startswith("--no-"))
        elif self.declared.repeats:
            before = getattr(namespace, self.dest) if self.origin == TYPED else []
            values = [*before, values]
        self.origin = TYPED
        setattr(namespace, self.dest, values)

    def switched(self, on: bool) -> Any:
        """The value of an option without one."""
        if not on:
            return self.declared.unset
        return True if self.declared.alone is None else self.declared.alone


class TakenOften(Taken, argparse._AppendAction):
    """The same of an option that can be repeated, by the class that makers of completion know."""


def add(parser: AnyParser, *declared: Declared) -> None:
    """Add what is declared to a parser."""
    for one in declared:
        if isinstance(one, Titled):
            add(parser.add_argument_group(one.title), *one.options)
        elif not one.flag.startswith("--"):
            nargs = "*" if one.repeats else None if one.required else "?"
            parser.add_argument(
                one.flag, metavar=one.metavar, nargs=nargs, type=one.type, help=one.help
            )
        else:
            kind = TakenOften if one.repeats else Taken
            action = parser.add_argument(one.flag, action=kind, declared=one)
            if not one.metavar:
                parser._option_string_actions[f"--no-{one.flag[2:]}"] = action


def parsers_of(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of its commands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers_of(below)


def options_of(parser: argparse.ArgumentParser) -> Iterator[Taken]:
    """The options that were added."""
    return (action for action in parser._actions if isinstance(action, Taken))


def is_server(name: str) -> bool:
    """True for a value of ``--prometheus`` that is no text."""
    return name.lower().startswith(("http://", "https://"))


def given_options(parser: argparse.ArgumentParser, found: argparse.Namespace) -> list[Taken]:
    """The options that have a value, typed or not; 0 is one."""
    values = [(one, getattr(found, one.dest)) for one in options_of(parser)]
    return [
        one for one, value in values if value is not None and value is not False and value != []
    ]


def value_text(declared: Option, value: Any) -> str:
    """A value of an option, or of a place that sets it, as it is typed; empty for none, a line for
    each of several."""
    if isinstance(value, list):
        return "\n".join(value_text(declared, one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):  # a member with its topics, an address
        first, second = value
        return f"{first}={','.join(second)}" if isinstance(second, list) else f"{first}:{second}"
    if isinstance(value, float):
        return f"{value:g}{'s' if declared.type is duration else ''}"
    return "" if value is None else str(value)


def take_back(action: Taken, found: argparse.Namespace) -> None:
    """Leave an option at its default."""
    setattr(found, action.dest, action.declared.unset)
    action.origin = None


SNAPSHOT: Final = Option(
    "snapshot", "SNAPSHOT",
    "the group: JSON (equilag/snapshot/1), plain, gzip or zstd; - reads standard input",
)  # fmt: skip
SEED: Final = Option("--seed", "N", "seed of the random choices", whole(MAX_SEED), 0)


def run_options(time_limit: float) -> tuple[Option, ...]:
    """How long a plan is searched for, from which seed; `answering` reads the options."""
    return (
        SEED,
        Option("--time-limit", "S", "planning time in seconds", seconds, time_limit),
        Option("--effort", "S", "limit the counted work to about S core-seconds; runs are"
               " repeatable", seconds),
        Option("--deterministic", "", "the same as --effort with half the time limit"),
    )  # fmt: skip


SCREEN: Final = (
    Option("--width", "N", f"columns of the report, {MIN_WIDTH} or more (default: the"
           f" terminal's, else {DEFAULT_WIDTH})", whole(MAX_WIDTH + 1, MIN_WIDTH)),
    Option("--color", "WHEN", f"{', '.join(COLORS)}; auto: on a terminal, unless NO_COLOR or"
           " FORCE_COLOR is set", OneOf(COLORS), COLORS[0]),
)  # fmt: skip
"""How a report looks; `screen.report_for` reads them."""
OUTPUT: Final = (
    Option("--output", "O", "what to print: text, json, an installed output, or MODULE:FUNCTION",
           default="text"),
    Option("--json", "", "the same as --output json", default="text", parameter="output",
           alone="json"),
    *SCREEN,
)  # fmt: skip
"""What the report is written as; and how text looks."""


def check_output(args: argparse.Namespace) -> None:
    """Raises InputError if there is no such output: before a large file is read for it."""
    from equilag.report.outputs import TEXT, check_output

    check_output(getattr(args, "output", TEXT))


PLAN_OUTPUTS: Final = (
    Option("--out", "PLAN.json", "write the plan's JSON to this file"),
    Option("--verbose", "", "show also how the plan was found, and how fast"),
)
"""Of the commands that make a plan."""
LIMITS: Final = (
    Option("--gain", "PERCENT", "minimum relief of the most relieved member, in percent of a fair"
           " share", percent, 10.0),
    Option("--min-gain", "RECORDS", "minimum relief in records besides (default: what a member gets"
           " in a second, or 1000 where no rate is known)", whole()),
    Option("--min-lag", "RECORDS", "lag per partition that is much, where no rate is known",
           whole(), 10_000),
    Option("--behind", "T", "lag that is much, in time of production", duration, 60.0),
)  # fmt: skip
"""From where on something is wrong with a group; of every command that judges one."""
COMPARED: Final = Option(
    "--assignor", "MODULE:ATTRIBUTE",
    "an assignor of your own to compare as well; can be repeated", repeats=True,
)  # fmt: skip
"""Of the commands that compare all assignors."""


def limits_of(args: argparse.Namespace) -> VerdictLimits:
    """What `LIMITS` say."""
    from equilag.planner.worth.thresholds import Thresholds, VerdictLimits

    thresholds = Thresholds(args.gain, min_gain=args.min_gain)
    return VerdictLimits(thresholds, args.min_lag, args.behind)


def check_assignors(args: argparse.Namespace) -> None:
    """Raises InputError for a wrong name, if the command takes any: before a large file is read for
    it."""
    names = getattr(args, "assignor", None)
    for name in [names] if isinstance(names, str) else names or ():
        from equilag.heuristics.registry import get_assignor

        get_assignor(name)
