"""The header of a table: which columns a group's table has, and where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from equilag.adapters.describe.column_names import (
    ASSIGNMENT,
    CLIENT,
    COMMITTED,
    COORDINATOR,
    COUNT,
    END,
    GROUP,
    LAG,
    MEMBER,
    MOST_WORDS,
    NUMBERS,
    OWNER,
    PARTITION,
    STATE,
    TOPIC,
    column_of,
    offsets_known,
)

DELIMITERS: Final = ("|", ",", ";", "\t")
"""What stands between columns, beside white space."""
_SIGNS: Final = (
    frozenset({TOPIC, PARTITION}),
    frozenset({PARTITION, COMMITTED}),
    frozenset({PARTITION, END}),
    frozenset({TOPIC, LAG}),
    frozenset({MEMBER, COUNT}),
    frozenset({CLIENT, ASSIGNMENT}),
    frozenset({COORDINATOR, STATE}),
)
"""Columns of which one set stands in every table about a group."""
_MIN_KNOWN: Final = 3
"""Known columns of a header; a sentence seldom has as many names of columns."""
MAX_PREFIX: Final = 40
"""Characters before the first column: a comment sign, or the name of a container."""
_WORD: Final = re.compile(r"\S+")


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
        return offsets_known(self.names)

    @property
    def has_members(self) -> bool:
        return {MEMBER, COUNT} <= set(self.names)

    @property
    def has_state(self) -> bool:
        return {STATE, COORDINATOR} <= set(self.names)


def read_header(line: str, number: int) -> TableHeader | None:
    """Return the header that this line is, None if it is none."""
    if sum(character.isdigit() for character in line) > len(line) // 4:
        return None
    for delimiter in DELIMITERS:
        if line.count(delimiter) >= _MIN_KNOWN - 1:
            found = _delimited(line, number, delimiter)
            if found is not None:
                return found
    return _spaced(line, number)


def _is_known(name: str) -> bool:
    return column_of(name) is not None


def _delimited(line: str, number: int, delimiter: str) -> TableHeader | None:
    cells = [cell.strip() for cell in line.split(delimiter)]
    if delimiter == "|":
        cells = [cell for cell in cells if cell]
    elif delimiter == "\t":
        cells = line.strip("\t").split("\t")
        cells = [cell.strip() for cell in cells]
    names = tuple(column_of(cell) or cell.upper() for cell in cells)
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
    for count in range(MOST_WORDS, 1, -1):
        piece = words[at : at + count]
        printed = line[piece[0][1] : piece[-1][2]]
        if len(piece) == count and "  " not in printed:
            name = column_of(printed)
            if name is not None:
                return count, name
    return 1, column_of(words[at][0]) or words[at][0].upper()


def _checked(header: TableHeader) -> TableHeader | None:
    """Return the header if enough of it is known, and no column that counts is there twice."""
    known = {name for name in header.names if _is_known(name)}
    if len(known) < _MIN_KNOWN or len(known) * 5 < len(header.names) * 3:
        return None
    if not any(signs <= known for signs in _SIGNS):
        return None
    if any(header.names.count(name) > 1 for name in (GROUP, TOPIC, *NUMBERS)):
        return None
    seen: set[str] = set()
    names = []
    for place, name in enumerate(header.names):
        # The second of two names for one thing, such as MEMBER-ID after CONSUMER-ID, is left out.
        again = name in seen or (name == OWNER and MEMBER in header.names)
        names.append(f"{name} ({place})" if again else name)
        seen.add(name)
    return replace(header, names=tuple(names))
