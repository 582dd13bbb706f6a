"""What log collectors print before every line: the same words, or a time."""

from __future__ import annotations

import re
from typing import Final

from equilag.adapters.describe.column_names import column_of
from equilag.adapters.describe.table_header import MAX_PREFIX, read_header

_DIGIT: Final = re.compile(r"[0-9]")
_WORD: Final = re.compile(r"\S+")
_HEADER: Final = re.compile(r"topic|partition|\bpid\b|coordinator|assign", re.IGNORECASE)
"""A word of which each header has one; most lines have none, and are not looked at further."""


def without_prefixes(lines: list[str]) -> list[str]:
    """Return the lines without what stands before a header and before the line below it.

    Lines that do not begin so are kept as they are; times may differ in their digits.
    """
    prefixes: set[str] = set()
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        if any(_begins(line, prefix) and _begins(f"{below} ", prefix) for prefix in prefixes):
            continue
        prefix = _before_header(line)
        if prefix and _begins(f"{below} ", prefix):
            prefixes.add(prefix)
    if not prefixes:
        return lines
    longest_first = sorted(prefixes, key=len, reverse=True)
    return [_without(line, longest_first) for line in lines]


def _before_header(line: str) -> str:
    """What stands before the first name of a header; empty if nothing does, or it is no header."""
    if _HEADER.search(line) is None:
        return ""
    for word in _WORD.finditer(line, 0, MAX_PREFIX + 1):
        if not word.group().strip("*_`#>-"):  # names may stand in such marks, as in **TOPIC**
            continue
        header = read_header(line[word.start() :], 0)
        if header is not None and not header.prefix and column_of(header.names[0]) is not None:
            before = line[: word.start()]
            return before if before.strip() else ""
    return ""


def _begins(line: str, prefix: str) -> bool:
    return _DIGIT.sub("0", line[: len(prefix)]) == _DIGIT.sub("0", prefix)


def _without(line: str, prefixes: list[str]) -> str:
    for prefix in prefixes:
        if _begins(f"{line} ", prefix) or _begins(line, prefix):
            return line[len(prefix) :]
    return line
