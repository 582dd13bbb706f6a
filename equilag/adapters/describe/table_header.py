"""The header of a table: which columns a group's table has, and where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from equilag.adapters.describe import column_names as col

_MAX_WORDS: Final = 3
"""Words of the longest name, `Log End Offset`."""
DELIMITERS: Final = ("|", ",", ";", "\t")
"""What stands between columns, beside white space."""
_SIGNS: Final = (
    frozenset({col.TOPIC, col.PARTITION}),
    frozenset({col.PARTITION, col.COMMITTED}),
    frozenset({col.PARTITION, col.END}),
    frozenset({col.TOPIC, col.LAG}),
    frozenset({col.MEMBER, col.COUNT}),
    frozenset({col.CLIENT, col.ASSIGNMENT}),
    frozenset({col.COORDINATOR, col.STATE}),
)
"""Columns of which one set stands in every table about a group."""
_MIN_KNOWN: Final = 3
"""Known columns of a header; a sentence seldom has as many names of columns."""
MAX_PREFIX: Final = 40
"""Characters before the first column: a comment sign, or the name of a container."""
_MAX_BEFORE: Final = 8
"""Words and separators in a prefix, and at both ends of a line."""
_WORD: Final = re.compile(r"\S+")
_SEPARATORS: Final = re.compile(r"[^A-Z#]+")
_ENDS: Final = re.compile("LOG-?SIZE|WATER|COMMIT")


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The columns of a table; unknown ones have the name that is printed.

    `starts` are the places of the names in a line without `prefix`, which rows may have too.
    `delimiter` stands between columns, None for white space. `pieces` are the lines that a narrow
    screen broke the header into, `width` the length of the first; `in_word` if it ends in a name.
    """

    line: int
    names: tuple[str, ...]
    starts: tuple[int, ...]
    prefix: str = ""
    delimiter: str | None = None
    pieces: int = 1
    width: int = 0
    in_word: bool = False

    @property
    def has_offsets(self) -> bool:
        """True if it says for each partition what is committed and the log end; LAG makes up for
        one of the two."""
        return _offsets_of(self.names)[0]

    @property
    def before_numbers(self) -> int:
        """Columns to the left of all numbers."""
        return _offsets_of(self.names)[1]

    @property
    def number_pair(self) -> int | None:
        """Words up to the second of two columns side by side that always have a number, in a table
        of offsets whose rows nothing broke; None where there are no such columns."""
        if self.pieces > 1 or self.delimiter is not None or self.prefix or not self.has_offsets:
            return None
        return _number_pair(self.names)

    @property
    def has_members(self) -> bool:
        return {col.MEMBER, col.COUNT} <= set(self.names)

    @property
    def has_state(self) -> bool:
        return {col.STATE, col.COORDINATOR} <= set(self.names)


@lru_cache(maxsize=64)
def _offsets_of(names: tuple[str, ...]) -> tuple[bool, int]:
    """`has_offsets` and `before_numbers`, which are asked for in each line."""
    has = {col.TOPIC, col.PARTITION} <= set(names) and len(
        {col.COMMITTED, col.END, col.LAG} & set(names)
    ) > 1
    return has, next((at for at, name in enumerate(names) if name in col.NUMBERS), len(names))


@lru_cache(maxsize=64)
def _number_pair(names: tuple[str, ...]) -> int | None:
    sure = col.NUMBERS - {col.LAG}
    pairs = (at + 2 for at, pair in enumerate(pairwise(names)) if sure.issuperset(pair))
    return next(pairs, None)


def has_header_words(upper: str) -> bool:
    """False for most lines, here in upper case, that are no header: they lack a set of `_SIGNS`."""
    if "PARTITION" in upper or "PID" in upper:
        others = "TOPIC" in upper or "OFFSET" in upper or "#" in upper
        return others or _ENDS.search(upper) is not None
    if "TOPIC" in upper:
        return "LAG" in upper or "BEHIND" in upper or "ASSIGN" in upper or "COORDINATOR" in upper
    return "COORDINATOR" in upper or ("ASSIGN" in upper and "CLIENT" in upper)


def _may_be_header(line: str) -> bool:
    """False for nearly all lines that are none: they have too many other words."""
    upper = line.upper()
    if not has_header_words(upper) or "=" in line[MAX_PREFIX:] or ":" in line[MAX_PREFIX:]:
        return False
    words = _SEPARATORS.split(upper)
    known = sum(map(col.WORDS.__contains__, words))
    # Two of five names may be unknown, and what stands before them.
    return known > 1 and 3 * (len(words) - known) <= 2 * known + 3 * _MAX_BEFORE


def begins_known(line: str) -> bool:
    """True if the line is a header and its first word the name of a known column."""
    header = read_header(line, 0)
    return header is not None and not header.prefix and _is_known(header.names[0])


def read_header(line: str, number: int) -> TableHeader | None:
    """Return the header that this line is, None if it is none."""
    names = line[MAX_PREFIX:]
    if not _may_be_header(line) or "{" in names:
        return None
    known = [atom in col.ATOMS for atom in col.ATOM.findall(line.upper())]
    if True not in known or 2 * sum(known) < len(known) - known.index(True):
        return None  # a sentence about topics
    if sum(map(str.isdigit, line)) > len(line) // 4:
        return None
    for delimiter in DELIMITERS:
        if line.count(delimiter) >= _MIN_KNOWN - 1:
            found = _delimited(line, number, delimiter)
            if found is not None:
                return found
    return _spaced(line, number)


def _is_known(name: str) -> bool:
    return col.column_of(name) is not None


def _delimited(line: str, number: int, delimiter: str) -> TableHeader | None:
    cells = [cell.strip() for cell in line.split(delimiter)]
    if delimiter == "|":
        cells = [cell for cell in cells if cell]
    elif delimiter == "\t":
        cells = line.strip("\t").split("\t")
        cells = [cell.strip() for cell in cells]
    names = tuple(col.column_of(cell) or cell.upper() for cell in cells)
    return _checked(TableHeader(number, names, (), delimiter=delimiter))


def _spaced(line: str, number: int) -> TableHeader | None:
    words = [(match.group(), match.start(), match.end()) for match in _WORD.finditer(line)]
    names: list[str] = []
    starts: list[int] = []
    at = 0
    while at < len(words):
        count, name = _name_at(words, at, line)
        names.append(name)
        starts.append(words[at][1])
        at += count
    first = next((i for i, name in enumerate(names) if _is_known(name)), len(names))
    if first == len(names) or starts[first] > MAX_PREFIX:
        return None
    begin = starts[first]
    prefix = line[:begin] if line[:begin].strip() else ""
    shifted = tuple(start - len(prefix) for start in starts[first:])
    return _checked(TableHeader(number, tuple(names[first:]), shifted, prefix))


def _name_at(words: list[tuple[str, int, int]], at: int, line: str) -> tuple[int, str]:
    """Return the longest name that begins at this word: its number of words, and the column."""
    for count in range(_MAX_WORDS, 1, -1):
        piece = words[at : at + count]
        printed = line[piece[0][1] : piece[-1][2]]
        if len(piece) == count and "  " not in printed:
            name = col.column_of(printed)
            if name is not None:
                return count, name
    return 1, col.column_of(words[at][0]) or words[at][0].upper()


def _checked(header: TableHeader) -> TableHeader | None:
    """Return the header if enough of it is known, and no column that counts is there twice."""
    known = {name for name in header.names if _is_known(name)}
    if len(known) < _MIN_KNOWN or len(known) * 5 < len(header.names) * 3:
        return None
    if not any(signs <= known for signs in _SIGNS):
        return None
    if any(header.names.count(name) > 1 for name in (col.GROUP, col.TOPIC, *col.NUMBERS)):
        return None
    seen: set[str] = set()
    names = []
    for place, name in enumerate(header.names):
        # The second of two names for one thing, such as MEMBER-ID after CONSUMER-ID, is left out.
        again = name in seen or (name == col.OWNER and col.MEMBER in header.names)
        names.append(f"{name} ({place})" if again else name)
        seen.add(name)
    return replace(header, names=tuple(names))
