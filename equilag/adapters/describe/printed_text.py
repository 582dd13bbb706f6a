"""The lines of a pasted text, without what terminals, web pages and editors add to them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from equilag.adapters.describe.table_header import MAX_PREFIX, column_of, read_header

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


_CONTROL: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles of windows
    r"|\x1b[@-_]"
    r"|[\u200b-\u200d\u2060\ufeff\x00-\x08\x0e-\x1f\x7f]"
)
_SPACES: Final = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\x0b\x0c]|&nbsp;")
_ESCAPED: Final = re.compile(r"\\([_*#|-])")
"""Characters that Markdown needs a backslash for."""
_QUOTED: Final = re.compile(r"\s{0,3}(?:> ?)+")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})\s*[\w.+-]*\s*")
_RULER: Final = re.compile(r"[\s|+:=\-─━═┄┈┼╪╬├┤┬┴┌┐└┘╔╗╚╝╠╣╦╩╟╢╤╧╭╮╯╰]*")
_EMPTY_CELLS: Final = re.compile(r"[\s|]*(?:-(?:[\s|]+|$))*")
"""Cells without a value, in a row or in the rest of one that a narrow screen broke."""
_BARS: Final = str.maketrans("│┃║¦", "||||")
_NUMBERED: Final = re.compile(r"\s*(\d{1,7})(?:[:|.)]\s?|\t|\s+)(?=\S)")


class PrintedText(NamedTuple):
    """What a tool printed, and the file's name for messages."""

    text: str
    source: str | None = None


class TextLine(NamedTuple):
    """A line and its number in the text as it was given."""

    number: int
    text: str


def clean_lines(text: str) -> list[TextLine]:
    """Return the lines that are not blank.

    Colour codes, quote marks, fences, rulers of tables, line numbers and what a collector of logs
    puts before each line are gone. Columns keep
    their places, since all lines lose the same prefix.
    """
    ends = "\n" if "\n" in text else "\r"
    # Not splitlines(), which would also split at odd characters inside an id.
    found = [_clean(line) for line in text.split(ends)]
    lines = [TextLine(number, line) for number, line in enumerate(found, 1) if line.strip()]
    lines = _without_numbers(lines)
    texts = [line.text for line in lines]
    bare = without_prefixes(texts)
    if bare is not texts:
        pairs = zip(lines, bare, strict=True)
        lines = [TextLine(line.number, _clean(text)) for line, text in pairs]
        lines = [line for line in lines if line.text.strip()]
    return _without_indent(lines)


def _without_indent(lines: list[TextLine]) -> list[TextLine]:
    """Return the lines without the white space that all begin with."""
    indents = {line.text[: len(line.text) - len(line.text.lstrip())] for line in lines}
    least = min(indents, key=len, default="")
    if not least or not all(indent.startswith(least) for indent in indents):
        return lines
    return [TextLine(line.number, line.text.removeprefix(least)) for line in lines]


def _clean(line: str) -> str:
    """Return the line without what is not part of it; empty for a fence or a ruler."""
    if not line.isascii() or not line.isprintable():
        line = _SPACES.sub(" ", _CONTROL.sub("", line)).translate(_BARS)
    elif "&nbsp;" in line:
        line = _SPACES.sub(" ", line)
    line = line.rstrip()
    quote = _QUOTED.match(line)
    if quote is not None:
        line = line[quote.end() :]
    ruler = _RULER.fullmatch(line) and len(line) > 2 and not _EMPTY_CELLS.fullmatch(line)
    if ruler or _FENCE.fullmatch(line):
        return ""
    if "\\" in line:
        line = _ESCAPED.sub(r"\1", line)
    bare = line.strip()
    if bare[:1] in ("`", '"', "'") or bare[-1:] == "`":
        line = _without_marks(line)
    return line


def _without_marks(line: str) -> str:
    """Return the line without the back-ticks around it, or the same quote mark at both ends."""
    bare = line.strip()
    if bare[0] == "`" or bare[-1] == "`":
        return bare.strip("`")
    if len(bare) > 1 and bare[0] == bare[-1] and bare.count(bare[0]) == 2:
        return bare[1:-1]
    return line  # cells of a CSV file have quote marks each


def _without_numbers(lines: list[TextLine]) -> list[TextLine]:
    """Return the lines without their numbers, if an editor put one before each of them.

    They are numbers only if they grow by one from line to line, blank ones included.
    """
    matches = [_NUMBERED.match(line.text) for line in lines]
    offsets = {
        int(match[1]) - line.number if match is not None else None
        for match, line in zip(matches, lines, strict=True)
    }
    if len(lines) < 2 or len(offsets) != 1 or None in offsets:
        return lines
    return [
        TextLine(line.number, line.text[match.end() :] if match is not None else line.text)
        for match, line in zip(matches, lines, strict=True)
    ]
