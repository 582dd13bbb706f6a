"""The header of a table: which columns a group's table has, under which names tools print them, and
where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Final

GROUP: Final = "GROUP"
TOPIC: Final = "TOPIC"
PARTITION: Final = "PARTITION"
COMMITTED: Final = "CURRENT-OFFSET"
END: Final = "LOG-END-OFFSET"
START: Final = "LOG-START-OFFSET"
LEADER_EPOCH: Final = "LEADER-EPOCH"
LAG: Final = "LAG"
MEMBER: Final = "CONSUMER-ID"
OWNER: Final = "OWNER"
INSTANCE: Final = "GROUP-INSTANCE-ID"
CLIENT: Final = "CLIENT-ID"
HOST: Final = "HOST"
COUNT: Final = "#PARTITIONS"
ASSIGNMENT: Final = "ASSIGNMENT"
STATE: Final = "STATE"
COORDINATOR: Final = "COORDINATOR"

NUMBERS: Final = frozenset({PARTITION, COMMITTED, END, START, LAG})
"""Columns with an integer, or a word for none."""
SPACED: Final = (GROUP, MEMBER, OWNER, INSTANCE, CLIENT, ASSIGNMENT)
"""Columns that may hold spaces: ids are whatever a client chose, the others are one word."""
TOPIC_NAME: Final = re.compile(r"[\w.-]{1,249}")
BLANK: Final = frozenset({MEMBER, OWNER, INSTANCE, CLIENT, HOST, ASSIGNMENT, LAG})
"""Columns in which a tool leaves a cell empty."""

_ALIASES: Final = {
    GROUP: "GROUP GROUP-ID GROUPID CONSUMER-GROUP CONSUMERGROUP CONSUMER-GROUP-ID",
    TOPIC: "TOPIC TOPIC-NAME TOPICNAME",
    PARTITION: "PARTITION PARTITION-ID PARTITIONID PID",
    COMMITTED: "CURRENT-OFFSET CURRENTOFFSET COMMITTED-OFFSET COMMITTED COMMIT-OFFSET"
    " CONSUMER-OFFSET GROUP-OFFSET OFFSET",
    END: "LOG-END-OFFSET LOGENDOFFSET LOG-SIZE LOGSIZE END-OFFSET LATEST-OFFSET"
    " NEWEST-OFFSET HIGH-WATERMARK HIGH-WATER-MARK HIGHWATERMARK",
    START: "LOG-START-OFFSET LOGSTARTOFFSET START-OFFSET OLDEST-OFFSET EARLIEST-OFFSET"
    " LOW-WATERMARK",
    LAG: "LAG OFFSET-LAG CONSUMER-LAG MESSAGES-BEHIND",
    MEMBER: "CONSUMER-ID CONSUMERID CONSUMER MEMBER-ID MEMBERID MEMBER",
    OWNER: "OWNER CONSUMER-INSTANCE-OWNER PARTITION-OWNER",
    INSTANCE: "GROUP-INSTANCE-ID INSTANCE-ID INSTANCE",
    CLIENT: "CLIENT-ID CLIENTID CLIENT",
    HOST: "HOST CLIENT-HOST CLIENTHOST CONSUMER-HOST",
    COUNT: "#PARTITIONS",
    ASSIGNMENT: "ASSIGNMENT CURRENT-ASSIGNMENT ASSIGNED-PARTITIONS",
    STATE: "STATE",
    COORDINATOR: "COORDINATOR COORDINATOR-(ID)",
}
_OTHER: Final = frozenset(
    {
        *("LAG-%", "LEAD", LEADER_EPOCH, "CURRENT-EPOCH", "TARGET-EPOCH", "TARGET-ASSIGNMENT"),
        *("GROUP-EPOCH", "TARGET-ASSIGNMENT-EPOCH", "ASSIGNMENT-STRATEGY", "#MEMBERS", "MEMBERS"),
        *("UPGRADED", "NEW-OFFSET", "METADATA", "CLUSTER", "BALANCER", "TOTAL-LAG", "ERROR"),
    }
)
"""Columns that are known and not needed."""
_COLUMNS: Final = {alias: name for name, text in _ALIASES.items() for alias in text.split()}
_ATOM: Final = re.compile(r"[A-Z]+")
_ATOMS: Final = frozenset(_ATOM.findall(" ".join([*_COLUMNS, *_OTHER])))
"""Words that names of columns consist of."""


@lru_cache(maxsize=4096)
def column_of(printed: str) -> str | None:
    """Return the column that is printed under this name; None if it is not the name of one."""
    name = re.sub(r"[\s_-]+", "-", printed.strip("*_`\"' \t").upper())
    return _COLUMNS.get(name, name if name in _OTHER else None)


_MAX_WORDS: Final = 3
"""Words of the longest name, `Log End Offset`."""
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
MAX_SPACES: Final = 5
"""Words more than columns that may stand before the numbers of a row: names hold few spaces."""
MAX_PREFIX: Final = 40
"""Characters before the first column: a comment sign, or the name of a container."""
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The columns of a table; unknown ones have the name that is printed.

    `starts` are the places of the names. `delimiter` stands between columns, None for white space.
    `pieces` are the lines that a narrow screen broke the header into, `width` the length of the
    first; `in_word` if it ends in a name.
    """

    line: int
    names: tuple[str, ...]
    starts: tuple[int, ...]
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
    def has_members(self) -> bool:
        return {MEMBER, COUNT} <= set(self.names)

    @property
    def has_state(self) -> bool:
        return {STATE, COORDINATOR} <= set(self.names)


@lru_cache(maxsize=64)
def _offsets_of(names: tuple[str, ...]) -> tuple[bool, int]:
    """`has_offsets` and `before_numbers`, which are asked for in each line."""
    has = {TOPIC, PARTITION} <= set(names) and len({COMMITTED, END, LAG} & set(names)) > 1
    return has, next((at for at, name in enumerate(names) if name in NUMBERS), len(names))


HEADER_WORDS: Final = ("PARTITION", "PID", "LAG", "BEHIND", "ASSIGN", "COORDINATOR")
"""Of which a header has one, in capital letters."""


def any_digits(prefix: str) -> str:
    """The pattern of a prefix whose digits differ from line to line, as those of times do."""
    return re.sub("[0-9]", "[0-9]", re.escape(prefix))


def begins_known(line: str) -> bool:
    """True if the line is a header and its first word the name of a known column."""
    header = read_header(line, 0)
    return header is not None and not any(header.starts[:1]) and _is_known(header.names[0])


def read_header(line: str, number: int) -> TableHeader | None:
    """Return the header that this line is, None if it is none."""
    found = _header_of(line)
    return found and replace(found, line=number)


@lru_cache(maxsize=64)
def _header_of(line: str) -> TableHeader | None:
    names = line[MAX_PREFIX:]
    if "=" in names or ":" in names or "{" in names:
        return None
    known = [atom in _ATOMS for atom in _ATOM.findall(line.upper())]
    if True not in known or 2 * sum(known) < len(known) - known.index(True):
        return None  # a sentence about topics
    often = (delimiter for delimiter in DELIMITERS if line.count(delimiter) >= _MIN_KNOWN - 1)
    found = next(filter(None, (_delimited(line, delimiter) for delimiter in often)), None)
    found = found or _spaced(line)
    return None if found and sum(map(str.isdigit, line)) > len(line) // 4 else found


@lru_cache(maxsize=4096)
def _is_part(word: str) -> bool:
    """True for a word of which names of columns consist."""
    atoms = _ATOM.findall(word.upper())
    return _is_known(word) or not word.strip("-_%") or (atoms != [] and _ATOMS.issuperset(atoms))


def _is_known(name: str) -> bool:
    return column_of(name) is not None


def _delimited(line: str, delimiter: str) -> TableHeader | None:
    cells = [cell.strip() for cell in line.strip().split(delimiter)]
    if delimiter == "|":
        cells = [cell for cell in cells if cell]
    names = tuple(column_of(cell) or cell.upper() for cell in cells)
    return _checked(TableHeader(0, names, (), delimiter=delimiter))


def _spaced(line: str) -> TableHeader | None:
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
    return _checked(TableHeader(0, tuple(names[first:]), tuple(starts[first:])))


def _name_at(words: list[tuple[str, int, int]], at: int, line: str) -> tuple[int, str]:
    """Return the longest name that begins at this word: its number of words, and the column."""
    parts = [*takewhile(lambda word: _is_part(word[0]), words[at : at + _MAX_WORDS])]
    for count in range(len(parts), 1, -1):
        printed = line[parts[0][1] : parts[count - 1][2]]
        name = column_of(printed) if "  " not in printed else None
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
