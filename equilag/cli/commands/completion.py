"""``equilag completion``: a script that lets a shell complete commands, options and values."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final

from equilag.cli.arguments.conversions import OneOf
from equilag.cli.arguments.options import FILES, parsers_of
from equilag.cli.screen import emit

NAME: Final = "completion"
HELP: Final = "a completion script for bash, zsh or fish"
DESCRIPTION: Final = """\
Prints a script that lets a shell complete commands, options, policies,
assignors, other values, and file names, on Tab."""
EPILOG: Final = """\
once for every user:
  bash  echo 'eval "$(equilag completion bash)"' >> ~/.bashrc
  zsh   equilag completion zsh > DIR/_equilag, where DIR is one of $fpath
  fish  equilag completion fish > ~/.config/fish/completions/equilag.fish

A script has the options and the installed assignors of its time. Make it again
after an update; bash does that in every new shell.

example:
  equilag completion zsh > ~/.zfunc/_equilag"""

SHELLS: Final = ("bash", "zsh", "fish")
DIRECTORIES: Final = frozenset({"DIR", "DIR2", "RUN"})
"""What it calls that of a directory."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", type=OneOf(SHELLS), help=f"one of {', '.join(SHELLS)}"
    )


def run(args: argparse.Namespace) -> int:
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
