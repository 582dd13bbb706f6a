"""The Markdown pages of this checkout: code blocks, sections, links, and the examples, which run.

Examples run from top to bottom as for a reader. Three kinds of blocks run: a command with what it
prints (`$ equilag …`), commands alone (`sh`, or no language), and Python, which may be a file of
that name. Lines of other programs are left out. A block below `<!-- not run: reason -->` does not
run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from support.paths import CHECKOUT

from equilag.cli import main
from equilag.cli.parser import build_parser

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
    """The arguments of each `equilag` command in the blocks of a page."""
    for block in blocks(text):
        yield from _commands(block)


def _commands(block: CodeBlock) -> Iterator[list[str]]:
    """Those of a shell block, pipes and redirections cut off.

    In a block with a prompt (``$``), the other lines are output.
    """
    lines = block.code.replace("\\\n", " ").splitlines() if block.language in ("", "sh") else []
    if any(line.startswith("$ ") for line in lines):
        lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    for line in lines:
        if re.match(r"([A-Z]+=\S+ )?equilag |.* \| equilag ", line):
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|<>&;")
            lexer.whitespace_split = True
            yield from _commands_in(list(lexer))


def _commands_in(words: list[str]) -> Iterator[list[str]]:
    command: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set("|<>&;"):
            start = next((i for i, part in enumerate(command) if "=" not in part), 0)
            if command[start : start + 1] == ["equilag"]:
                yield command[start + 1 :]
            command = []
        else:
            command.append(word)


LEFT_OUT: Final = "[…]"
"""A line that stands for lines of output that a page leaves out."""
COLUMNS: Final = "80"
"""As wide as a terminal is at first, and as fits a page."""
LONG_ENOUGH: Final = ["--time-limit", "60"]
"""Seconds: a busy machine must not end a run by the clock. Examples are limited by --effort."""
QUICK: Final = ["--effort", "0.02"]
"""For commands of which a page does not show the output: some hundredths of a second."""
ON_A_BROKER: Final = frozenset({"groups", "plan", "snapshot", "verify"})
"""Commands that read a group once."""
WORTH_IT: Final = 10
"""Exit status of `plan --check` where a plan is worth a rebalance."""


def shown(text: str) -> list[CodeBlock]:
    """The blocks of a page with a command and what it prints."""
    return [block for block in blocks(text) if block.code.startswith("$ equilag ")]


def runnable(text: str) -> list[CodeBlock]:
    """The blocks of a page that run, in their order."""
    return [b for b in blocks(text) if b.runs and (b.language == "python" or [*_commands(b)])]


def broker_commands(text: str, bootstrap: str, group: str) -> list[list[str]]:
    """The commands of a page that need a broker and a group, and soon end, for these two."""
    needing = [b for b in blocks(text) if b.reason == "needs a broker"]
    found = []
    for argv in (argv for block in needing for argv in _commands(block)):
        if argv[0] in ON_A_BROKER and not {"--sample", "--from-describe"} & set(argv):
            given = dict(pairwise(argv))
            stand_in = {given.get("--bootstrap-server"): bootstrap, given.get("--group"): group}
            words = [stand_in.get(word, word) for word in argv]
            found.append([*words, *_limits(words, False)])
    return found


def written_in(block: CodeBlock) -> list[str]:
    """The lines of output that a page shows."""
    return block.code.replace("\\\n", " ").splitlines()[1:]


def run(block: CodeBlock, names: dict[str, Any]) -> list[str]:
    """Run a block in the current folder; what it printed, on standard error last.

    Raises AssertionError if a command fails, unless the page shows that it is refused.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": COLUMNS}),
        patch.object(sys, "path", [str(Path.cwd()), *sys.path]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        if block.title.endswith(".py"):
            Path(block.title).write_text(block.code, "utf-8")
            sys.modules.pop(Path(block.title).stem, None)  # of a test before
            importlib.invalidate_caches()
        elif block.language == "python":
            exec(compile(block.code, "a block of the page", "exec", dont_inherit=True), names)
        for argv in _commands(block):
            assert "--bootstrap-server" not in argv, f"{argv}: mark the block as not run"
            status = main([*argv, *_limits(argv, block.code.startswith("$ "))])
            refused = "\nequilag: " in block.code and written_in(block)[0].startswith("equilag: ")
            expected = {2} if refused else {0, WORTH_IT} if "--check" in argv else {0}
            assert status in expected, f"{argv}: {status}: {err.getvalue()}"
    return (out.getvalue() + err.getvalue()).splitlines()


def _limits(argv: Sequence[str], is_shown: bool) -> list[str]:
    if argv[0] == "fleet":  # what it does with a finished run has no limits
        return []
    given = vars(build_parser().parse_args(argv))
    limits = LONG_ENOUGH if "time_limit" in given else []
    return limits if is_shown or given.get("effort", 0) is not None else [*limits, *QUICK]


def shows(block: CodeBlock, printed: Sequence[str]) -> bool:
    """True if a page shows what was printed, but for lines left out and milliseconds."""
    written = written_in(block)
    if block.code.startswith("$ equilag compare "):
        written, printed = _untimed(written), _untimed(printed)
    pattern = "".join(
        "(?:.*\n)+" if line.strip() == LEFT_OUT else f"{re.escape(line)}\n" for line in written
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _untimed(lines: Sequence[str]) -> list[str]:
    """A comparison without its last column, whose width differs from run to run."""
    return [re.sub(r" +(time|-|[\d,.]+ ms)$", "", line) for line in lines]


def promised(block: CodeBlock) -> list[str]:
    """What the comments of a block of Python say that it prints: `print(…)  # 3`."""
    return re.findall(r"^ *print\(.*\)  # (.*\d)$", block.code, re.MULTILINE)
