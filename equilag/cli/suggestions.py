"""What somebody meant who mistyped a command or an option."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Final

from equilag.cli.arguments.converters import MAX_SHOWN
from equilag.domain.show import closest
from equilag.report.wording.words import shorten

UNKNOWN: Final = "unrecognized arguments: "
"""How the message about unknown arguments begins, in argparse too."""
MAX_OPTIONS: Final = 3
"""Options that begin with what was typed and that one line can name."""


def unknown_arguments(extras: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """The problem with arguments that a parser does not know, with the option that was meant."""
    problem = f"{UNKNOWN}{shorten(' '.join(extras), MAX_SHOWN)}"
    wrong = next((word for word in extras if word.startswith("-") and word != "-"), None)
    if wrong is None:
        return problem
    return problem + did_you_mean(_closest_options(wrong.partition("=")[0], parser))


def unknown_command(word: str, known: Iterable[str]) -> str:
    """The problem with a word that is no command. A file is taken for a snapshot to plan."""
    names = list(known)
    problem = f"{shorten(word, MAX_SHOWN)!r} is none of {', '.join(names)}"
    if "plan" in names and "." in word:
        return f"{problem}{did_you_mean([f'equilag plan {shorten(word, MAX_SHOWN)}'])}"
    return problem + did_you_mean(closest(word, names, 1))


def did_you_mean(names: Sequence[str]) -> str:
    """A question, if there is anything to ask."""
    return f"; did you mean {' or '.join(names)}?" if names else ""


def _closest_options(word: str, parser: argparse.ArgumentParser) -> list[str]:
    """Options that begin with `word`, else the one that is most like it."""
    shown = {
        name.lstrip("-").replace("_", "-"): name
        for action in parser._actions
        if action.help is not argparse.SUPPRESS
        for name in action.option_strings
        if name.startswith("--")
    }
    text = word.lstrip("-").replace("_", "-").lower()
    found = closest(text, shown, MAX_OPTIONS)
    if not all(name.startswith(text) for name in found):
        found = found[:1]
    return [shown[name] for name in found]
