"""Renew what the Markdown pages show of commands: python -m tests.support.renew_pages [PAGE ...].

Every block that begins with `$ equilag` gets what its command prints now. Lines that a page leaves
out (LEFT_OUT) stay left out: what stands between two such marks is looked for in the new output,
numbers aside. Look at the difference before you commit it.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # as `pythonpath` in pyproject.toml does

from support.markdown import LEFT_OUT, pages, run, runnable, shown, shows, written_in
from support.paths import SAMPLES


def renewed(written: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Return the lines of output that stand for those of a page, with the same parts left out."""
    marks = [i for i, line in enumerate(written) if line.strip() == LEFT_OUT]
    if not marks:
        return list(printed)
    found, start = list[str](), 0
    bounds = [-1, *marks, len(written)]
    for n, (before, after) in enumerate(pairwise(bounds)):
        part = written[before + 1 : after]
        if before >= 0:
            found.append(written[before])
        if part:
            first = 0 if n == 0 else _place(part[0], printed, start)
            last = len(printed) - 1
            if n < len(marks):
                last = _place(part[-1], printed, first + (len(part) > 1), first + len(part) - 1)
            found += printed[first : last + 1]
            start = last + 1
    return found


def _place(line: str, printed: Sequence[str], start: int, near: int | None = None) -> int:
    """The place from `start` on of the line that is most like this one, numbers aside."""
    wanted = re.sub(r"(?<![\w-])[\d,.]+", "0", line)

    def likeness(place: int) -> tuple[float, int]:
        found = re.sub(r"(?<![\w-])[\d,.]+", "0", printed[place])
        distance = 0 if near is None else abs(place - near)
        return SequenceMatcher(None, wanted, found, autojunk=False).ratio(), -distance

    return max(range(start, len(printed)), key=likeness)


def renew(page: Path) -> None:
    """Write the page anew where a command prints something else than it shows."""
    text = page.read_text("utf-8")
    names = dict[str, Any]()
    if not shown(text):
        return
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(SAMPLES, "samples")
        for block in runnable(text):
            printed = run(block, names)
            if block in shown(text) and not shows(block, printed):
                command = block.code[: block.code.index("\n", 0) + 1]
                lines = renewed(written_in(block), printed)
                text = text.replace(block.code, command + "".join(f"{line}\n" for line in lines))
                sys.stdout.write(f"{page.name}: {command}")
    page.write_text(text, "utf-8")


if __name__ == "__main__":
    for path in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        renew(path)
