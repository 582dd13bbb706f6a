"""The output `text`: the blocks of a report as lines for a screen."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

from equilag.domain.figures import BEFORE_UNIT
from equilag.report import report_blocks as b
from equilag.report.short_names import member_names, name_shortener
from equilag.report.terminal import Screen
from equilag.report.text.table_lines import picture, table_lines, table_of

BOLD: Final = "bold"
TONES: Final[Mapping[str, str]] = {"good": "bold green", "warn": "bold yellow", "bad": "bold red"}
"""How the first words of a headline look."""
INDENT: Final = 2
MAX_LABEL: Final = 18
"""Columns of a label; a longer one pushes its words to the right."""
PART: Final = 4
"""A member's name takes one part in so many of the screen at most."""
BESIDE_NAMES: Final = 36
"""Columns of a move beside its two members: an indent of 2, a topic of 8, a short lag of 5, the
partition, and gaps."""

_GLUE: Final = "\ue000"
"""Stands for the blank before a unit: rich breaks lines at a no-break space too."""


def text_output(report: b.Report, screen: Screen | None = None) -> str:
    """The report for a screen; without one for standard output."""
    screen = screen or Screen.of(sys.stdout)
    return _Writer(screen, report.names).page(report.blocks())


class _Writer:
    """Writes blocks as lines, a blank line between those that do not belong together."""

    def __init__(self, screen: Screen, names: Iterable[str]) -> None:
        self._screen = screen
        room = min(screen.width // PART, (screen.width - BESIDE_NAMES) // 2)
        self._shortened = name_shortener(member_names(names, room, screen.dots))
        self._console = Console(
            file=io.StringIO(), width=screen.width, markup=False, emoji=False, highlight=False,
            color_system=None, legacy_windows=False,
        )  # fmt: skip

    def page(self, blocks: Iterable[b.Block]) -> str:
        found: list[list[Text]] = []
        before: b.Block | None = None
        for block in blocks:
            lines = [*self._lines(block, 0)]
            if found and _belong_together(before, block):
                found[-1] += lines
            elif lines:
                found.append(lines)
            before = block
        texts = ("\n".join(map(self._drawn, lines)) for lines in found)
        return "\n\n".join(texts) + "\n"

    def _lines(self, block: b.Block, indent: int) -> Iterator[Text]:
        inner = indent or INDENT
        match block:
            case b.Headline(words, tone, _, lines):
                yield from self._titled(words, indent, TONES.get(tone, BOLD))
                yield from self._sentences(lines, inner)
            case b.Title(name, facts, notes):
                yield from self._titled(f"{name}: {', '.join(facts)}", indent)
                yield from self._sentences(notes, inner)
            case b.Section():
                yield from self._section(block)
            case b.Facts(rows):
                yield from self._pairs(rows, inner)
            case b.Chart():
                over_time = block.x.form in ("seconds", "clock")  # what else is drawn is a table
                yield from map(Text, picture(block, self._screen) if over_time else ())
            case b.Notes(lines, kind):
                yield from self._sentences(lines, indent if kind == "text" else inner)
            case b.Lines(lines):
                yield from (Text(self._screen.signs(line)) for line in lines)
            case b.Commands(steps):
                yield from self._commands(steps, indent)
            case _:
                yield from self._table(
                    table_of(block), inner if isinstance(block, b.Breakdown) else indent
                )

    def _section(self, section: b.Section) -> Iterator[Text]:
        title = Text.assemble(
            (self._screen.signs(section.title), BOLD), self._screen.signs(section.rest)
        )
        yield from self._prose(title)
        for place, one in enumerate(section.blocks):
            if place and isinstance(one, (b.Table, b.Bars, b.Flows, b.Section)):
                yield Text()
            yield from self._lines(one, INDENT)

    def _commands(self, steps: Iterable[tuple[str, str]], indent: int) -> Iterator[Text]:
        for words, command in steps:
            yield from self._prose(words, indent) if words else ()
            if command:
                yield Text(f"{' ' * (indent or INDENT)}{self._screen.signs(command)}")

    def _sentences(self, lines: Iterable[str], indent: int) -> Iterator[Text]:
        for line in lines:
            yield from self._prose(line, indent)

    def _table(self, table: b.Table, indent: int) -> Iterator[Text]:
        lines = table_lines(table, self._screen, indent, self._shortened)
        yield from lines.heading
        yield from lines.rows
        yield from self._sentences(lines.notes, indent or INDENT)

    def _titled(self, words: str, indent: int, style: str = BOLD) -> Iterator[Text]:
        what, colon, rest = self._named(words).partition(": ")
        title = Text.assemble((what + colon.rstrip(), style), " " * bool(colon), rest)
        return self._prose(title, indent)

    def _pairs(self, rows: Sequence[b.Fact], indent: int) -> Iterator[Text]:
        labels = [self._screen.signs(row.label) for row in rows]
        width = min(MAX_LABEL, max(map(cell_len, labels))) + 2
        for row, label in zip(rows, labels, strict=True):
            label = label.ljust(width - 1) + " "
            lines = self._prose(self._named(row.line), indent + len(label))
            for place, line in enumerate(lines):
                yield line if place else Text(" " * indent + label) + line[indent + len(label) :]

    def _prose(self, words: str | Text, indent: int = 0) -> Iterator[Text]:
        """Words in lines of the width of prose, the later ones two columns to the right."""
        if isinstance(words, str):
            indent += len(words) - len(words.lstrip(" "))
            words = Text(self._named(words.lstrip(" ")))
        text = words.copy()
        text.plain = BEFORE_UNIT.sub(_GLUE, text.plain)
        width = self._screen.prose - indent - INDENT
        for place, line in enumerate(text.wrap(self._console, max(width, 1))):
            line.plain = line.plain.replace(_GLUE, " ")
            yield Text(" " * (indent + INDENT * bool(place))) + line

    def _named(self, words: str) -> str:
        return self._screen.signs(self._shortened(words))

    def _drawn(self, line: Text) -> str:
        line.rstrip()
        if not self._screen.colour:
            return line.plain
        return "".join(
            segment.style.render(segment.text, color_system=ColorSystem.STANDARD)
            if segment.style
            else segment.text
            for segment in line.render(self._console)
        )


def _belong_together(before: b.Block | None, block: b.Block) -> bool:
    match block:
        case b.Notes(_, kind):
            return kind != "text"
        case b.Facts(_, tiles):
            return tiles
        case b.Headline():
            return isinstance(before, b.Headline)
    return False
