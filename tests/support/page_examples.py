"""The examples of a Markdown page, run from top to bottom as a reader would.

Three kinds of blocks run: a command with what it prints (`$ equilag …`), commands alone (`sh`, or
no language), and Python, which may be a file of that name. Lines of other programs are left out. A
block below a line `<!-- not run: reason -->` does not run.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from support.markdown import CodeBlock, blocks, command_lines

from equilag.cli import main
from equilag.cli.parser import build_parser

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
    return [b for b in blocks(text) if b.runs and (b.language == "python" or _commands(b))]


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


def _commands(block: CodeBlock) -> list[list[str]]:
    return list(command_lines(f"```{block.language}\n{block.code}```"))


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
