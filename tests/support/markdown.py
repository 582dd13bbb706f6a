"""The Markdown pages of this checkout, taken apart: code blocks, sections, links, command lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from support.paths import CHECKOUT

NOT_RUN: Final = "<!-- not run:"
"""Stands, with the reason, above a block that tests must not run."""
_FENCE: Final = re.compile(r"^```(\w*)( [^\n]*)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK: Final = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^(#+) (.+)$", re.MULTILINE)


class CodeBlock(NamedTuple):
    language: str
    """Empty where none is given."""
    code: str
    runs: bool
    """False if the line above says NOT_RUN."""
    title: str = ""
    """What stands behind the language, such as the name of the file that the block is."""
    reason: str = ""
    """Why it does not run."""


def pages() -> list[Path]:
    """Every page at the top of the checkout and in the folders of what is shipped."""
    folders = ("docs", "samples", "benchmarks", "equilag", "tests", "requirements")
    found = [*CHECKOUT.glob("*.md")]
    for folder in folders:
        found += (CHECKOUT / folder).rglob("*.md")
    return sorted(found)


def blocks(text: str) -> list[CodeBlock]:
    """The code blocks in their order."""
    found = []
    for match in _FENCE.finditer(text):
        above = text[: match.start()].rstrip("\n").rsplit("\n", 1)[-1]
        reason = above.removeprefix(NOT_RUN) if above.startswith(NOT_RUN) else ""
        runs, title = not reason, (match[2] or "").strip()
        found.append(CodeBlock(match[1], match[3], runs, title, reason.removesuffix("-->").strip()))
    return found


def links(text: str) -> list[str]:
    """Targets of links and images outside of code blocks, those to other sites left out."""
    found = _LINK.findall(_FENCE.sub("", text))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")


def sections(text: str) -> dict[str, str]:
    """Anchor -> the text below its heading, down to the next heading of any level."""
    plain = _FENCE.sub(lambda match: match[0].replace("#", " "), text)
    headings = list(_HEADING.finditer(plain))
    ends = [match.start() for match in headings[1:]] + [len(plain)]
    return {
        slug(match[2]): plain[match.end() : end] for match, end in zip(headings, ends, strict=True)
    }


def command_lines(text: str) -> Iterator[list[str]]:
    """The arguments of each `equilag` command in shell blocks, pipes and redirections cut off.

    In a block with a prompt (``$``), the other lines are output.
    """
    for block in blocks(text):
        if block.language not in ("", "sh"):
            continue
        lines = block.code.replace("\\\n", " ").splitlines()
        if any(line.startswith("$ ") for line in lines):
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in lines:
            if re.match(r"([A-Z]+=\S+ )?equilag |.* \| equilag ", line):
                lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>&;")
                lexer.whitespace_split = True
                yield from _commands(list(lexer))


def _commands(words: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set("|<>&;"):
            start = next((i for i, part in enumerate(command) if "=" not in part), 0)
            if command[start : start + 1] == ["equilag"]:
                yield command[start + 1 :]
            command = []
        else:
            command.append(word)
