"""``equilag config``: what the environment and a profile set, and where each value comes from."""

from __future__ import annotations

import argparse
from typing import Final

from equilag.cli.arguments import options
from equilag.cli.arguments.configuration import (
    PROFILE,
    Configuration,
    read_configuration,
    settings_of,
)
from equilag.cli.arguments.options import Taken, parsers_of, value_text
from equilag.cli.deliver import deliver
from equilag.domain.errors import InputError
from equilag.domain.show import guess, masked, show
from equilag.report.reports.configuration import ConfigReport, SettingInForce

NAME: Final = "config"
HELP: Final = "which options the environment and a profile set, and where"
DESCRIPTION: Final = """\
Shows the options that the environment (EQUILAG_MAX_MOVES) and a profile of
config.toml set, with the place of each value; of a COMMAND all its options, as
they are unless typed. Passwords are not shown."""
EPILOG: Final = """\
examples:
  equilag config --profile prod
  equilag config plan --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("command", metavar="COMMAND", nargs="*", help="a command, as fleet show")
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    options.check_output(args)
    asked = [] if args.profile is None else [PROFILE.flag, args.profile]
    found = read_configuration(asked)
    words = " ".join(args.command)
    of = {
        one.prog.removeprefix("equilag").strip(): one
        for one in parsers_of(args.whole_parser([*args.command, *asked]))
        if any(settings_of(one))
    }
    if words and words not in of:
        raise InputError(f"{show(words)} is no command with options{guess(words, of)}", "COMMAND")
    rows: dict[str, SettingInForce] = {}
    for parser in [of[words]] if words else of.values():
        for action in settings_of(parser):
            if words or action.declared.key in found.keys:
                rows.setdefault(action.declared.flag, in_force(action, found))
    profile = next((one.profile for one in found.layers if one.file), None)
    deliver(
        ConfigReport(found.file, profile, found.profiles, words or None, [*rows.values()]), args
    )
    return 0


def in_force(action: Taken, found: Configuration) -> SettingInForce:
    """The value of an option unless it is typed, without secrets."""
    declared = action.declared
    layer = next((one for one in found.layers[::-1] if declared.key in one.values), None)
    origin = None if layer is None else layer.origin(declared.key)
    text = value_text(declared, declared.unset if origin is None else origin.text)
    text = "\n".join(map(masked, text.split("\n")))
    if origin is None:
        return SettingInForce(declared.flag, text or None, "default", None)
    return SettingInForce(declared.flag, text, origin.layer, origin.place)
