"""The lines of a pasted text, without what terminals, web pages and editors add to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from equilag.adapters.describe.table_header import (
    HEADER_WORDS,
    MAX_PREFIX,
    any_digits,
    begins_known,
    read_header,
)

BLOCK: Final = 2**10
"""Lines that are looked at together."""
MAX_PIECES: Final = 4
"""Lines of a screen that one row may take: ids seldom have more than 250 characters."""
_WORD: Final = re.compile(r"\S+")
_CODES: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and cursor moves
    r"|\x1b\][^\x07\x1b\r\n]*(?:\x07|\x1b\\)"  # titles of windows
    r"|\x1b[@-_]"
)
_INVISIBLE: Final = re.compile("[\u200b-\u200d\u2060\ufeff\x00-\x08\x0e-\x1f\x7f]")
_CONTROL: Final = bytes({*range(32), 127} - {*b"\t\n\r"})
_SPACES: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\x0b\x0c]")
_BARS: Final = re.compile("[│┃║¦]")
_DASHES: Final = re.compile("[–—−]")
"""What word processors make of a dash that stands for nothing."""
_LONE_DASH: Final = re.compile(rf"(?<![^\s|,;\"]){_DASHES.pattern}(?![^\s|,;\"])")
_ODD: Final = re.compile(
    "[" + "".join(one.pattern[1:-1] for one in (_INVISIBLE, _SPACES, _BARS, _DASHES)) + "]"
)
_ESCAPED: Final = re.compile(r"\\([_*#|-])")
"""Characters that Markdown needs a backslash for."""
_QUOTED: Final = re.compile(r"\s{0,3}(?:> ?)+")
_FENCE: Final = re.compile(r"\s*(?:`{3,}|~{3,})\s*[\w.+-]*\s*")
_RULER: Final = re.compile(r"[\s|+:=\-─━═┄┈┼╪╬├┤┬┴┌┐└┘╔╗╚╝╠╣╦╩╟╢╤╧╭╮╯╰]*")
_EMPTY_CELLS: Final = re.compile(r"[\s|]*(?:-(?:[\s|]+|$))*")
"""Cells without a value, in a row or in the rest of one that a narrow screen broke."""
_OPENING: Final = "[{(</*#"
"""What begins a line, besides letters and digits, and nothing that is not part of one."""
_NUMBERED: Final = re.compile(r"\s*(\d{1,7})(?:[:|.)]\s?|\t|\s+|$)")


class PrintedText(NamedTuple):
    """What a tool printed, and the file's name for messages."""

    text: str
    source: str | None = None


class TextLine(NamedTuple):
    """A line and its number in the text as it was given."""

    number: int
    text: str


class PrintedLines:
    """The lines of a text, and those that may be headers of tables.

    Colour codes, quote marks, fences, rulers of tables, line numbers and what a collector of logs
    puts before each line are gone. Columns keep their places, since all lines lose the same prefix.
    """

    def __init__(self, text: str) -> None:
        # Not splitlines(), which would also split at odd characters inside an id.
        ends = "\n" if "\n" in text else "\r"
        self.lines = _unmarked(_tidied(text).split(ends))
        """Of which blank ones and rulers are empty."""
        if _is_numbered(self):
            self.lines = [_NUMBERED.sub("", line, 1) for line in self.lines]
        self.headers, prefixes = self._survey()
        """Places of the lines that may be headers, ascending."""
        if prefixes:
            prefix = re.compile("|".join(prefixes)).match
            found = [(line, prefix(f"{line} ")) for line in self.lines]
            bare = [line[match.end() :] if match else line for line, match in found]
            self.lines = _unmarked(bare)
            self.headers, _ = self._survey()  # a prefix of many digits hides a short header

    def __iter__(self) -> Iterator[TextLine]:
        """Every line that is not blank."""
        return (TextLine(number, line) for number, line in enumerate(self.lines, 1) if line)

    def some(self, place: int, count: int) -> list[TextLine]:
        """The line at a place and those below it that are not blank, as many as there are."""
        below = (TextLine(at + 1, self.lines[at]) for at in range(place, len(self.lines)))
        return [*islice((line for line in below if line.text), count)]

    def last_above(self, end: int) -> TextLine | None:
        """The last line above this place that is not blank."""
        above = (TextLine(at + 1, self.lines[at]) for at in range(end - 1, -1, -1))
        return next((line for line in above if line.text), None)

    def _survey(self) -> tuple[list[int], list[str]]:
        """The places of headers, and patterns of what stands before one and before a line below
        it, longest first.

        Times may differ in their digits.
        """
        headers: list[int] = []
        prefixes: dict[str, str] = {}
        for place in places_with(HEADER_WORDS, self.lines, str.upper):
            line = self.lines[place]
            if read_header(line, 0) is None:
                continue
            headers.append(place)
            prefix = _before_header(line)
            pattern = re.compile(any_digits(prefix))
            below = self.lines[place + 1 : place + 1 + MAX_PIECES]
            if prefix and any(pattern.match(f"{line} ") for line in below):
                prefixes.setdefault(pattern.pattern, prefix)
        return headers, sorted(prefixes, key=lambda one: len(prefixes[one]), reverse=True)


def _tidied(text: str) -> str:
    """Return the text without control codes, and with one kind of spaces and bars."""
    control = text.isascii() and len(text.encode().translate(None, _CONTROL)) < len(text)
    if control or (not text.isascii() and _ODD.search(text)):
        text = _INVISIBLE.sub("", _CODES.sub("", text) if "\x1b" in text else text)
        text = _LONE_DASH.sub("-", _BARS.sub("|", _SPACES.sub(" ", text)))
    if "&nbsp;" in text:
        text = text.replace("&nbsp;", " ")
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _unmarked(lines: list[str]) -> list[str]:
    """The lines without quote marks; empty for a fence or a ruler."""
    return [
        line
        if (line[:1].isalnum() or line[:1] in _OPENING) and line[-1:] != "`"
        else _without_marks(line)
        for line in map(str.rstrip, lines)
    ]


def _without_marks(line: str) -> str:
    quote = _QUOTED.match(line)
    if quote is not None:
        line = line[quote.end() :]
    ruler = _RULER.fullmatch(line) and len(line) > 2 and not _EMPTY_CELLS.fullmatch(line)
    bare = line.strip()
    if ruler or not bare or _FENCE.fullmatch(line):
        return ""
    if bare[0] == "`" or bare[-1] == "`":
        return bare.strip("`")
    if bare[0] in "'\"" and len(bare) > 1 and bare[0] == bare[-1] and bare.count(bare[0]) == 2:
        return bare[1:-1]
    return line  # cells of a CSV file have quote marks each


def places_with(
    words: Iterable[str], lines: Sequence[str], form: Callable[[str], str] = str
) -> list[int]:
    """The places of the lines that have one of the words in this form."""
    found: list[int] = []
    for start in range(0, len(lines), BLOCK):
        text = form("\n".join(lines[start : start + BLOCK]))
        there = [word for word in words if word in text]
        block = text.split("\n") if there else []
        found += sorted({start + at for word in there for at, x in enumerate(block) if word in x})
    return found


def _is_numbered(lines: PrintedLines) -> bool:
    """True if an editor put numbers before all lines: they grow by one from line to line, blank
    ones included."""
    before: int | None = None
    several = False
    for line in lines:
        match = _NUMBERED.match(line.text)
        offset = match and int(match[1]) - line.number
        if offset is None or before not in (None, offset):
            return False
        several, before = before is not None, offset
    return several


def _before_header(line: str) -> str:
    """What stands before the first name of a header; empty if nothing does."""
    for word in _WORD.finditer(line, 0, MAX_PREFIX + 1):
        # Names may stand in marks, as in **TOPIC**.
        if word.group().strip("*_`#>-") and begins_known(line[word.start() :]):
            return line[: word.start()]
    return ""
