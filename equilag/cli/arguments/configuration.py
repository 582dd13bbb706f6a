"""Values of options that nobody typed: an option that is typed comes before the environment, that
before a profile, that before the default. Everything follows from the declarations of the options.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from equilag.cli.arguments.conversions import OneOf
from equilag.cli.arguments.files import naming, read_file
from equilag.cli.arguments.options import (
    SERVER,
    TYPED,
    LayerName,
    Option,
    Origin,
    Taken,
    add,
    given_options,
    is_server,
    options_of,
    parsers_of,
    take_back,
)
from equilag.cli.screen import remark
from equilag.domain.errors import InputError
from equilag.domain.show import closest, guess, kind, name_of, show

PREFIX: Final = "EQUILAG_"
FILE: Final = f"{PREFIX}CONFIG"
"""The variable that names the file of profiles; the one that no option has."""
USUAL: Final = "default"
"""The profile that is in force unless another one is asked for."""
PROFILE: Final = Option(
    "--profile", "NAME", "values of options, from this table of config.toml (default: that of"
    f" EQUILAG_PROFILE, else {USUAL})",
)  # fmt: skip
RANKS: Final[Mapping[LayerName, int]] = {"option": 3, "environment": 2, "profile": 1}
OF_KUBERNETES: Final = re.compile(
    r"EQUILAG_(\w+_)?(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)"
)
"""What every pod beside a service has whose name is equilag, or begins with equilag-."""
_TRUE: Final = ("true", "yes", "on", "1")
_switch: Final = OneOf((*_TRUE, "false", "no", "off", "0"), ignores_case=True)


class Configuration(NamedTuple):
    """What there is besides a command line."""

    values: Mapping[str, Origin]
    """By the keys of options; those of the profile come first."""
    file: str
    """Of profiles; it may not be there."""
    profile: str | None = None
    """The one in force."""
    profiles: Sequence[str] = ()


def variable(key: str) -> str:
    """The variable of the environment with a value of an option."""
    return f"{PREFIX}{key.swapcase()}"


def usual_file() -> Path:
    """Where profiles stand unless EQUILAG_CONFIG says otherwise."""
    from platformdirs import user_config_path

    return user_config_path("equilag", appauthor=False) / "config.toml"


def read_configuration(words: Sequence[str]) -> Configuration:
    """The profile that the words of a command line or the environment ask for, if there is one, and
    the environment. An empty variable is none. Raises InputError."""
    # With another case than that of all variables it has the key of no option.
    given = {
        name.removeprefix(PREFIX).swapcase(): value
        for name, value in os.environ.items()
        if name.startswith(PREFIX) and value
    }
    path, named = given.pop("config", None), given.pop(PROFILE.key, None)
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    finder.add_argument(PROFILE.flag, nargs="?")
    asked = finder.parse_known_args(words)[0].profile or named
    environment = {
        key: Origin("environment", variable(key), None, text) for key, text in given.items()
    }
    # As a whole path: "-" is no standard input here.
    file = str(Path(path or usual_file()).absolute())
    if path is None and asked is None and not os.path.lexists(file):
        return Configuration(environment, file)
    tables, name = read_profiles(file), asked or USUAL
    if name not in tables:
        if asked is None:
            return Configuration(environment, file, None, [*tables])
        raise InputError(f"there is no profile {show(name)}{guess(name, tables)}", "", file)
    profile = {
        key: Origin("profile", f"{name_of(name)}.{key}", file, value)
        for key, value in tables[name].items()
        if key not in environment
    }
    return Configuration(profile | environment, file, name, [*tables])


def read_profiles(file: str) -> dict[str, Any]:
    """The tables of a file of profiles. Raises InputError."""
    from equilag.adapters.parse_json import parse_toml

    text = read_file(file)
    with naming(file):
        tables = parse_toml(text)
        for name, values in tables.items():
            if not isinstance(values, dict):
                problem = f"{kind(values)}; settings stand below a profile, such as [{USUAL}]"
                raise InputError(problem, name_of(name))
    return tables


def add_profile(parser: argparse.ArgumentParser) -> None:
    """Let a command, and those below it, have ``--profile``."""
    for below in parsers_of(parser):
        add(below, PROFILE)


def put_values(
    parser: argparse.ArgumentParser,
    values: Mapping[str, Origin],
    whole: Callable[[], argparse.ArgumentParser],
) -> None:
    """Make these values defaults of the options of a command; `whole` returns the parser of all.

    An unknown variable is a remark, an unknown key of a profile an InputError, as a wrong value is.
    """

    def keys(of: argparse.ArgumentParser) -> set[str]:
        return {one.declared.key for below in parsers_of(of) for one in settable_options(below)}

    for key, origin in values.items():
        for below in parsers_of(parser):
            for action in settable_options(below):
                if action.declared.key == key:
                    _put(below, action, origin)
    known = keys(parser)
    if values.keys() - known:
        known = keys(whole())
    for key, origin in values.items():
        if key not in known:
            _refuse(origin, key, sorted(known))


def settable_options(parser: argparse.ArgumentParser) -> Iterator[Taken]:
    """The options that the environment and profiles set."""
    chosen = (one for one in options_of(parser) if one.declared != PROFILE)
    return (one for one in chosen if one.declared.help)


def _put(parser: argparse.ArgumentParser, action: Taken, origin: Origin) -> None:
    try:
        value = value_of(action, origin.text)
    except (argparse.ArgumentTypeError, TypeError, ValueError) as error:
        raise InputError(str(error), origin.place, origin.source) from error
    parser.set_defaults(**{action.dest: value})
    action.required, action.origin = False, origin


def value_of(action: Taken, given: Any) -> Any:
    """What an option becomes by a text, number, truth value or list; a text of a repeated option
    has a value in each line. Raises ArgumentTypeError, ValueError."""
    declared = action.declared
    if not declared.metavar:
        is_on = given if isinstance(given, bool) else _switch(_text(given)) in _TRUE
        return action.switched(is_on)
    if not declared.repeats:
        return declared.type(_text(given))
    rows = given if isinstance(given, list) else _text(given).splitlines()
    return [declared.type(_text(row)) for row in rows if row != ""]


def _text(value: Any) -> str:
    if isinstance(value, (bool, list, dict)):
        raise argparse.ArgumentTypeError(f"{kind(value)} is neither a text nor a number")
    return str(value)


def _refuse(origin: Origin, key: str, known: Iterable[str]) -> None:
    if origin.source is not None:
        raise InputError(f"is no setting{guess(key, known)}", origin.place, origin.source)
    if not OF_KUBERNETES.fullmatch(origin.place):
        meant = map(variable, closest(key.lower(), known))
        remark(f"{origin.place} is no setting{guess(origin.place.upper(), meant)}")


def settle(parser: argparse.ArgumentParser, found: argparse.Namespace) -> None:
    """Take back what nobody typed and what has no effect beside what was typed: sources, if there
    is a better one, what a better one excludes, and what needs an option that is missing. Raises
    InputError for an option that was typed in vain."""

    given = given_options(parser, found)

    def rank(action: Taken) -> int:
        return RANKS[action.origin.layer] if action.origin else 0

    sources = [one for one in given if one.declared.is_source]
    best = 3 if getattr(found, "snapshot", None) else max(map(rank, sources), default=0)
    first = {one.declared.flag for one in sources if rank(one) == best}
    needed = {
        flag
        for one in given
        if one.origin == TYPED and not first & {*one.declared.needs}
        for flag in one.declared.needs
    }
    for one in sources:
        if one.declared.flag not in first | needed:
            take_back(one, found)
    by_flag = {one.declared.flag: one for one in given}
    for one in given:
        other = by_flag.get(one.declared.excludes, one)
        if rank(one) != rank(other):
            take_back(min(one, other, key=rank), found)
    given = given_options(parser, found)
    flags = {one.declared.flag for one in given}
    if any(map(is_server, getattr(found, "prometheus", ()))):
        flags.add(SERVER)
    for one in given:
        if one.declared.needs and not flags & {*one.declared.needs}:
            if one.origin == TYPED:
                parser.error(f"{one.declared.flag} needs {' or '.join(one.declared.needs)}")
            take_back(one, found)


@contextmanager
def naming_options(parser: argparse.ArgumentParser) -> Iterator[None]:
    """Let errors that name a parameter of the library name its option, and those that name an
    option also the place of its value; room that the group itself has stays what it is."""
    try:
        yield
    except InputError as error:
        problem, place, source = error.problem, error.place, error.source
        parameter = "max_partitions" if place.endswith(".max_partitions") else place
        for action in options_of(parser):
            flag, origin = action.declared.flag, action.origin
            if source is None and parameter == action.dest == action.declared.key:
                place = flag if origin or parameter != "max_partitions" else place
            if origin is None or origin == TYPED:
                continue
            if place == flag:
                place, source = origin.place, origin.source
            elif re.search(rf"{flag}(?![\w-])", str(error)):
                where = f"{origin.source}: {origin.place}" if origin.source else origin.place
                problem += f"; {flag} is from {where}"
        raise InputError(problem, place, source) from error
