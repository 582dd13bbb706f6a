"""Pieces of a page, made with rich, and a page as lines of text.

Cells and prose are `Text` objects, so that no markup in a user's name is interpreted.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from rich.bar import Bar
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from equilag.report.terminal import Screen
from equilag.report.wording.words import in_ascii

BOLD: Final = "bold"
GOOD: Final = "green"
WARNING: Final = "yellow"
GAP: Final = 2
"""Blank columns between two columns of a table."""
EIGHTHS: Final = 8
"""Steps of a bar within one column."""

_BEFORE_UNIT: Final = re.compile(r"(?<=\d) (?=%|(?:ms|s|min|h|d)\b)")
"""The blank between a figure and its unit, at which no line ends."""
_GLUE: Final = "\ue000"
"""Stands for it while lines are broken: rich breaks at a no-break space too."""

Block = Sequence[RenderableType]
"""Lines of a page without a blank line between them."""


class Column(NamedTuple):
    """A column of a table. Only columns of names shrink where the screen is too narrow."""

    heading: str
    """May have several lines."""
    is_name: bool = False
    is_optional: bool = False
    """True if a table of names may leave it out where the screen is too narrow, the last first."""


class Prose(NamedTuple):
    """Prose whose later lines are indented."""

    text: Text
    hang: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        text = self.text.copy()
        text.plain = _BEFORE_UNIT.sub(_GLUE, text.plain)
        for i, line in enumerate(text.wrap(console, options.max_width - self.hang)):
            line.plain = line.plain.replace(_GLUE, " ")
            yield Text(" " * self.hang) + line if i else line


def title(words: str, rest: str = "") -> Prose:
    """Prose that begins with a title."""
    return Prose(Text.assemble((words, BOLD), rest))


class FigureTable(Table):
    """A table of figures. It may be wider than prose."""


def indented(what: RenderableType, by: int = 2) -> Padding:
    """A table or prose, `by` columns to the right."""
    return Padding(Prose(Text(what)) if isinstance(what, str) else what, (0, 0, 0, by))


def table(
    columns: Sequence[Column],
    rows: Iterable[Sequence[RenderableType]],
    screen: Screen,
    *,
    headings: bool = True,
) -> FigureTable:
    """Names to the left, figures to the right. A name that is too long ends in an ellipsis."""
    made = FigureTable(
        box=None, show_header=headings, header_style=BOLD, pad_edge=False, padding=(0, GAP, 0, 0)
    )
    for column in columns:
        made.add_column(
            Text(column.heading, no_wrap=True),
            justify="left" if column.is_name else "right",
            no_wrap=not column.is_name,
            overflow="crop" if screen.ascii else "ellipsis",
            vertical="bottom",
        )
    for row in rows:
        made.add_row(*(_cell(cell, screen) for cell in row))
    return made


def _cell(cell: RenderableType, screen: Screen) -> RenderableType:
    if isinstance(cell, str):
        return Text(cell, no_wrap=True, overflow="crop" if screen.ascii else "ellipsis")
    return cell


def labelled(rows: Iterable[tuple[str, str]], width: int) -> Padding:
    """Labels in `width` columns, each with its prose beside it; without prose the label is left
    out."""
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True, min_width=width)
    grid.add_column()
    for label, words in rows:
        if words:
            grid.add_row(Text(label), Prose(Text(words), 0))
    return indented(grid)


def verbatim(line: str) -> Text:
    """A line to be copied: whole, however long it is."""
    return Text(line, no_wrap=True, overflow="ignore")


def bars(
    values: Sequence[float], largest: float, cells: int, screen: Screen
) -> list[RenderableType]:
    """A bar per value, up to `cells` columns wide; anything above 0 shows. None in ASCII."""
    if screen.ascii or not cells:
        return [""] * len(values)
    least = largest / (EIGHTHS * cells)
    return [
        Bar(largest or 1, 0, max(value, least) if value else 0, width=cells) for value in values
    ]


def page(blocks: Iterable[Block], screen: Screen) -> str:
    """The blocks as text, with a blank line between any two."""
    console = Console(
        file=io.StringIO(), width=screen.width, markup=False, emoji=False, highlight=False,
        color_system=None, legacy_windows=False,
    )  # fmt: skip
    texts = []
    for block in blocks:
        lines = [
            _line(segments, screen)
            for piece in block
            for segments in Segment.split_lines(_rendered(piece, console, screen))
        ]
        if lines:
            texts.append("\n".join(lines))
    return "\n\n".join(texts) + "\n"


def _rendered(piece: RenderableType, console: Console, screen: Screen) -> Iterable[Segment]:
    """Tables as wide as the screen, everything else as wide as prose."""
    inner = piece.renderable if isinstance(piece, Padding) else piece
    if screen.ascii:
        piece = _in_ascii(piece)
    width = screen.width if isinstance(inner, FigureTable) else screen.prose
    return console.render(piece, console.options.update_width(width))


def _in_ascii(piece: RenderableType) -> RenderableType:
    """Prose in ASCII before its lines are broken; cells of tables are so already."""
    if isinstance(piece, Padding):
        return Padding(
            _in_ascii(piece.renderable), (piece.top, piece.right, piece.bottom, piece.left)
        )
    if isinstance(piece, Prose):
        return Prose(_text_in_ascii(piece.text), piece.hang)
    return _text_in_ascii(piece) if isinstance(piece, Text) else piece


def _text_in_ascii(text: Text) -> Text:
    """The same text, each part in its style."""
    made = Text(no_wrap=text.no_wrap, overflow=text.overflow)
    ends = sorted({0, len(text), *(end for span in text.spans for end in (span.start, span.end))})
    for part in text.divide(ends):
        made.append(in_ascii(part.plain), part.spans[0].style if part.spans else None)
    return made


def _line(segments: list[Segment], screen: Screen) -> str:
    """A line without blanks at its end."""
    kept = list(_without_trailing_blanks(segments))
    if not screen.colour:
        return "".join(segment.text for segment in kept)
    return "".join(
        segment.style.render(segment.text, color_system=ColorSystem.STANDARD)
        if segment.style
        else segment.text
        for segment in kept
    )


def _without_trailing_blanks(segments: list[Segment]) -> Iterator[Segment]:
    plain = "".join(segment.text for segment in segments)
    left = len(plain.rstrip(" "))
    for segment in segments:
        if left <= 0:
            return
        yield Segment(segment.text[:left], segment.style)
        left -= len(segment.text)
