"""``equilag config`` and ``completion``: what environment and profiles set, scripts for shells."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from equilag.cli.arguments import options
from equilag.cli.arguments.configuration import PROFILE, read_configuration, settable_options
from equilag.cli.arguments.conversions import OneOf, named_value
from equilag.cli.arguments.options import FILES, Option, parsers_of, value_text
from equilag.cli.group_command import CliCommand
from equilag.cli.screen import deliver, emit
from equilag.domain.errors import InputError
from equilag.domain.show import guess, masked, masked_property, show
from equilag.report.reports.configuration import ConfigReport, SettingInForce


def _config(args: argparse.Namespace) -> int:
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
                default = re.search(r"\(default: (.*)\)", declared.help_text)
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


CONFIG: Final = CliCommand(
    "config",
    "which options the environment and a profile set, and where",
    """\
Shows the options that the environment (EQUILAG_MAX_MOVES) and a profile of
config.toml set, with the place of each value; of a COMMAND all its options, as
they are unless typed. Passwords are not shown.""",
    """\
examples:
  equilag config --profile prod
  equilag config plan --json""",
    _config,
    (Option("command", "COMMAND", "a command, as fleet show", repeats=True), *options.OUTPUT),
)  # fmt: skip


SHELLS: Final = ("bash", "zsh", "fish")
DIRECTORIES: Final = frozenset({"DIR", "DIR2", "RUN"})
"""What it calls that of a directory."""


def _completion(args: argparse.Namespace) -> int:
    import shtab

    parser = args.whole_parser()
    for below in parsers_of(parser):
        for action in below._actions:
            _describe(action, shtab.FILE, shtab.DIRECTORY)
    emit(shtab.complete(parser, args.shell) + "\n")
    return 0


def _describe(action: Any, files: Mapping[str, Any], directories: Mapping[str, Any]) -> None:
    """Tell shtab what an argument takes; argparse itself does not need to know."""
    if isinstance(action.type, OneOf):
        action.choices = action.type.names
    elif action.dest == "assignor":
        from equilag.heuristics.registry import assignor_names

        action.choices = assignor_names()
    elif action.option_strings == ["--output"]:
        from equilag.report.outputs import output_names

        action.choices = output_names()
    elif action.metavar in FILES:
        action.complete = files
    elif action.metavar in DIRECTORIES:
        action.complete = directories


COMPLETION: Final = CliCommand(
    "completion",
    "a completion script for bash, zsh or fish",
    """\
Prints a script that lets a shell complete commands, options, policies,
assignors, other values, and file names, on Tab.""",
    """\
once for every user:
  bash  echo 'eval "$(equilag completion bash)"' >> ~/.bashrc
  zsh   equilag completion zsh > DIR/_equilag, where DIR is one of $fpath
  fish  equilag completion fish > ~/.config/fish/completions/equilag.fish

A script has the options and the installed assignors of its time. Make it again
after an update; bash does that in every new shell.

example:
  equilag completion zsh > ~/.zfunc/_equilag""",
    _completion,
    (Option("shell", "SHELL", f"one of {', '.join(SHELLS)}", OneOf(SHELLS), required=True),),
)  # fmt: skip
