"""Man pages, from the declarations of the commands: a build hook that puts one for each command
into the wheel, below share/man/man1, where `man` looks beside a bin folder that is in PATH.

It runs where nothing but hatchling is installed: the parsers need no other package.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT: Final = Path(__file__).resolve().parents[1]
CONFIGURATION: Final = """\
Every option can be set by a variable of the environment, such as EQUILAG_MAX_MOVES for
--max-moves, and in a profile of config.toml; equilag config shows what is set."""


class ManPages(BuildHookInterface[Any]):
    """Adds the pages to a wheel; an editable one has none."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        self.folder = TemporaryDirectory()
        for name, text in man_pages().items():
            path = Path(self.folder.name, name)
            path.write_text(text, "utf-8")
            build_data["shared_data"][str(path)] = f"share/man/man1/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.folder.cleanup()


def man_pages() -> dict[str, str]:
    """File name -> page, of `equilag` and of each command."""
    sys.path.insert(0, str(ROOT))
    try:
        from equilag import __version__
        from equilag.cli.arguments.options import parsers_of
        from equilag.cli.parser import build_parser
    finally:
        sys.path.remove(str(ROOT))
    pages = {one.prog.replace(" ", "-"): one for one in parsers_of(build_parser())}
    found = {}
    for name, parser in pages.items():
        title = f'.TH "{name.upper()}" 1 "" "equilag {__version__}"'
        others = ", ".join(f"{other}(1)" for other in pages if other != name)
        lines = [title, *_lines(parser, name), ".SH SEE ALSO", _text(others), ""]
        found[f"{name}.1"] = "\n".join(lines)
    return found


def _lines(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    words = parser.description or "plans the assignment of partitions in Kafka consumer groups"
    yield from (".SH NAME", _text(f"{name} - {' '.join(words.split('.')[0].split())}"))
    if parser.description is None:
        yield from (".SH DESCRIPTION", *_verbatim(parser.format_help()))
        return
    yield from (".SH SYNOPSIS", *_verbatim(parser.format_usage().removeprefix("usage: ")))
    yield from (".SH DESCRIPTION", _text(words))
    for group in parser._action_groups:
        shown = [one for one in group._group_actions if one.help not in (None, argparse.SUPPRESS)]
        if shown:
            yield f'.SH "{(group.title or "").upper()}"'
        for one in shown:
            yield from (".TP", f"\\fB{_text(_head(one))}\\fR", _text(str(one.help)))
    yield from (".SH NOTES", *_verbatim(parser.epilog or ""))
    yield from (".SH ENVIRONMENT", _text(CONFIGURATION))


def _head(action: argparse.Action) -> str:
    value = str(action.metavar or "")
    return " ".join([", ".join(action.option_strings), value]).strip()


def _text(text: str) -> str:
    """Text for roff: a backslash, a dash that is one, a dot or quote in front."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def _verbatim(text: str) -> list[str]:
    return [".nf", *map(_text, text.rstrip().splitlines()), ".fi"]
