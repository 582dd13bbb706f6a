"""The lines of a pasted text, without what terminals, web pages and editors add to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from equilag.adapters.describe.table_header import (
    MAX_PREFIX,
    begins_known,
    has_header_words,
    read_header,
)

_PIECE: Final = 2**16
"""Characters that are split into lines at a time, so that a large text is not there twice."""
_DIGIT: Final = re.compile(r"[0-9]")
_WORD: Final = re.compile(r"\S+")
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
_MARKS: Final = frozenset(" >`~|+:=-'\"")
"""What something that is not part of a line begins with."""
_NUMBERED: Final = re.compile(r"\s*(\d{1,7})(?:[:|.)]\s?|\t|\s+)(?=\S)")


class PrintedText(NamedTuple):
    """What a tool printed, and the file's name for messages."""

    text: str
    source: str | None = None


class TextLine(NamedTuple):
    """A line and its number in the text as it was given."""

    number: int
    text: str
    may_be_header: bool = True
    """False for a line of which it is known that it is no header of a table."""


def clean_lines(text: str, show: Callable[[int], object] = lambda _: None) -> Iterator[TextLine]:
    """Yield the lines that are not blank; `show` is called with the number of characters read.

    Colour codes, quote marks, fences, rulers of tables, line numbers and what a collector of logs
    puts before each line are gone. Columns keep their places, since all lines lose the same prefix.
    """
    numbered = _is_numbered(_cleaned(text))
    prefixes, headers = _survey(text, numbered)
    indent = _indent(line.text for line in _bare(_cleaned(text), numbered, prefixes))
    lines = _bare(_cleaned(text, show), numbered, prefixes)
    if indent:
        return (TextLine(line.number, line.text.removeprefix(indent)) for line in lines)
    if prefixes:
        return lines
    return (TextLine(number, line, number in headers) for number, line, _ in lines)


def _pieces(text: str, show: Callable[[int], object]) -> Iterator[tuple[int, list[str]]]:
    """Some lines at a time, with the number of the first."""
    # Not splitlines(), which would also split at odd characters inside an id.
    ends = "\n" if "\n" in text else "\r"
    at, first = 0, 1
    while at <= len(text):
        show(at)
        stop = text.find(ends, at + _PIECE)
        lines = text[at : len(text) if stop < 0 else stop].split(ends)
        yield first, lines
        at, first = len(text) + 1 if stop < 0 else stop + 1, first + len(lines)


def _cleaned(text: str, show: Callable[[int], object] = lambda _: None) -> Iterator[TextLine]:
    for first, lines in _pieces(text, show):
        for number, line in enumerate(map(_clean, lines), first):
            if line:
                yield TextLine(number, line)


def _clean(line: str) -> str:
    """Return the line without what is not part of it; empty for a fence or a ruler."""
    line = line.rstrip()
    plain = line.isascii() and line.isprintable()
    if plain and line[:1] not in _MARKS and "\\" not in line and line[-1:] != "`":
        return line.replace("&nbsp;", " ").rstrip() if "&nbsp;" in line else line
    if not plain:
        line = _CONTROL.sub("", line).translate(_BARS)
    line = _SPACES.sub(" ", line).rstrip()
    quote = _QUOTED.match(line)
    if quote is not None:
        line = line[quote.end() :]
    ruler = _RULER.fullmatch(line) and len(line) > 2 and not _EMPTY_CELLS.fullmatch(line)
    if ruler or _FENCE.fullmatch(line):
        return ""
    if "\\" in line:
        line = _ESCAPED.sub(r"\1", line)
    return _without_marks(line) if line.strip() else ""


def _without_marks(line: str) -> str:
    """Return the line without the back-ticks around it, or the same quote mark at both ends."""
    bare = line.strip()
    if bare[0] == "`" or bare[-1] == "`":
        return bare.strip("`")
    if bare[0] in "'\"" and len(bare) > 1 and bare[0] == bare[-1] and bare.count(bare[0]) == 2:
        return bare[1:-1]
    return line  # cells of a CSV file have quote marks each


def _is_numbered(lines: Iterator[TextLine]) -> bool:
    """True if an editor put numbers before all lines: they grow by one from line to line, blank
    ones included."""
    offset = None
    several = False
    for line in lines:
        match = _NUMBERED.match(line.text)
        if match is None or offset not in (None, int(match[1]) - line.number):
            return False
        several = offset is not None
        offset = int(match[1]) - line.number
    return several


def _unnumbered(lines: Iterator[TextLine], numbered: bool) -> Iterator[TextLine]:
    if not numbered:
        return lines
    return (TextLine(number, _NUMBERED.sub("", line, 1)) for number, line, _ in lines)


def _survey(text: str, numbered: bool) -> tuple[list[str], set[int]]:
    """Return what stands before a header and before the line below it, the longest first, and the
    numbers of the lines that are headers.

    Times may differ in their digits.
    """
    found: set[str] = set()
    headers: set[int] = set()
    above: str | None = None

    def add(line: str, below: str) -> None:
        if any(_begins(line, prefix) and _begins(f"{below} ", prefix) for prefix in found):
            return
        prefix = _before_header(line)
        if prefix and _begins(f"{below} ", prefix):
            found.add(prefix)

    for first, lines in _pieces(text, lambda _: None):
        for number, raw in enumerate(lines, first):
            if above is None and not has_header_words(raw.upper()):
                continue
            line = _NUMBERED.sub("", _clean(raw), 1) if numbered else _clean(raw)
            if not line:
                continue
            if above is not None:
                add(above, line)
                above = None
            if read_header(line, 0) is not None:
                headers.add(number)
                above = line
    if above is not None:
        add(above, "")
    return sorted(found, key=len, reverse=True), headers


def _before_header(line: str) -> str:
    """What stands before the first name of a header; empty if nothing does, or it is no header."""
    for word in _WORD.finditer(line, 0, MAX_PREFIX + 1):
        # Names may stand in marks, as in **TOPIC**.
        if word.group().strip("*_`#>-") and begins_known(line[word.start() :]):
            before = line[: word.start()]
            return before if before.strip() else ""
    return ""


def _begins(line: str, prefix: str) -> bool:
    return _DIGIT.sub("0", line[: len(prefix)]) == _DIGIT.sub("0", prefix)


def _bare(lines: Iterator[TextLine], numbered: bool, prefixes: list[str]) -> Iterator[TextLine]:
    lines = _unnumbered(lines, numbered)
    if not prefixes:
        return lines
    stripped = (TextLine(line.number, _clean(_without(line.text, prefixes))) for line in lines)
    return (line for line in stripped if line.text)


def _without(line: str, prefixes: list[str]) -> str:
    for prefix in prefixes:
        if _begins(f"{line} ", prefix) or _begins(line, prefix):
            return line[len(prefix) :]
    return line


def _indent(lines: Iterable[str]) -> str:
    """Return the white space that all lines begin with."""
    least: str | None = None
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        if least is None or least.startswith(indent):
            least = indent
        elif not indent.startswith(least):
            return ""
        if not least:
            return ""
    return least or ""
