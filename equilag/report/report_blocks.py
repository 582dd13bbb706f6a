"""The blocks that a report is a list of. Text and page write any of them, and add nothing.

Rows of tables hold values; the form of a column says how they are written. Everything else is words
already. Names stand in full: an output shortens those of `Report.names` to the room that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from equilag.report.charts import Axis as Axis
from equilag.report.charts import Chart as Chart
from equilag.report.charts import ChartPoint as ChartPoint
from equilag.report.charts import MarkLine as MarkLine
from equilag.report.charts import Series as Series

if TYPE_CHECKING:
    from equilag.planner.facts.moves import FlowFacts

Tone = Literal["good", "act", "warn", "bad", "neutral"]
"""``good``: nothing to do; ``act``: something to do; ``warn``: read on; ``bad``: it does not keep
up, or does not work."""
Words: TypeAlias = tuple[str, ...]
"""Sentences."""


@dataclass(frozen=True, slots=True)
class Headline:
    """What to do, first; what stands before a colon is the most important."""

    words: str
    tone: Tone = "neutral"
    what: str = ""
    """The sign of a page in words, such as ``Worth a rebalance``."""
    lines: Words = ()
    """What adds to it."""


@dataclass(frozen=True, slots=True)
class Title:
    """What the report is about: a name, and its sizes."""

    name: str
    facts: Words
    notes: Words = ()
    """What is doubtful about its figures."""


class Fact(NamedTuple):
    label: str
    words: str
    now: str = ""
    """What the words are in place of, if they are about a change."""
    note: str = ""

    @property
    def line(self) -> str:
        """All of it but the label."""
        change = f"{self.now} → {self.words}" if self.now else self.words
        return f"{change} {self.note}".rstrip()


@dataclass(frozen=True, slots=True)
class Facts:
    """Figures by name."""

    rows: tuple[Fact, ...]
    tiles: bool = False
    """True for the few figures that matter most, which a page shows large."""
    is_old: bool = False
    """True for figures that may no longer hold, which a page shows in grey."""


class Share(NamedTuple):
    label: str
    size: int
    tone: Tone
    note: str = ""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Parts of a whole, in counts."""

    rows: tuple[Share, ...]


class BarParts(NamedTuple):
    """What the bars of a column are."""

    names: Words
    """Of the parts of a bar, from the left."""
    mark: float | None = None
    """Where a line stands, such as a fair share."""
    least: float = 0.0
    """What there is room for even if all bars are shorter."""
    is_whole: bool = False
    """True if every bar is 100 %, shared among the parts."""


class Column(NamedTuple):
    heading: str
    form: str = "number"
    """One of `equilag.domain.figures.FORMS`, or ``bar``: then a value is the lengths of parts."""
    note: str = ""
    """What the figures are."""
    optional: bool = False
    """True if a screen that is too narrow may leave it out, the last one first."""
    parts: BarParts | None = None
    filters: bool = False
    """True if a page can show the rows of one of its values only."""


Cell: TypeAlias = Any
"""A value in the form of its column; a `Change` of two; None where nothing is known."""


class Detail(NamedTuple):
    """What a page shows of a row that is opened."""

    words: str
    pairs: tuple[tuple[str, str], ...]
    commands: Words


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    """For those who do not see it."""
    few: int = 40
    """Rows that a screen shows of more, the first ones."""
    is_folded: bool = False
    """True if a page shows it when it is asked for, since it repeats a picture."""
    details: tuple[Detail, ...] = ()
    """One for each row; or none."""

    def only(self, kept: Iterable[int]) -> Table:
        """The table with some of its columns, by their places."""
        places = tuple(kept)
        rows = tuple(tuple(row[i] for i in places) for row in self.rows)
        return replace(self, columns=tuple(self.columns[i] for i in places), rows=rows)

    def known(self) -> Table:
        """Without the columns in which no row has anything."""
        columns = enumerate(zip(*self.rows, strict=True))
        return self.only(i for i, cells in columns if any(one is not None for one in cells))

    def without_bars(self) -> Table:
        return self.only(i for i, one in enumerate(self.columns) if one.form != "bar")


class Part(NamedTuple):
    """A part of a bar: a partition."""

    size: float
    state: str
    """``stays``, ``leaves``, ``arrives``; and ``hot`` for more than a fair share alone."""
    words: str


class Strip(NamedTuple):
    """What one member has, now and under the plan."""

    name: str
    now: tuple[Part, ...]
    planned: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Bars:
    """A table with bars. A page draws the partitions of each member above it, a screen the bars of
    the table's own columns."""

    table: Table
    strips: tuple[Strip, ...] = ()
    fair: float = 0.0
    """Where a line stands."""
    unit: str = ""
    """What the bars are."""


@dataclass(frozen=True, slots=True)
class Flows:
    """What members give to one another, the largest lag first."""

    rows: tuple[FlowFacts, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences: ``text`` for what is read first, ``small`` below figures."""

    lines: Words
    kind: Literal["text", "list", "small", "warning"] = "small"


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines for programs as well as for people: none is broken."""

    lines: Words


@dataclass(frozen=True, slots=True)
class Commands:
    """What to type next: sentences with the command that each leads to, which may be empty."""

    steps: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks below a heading."""

    title: str
    blocks: tuple[Block, ...]
    rest: str = ""
    """What follows the title in the same line."""
    anchor: str = ""
    """Its name in the address of a page."""


Block: TypeAlias = (
    Headline | Title | Facts | Breakdown | Table | Bars | Flows | Chart | Notes | Lines | Commands
    | Section
)  # fmt: skip


class Report:
    """An answer with its list of blocks and its JSON. An output gets it as its only argument."""

    kind: str
    """``plan``, ``verdict``, ``comparison``, ``frontier``, ``verification``, ``explanation``,
    ``size``, ``simulation``, ``group-report``, ``live-groups``, ``readiness``, ``steward``,
    ``fleet``, ``configuration``."""
    size: int = 0
    """Partitions that the document lists one by one; a large document is written compactly."""
    names: Words = ()
    """Ids of members, which are shortened where they are too long."""
    interrupted: bool = False
    """True if the run was told to end before it was done."""

    def parts(self) -> Iterable[Block | None]:
        """The blocks; those that are empty or None are left out."""
        raise NotImplementedError

    def document(self) -> Mapping[str, Any]:
        """The report's JSON."""
        raise NotImplementedError

    def asks(self) -> bool:
        """True if it says that there is something to do."""
        return False

    @property
    def chart(self) -> Chart:
        """The picture that ``--plot`` draws."""
        raise NotImplementedError

    def blocks(self) -> tuple[Block, ...]:
        """What it says."""
        return tuple(filled(self.parts()))


def filled(blocks: Iterable[Block | None]) -> Iterator[Block]:
    """The blocks that say something."""
    return (block for block in blocks if block is not None and not _is_empty(block))


def _is_empty(block: Block) -> bool:
    match block:
        case (
            Facts(rows) | Breakdown(rows) | Flows(rows) | Table(rows=rows) | Bars(Table(rows=rows))
        ):
            return not rows
        case Notes(lines) | Lines(lines):
            return not lines
        case Section(blocks=blocks, rest=rest):
            return not (blocks or rest)
    return False


def facts(rows: Iterable[Fact]) -> Facts:
    """The figures of which something is known."""
    return Facts(tuple(row for row in rows if row.words))


def section(title: str, *blocks: Block | None, rest: str = "", anchor: str = "") -> Section:
    """A section of the blocks that are there."""
    return Section(title, tuple(filled(blocks)), rest, anchor)
