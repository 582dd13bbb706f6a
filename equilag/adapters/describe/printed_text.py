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

_PIECE: Final = 2**16
"""Characters that are split into lines at a time, so that a large text is not there twice."""
_AHEAD: Final = 20
"""Lines that are seen below each line, blank ones included."""
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


class TextPiece(NamedTuple):
    """Some lines of a text and the number of the first; those from `end` on are also in the next
    piece."""

    first: int
    lines: list[str]
    end: int

    def line(self, place: int) -> TextLine:
        return TextLine(self.first + place, self.lines[place])

    def some(self, place: int, count: int) -> list[TextLine]:
        """The line and those below it that are not blank, as many as there are."""
        places = range(place, len(self.lines))
        return [*islice((self.line(at) for at in places if self.lines[at]), count)]

    def last_above(self, end: int) -> TextLine | None:
        """The last line above this place that is not blank."""
        place = next((at for at in range(end - 1, -1, -1) if self.lines[at]), None)
        return None if place is None else self.line(place)


class PrintedLines:
    """The lines of a text, and those that may be headers of tables.

    Colour codes, quote marks, fences, rulers of tables, line numbers and what a collector of logs
    puts before each line are gone. Columns keep their places, since all lines lose the same prefix.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # Not splitlines(), which would also split at odd characters inside an id.
        self.ends = "\n" if "\n" in text else "\r"
        self._numbered = False
        self._prefixes: dict[str, str] = {}
        self.headers: list[int] = []
        """Numbers of the lines that may be headers, ascending."""
        self._numbered = _is_numbered(self)
        self._survey()
        if self._prefixes:  # a prefix of many digits hides a short header
            self._survey()

    def __iter__(self) -> Iterator[TextLine]:
        """Every line that is not blank."""
        for first, lines, end in self.pieces():
            for number, line in enumerate(lines[:end], first):
                if line:
                    yield TextLine(number, line)

    def pieces(self, show: Callable[[int], object] = lambda _: None) -> Iterator[TextPiece]:
        """The lines, of which blank ones and rulers are empty; `show` is called with the number of
        characters read."""
        at, first, text, ends = 0, 1, self._text, self.ends
        while at <= len(text):
            show(at)
            stop = text.find(ends, at + _PIECE)
            raw = text[at:] if stop < 0 else text[at:stop]
            lines = self._bare(_tidied(raw).split(ends))
            end = len(lines) if stop < 0 else max(len(lines) - _AHEAD, (len(lines) + 1) // 2)
            yield TextPiece(first, lines, end)
            ahead = raw.rsplit(ends, len(lines) - end)[1:]
            at += len(raw) + 1 - sum(map(len, ahead)) - len(ahead)
            first += end

    def _bare(self, lines: list[str]) -> list[str]:
        """The lines without what is not part of them."""
        lines = _unmarked(lines)
        if self._numbered:
            lines = [_NUMBERED.sub("", line, 1) for line in lines]
        if self._prefixes:
            prefix = re.compile("|".join(self._prefixes)).match
            found = [(line, prefix(f"{line} ")) for line in lines]
            lines = _unmarked([line[match.end() :] if match else line for line, match in found])
        return lines

    def _survey(self) -> None:
        """Find headers, and what stands before one and before a line below it.

        Times may differ in their digits.
        """
        found: dict[str, str] = {}
        headers = {*self.headers}
        for first, lines, end in self.pieces():
            upper = "\n".join(lines[:end]).upper()
            for place in places_with(HEADER_WORDS, upper.split("\n")):
                line = lines[place]
                if read_header(line, 0) is None:
                    continue
                headers.add(first + place)
                prefix = _before_header(line)
                pattern = re.compile(any_digits(prefix))
                below = lines[place + 1 : place + 1 + MAX_PIECES]
                if prefix and any(pattern.match(f"{line} ") for line in below):
                    found.setdefault(pattern.pattern, prefix)
        self.headers = sorted(headers)
        if not self._prefixes:
            self._prefixes = dict(sorted(found.items(), key=lambda one: len(one[1]), reverse=True))


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


def places_with(words: Iterable[str], lines: Sequence[str]) -> list[int]:
    """The places of the lines that have one of the words."""
    text = "\n".join(lines)
    found = (word for word in words if word in text)
    return sorted({at for word in found for at, line in enumerate(lines) if word in line})


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
