"""``equilag config``: what the environment and a profile set, and where each value comes from."""

from __future__ import annotations

import argparse
import re
from functools import partial
from typing import Any, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.configuration import (
    PROFILE,
    read_configuration,
    settable_options,
)
from equilag.cli.arguments.conversions import named_value
from equilag.cli.arguments.options import Option, parsers_of, value_text
from equilag.cli.deliver import deliver
from equilag.domain.errors import InputError
from equilag.domain.show import guess, masked, masked_property, show
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
        if any(settable_options(one))
    }
    if words and words not in of:
        raise InputError(f"{show(words)} is no command with options{guess(words, of)}", "COMMAND")
    rows: dict[str, SettingInForce] = {}
    for parser in [of[words]] if words else of.values():
        for action in settable_options(parser):
            declared, origin = action.declared, found.values.get(action.declared.key)
            if origin or words:
                default = re.search(r"\(default: (.*)\)", declared.help)
                text = _shown(declared, origin.text) if origin else default and default[1]
                rows.setdefault(declared.flag, SettingInForce(
                    declared.flag, text or None,
                    origin.layer if origin else "default", origin and origin.place,
                ))  # fmt: skip
    deliver(
        ConfigReport(found.file, found.profile, found.profiles, words or None, [*rows.values()]),
        args,
    )
    return 0


def _shown(declared: Option, given: Any) -> str:
    """A value without secrets, as it stands in its place, which may be a wrong one."""
    from equilag.adapters.kafka.client_properties import NAMES

    hides = partial(masked_property, known=NAMES) if declared.type is named_value else masked
    rows = given if isinstance(given, list) else value_text(declared, given).split("\n")
    return "\n".join(hides(value_text(declared, row)) for row in rows if row != "")
