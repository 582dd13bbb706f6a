"""The page of `size`."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from equilag.planner.sizes.sizing import SizeRow
from equilag.report.facts.size import SizeFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.size_notes import note_lines
from equilag.report.text.tables.fitted import Write, fitted_table
from equilag.report.text.tables.layout import Block, Column, title
from equilag.report.wording.size_answer import Wording, answer_lines
from equilag.report.wording.words import NONE, number, short_span, time_span

NEVER = "never"


def size_blocks(facts: SizeFacts, screen: Screen) -> Iterator[Block]:
    """The answer, the sizes that are worth a look, and what they rest on."""
    wording = Wording.of(facts.sizing)
    yield [title(words, rest) for words, rest in answer_lines(facts.sizing, wording)]
    yield group_block(facts.group, screen)
    if facts.shown:
        yield [_table(facts, wording, screen)]
    yield [Text(line) for line in note_lines(facts, wording)]


def _table(facts: SizeFacts, wording: Wording, screen: Screen) -> RenderableType:
    sizing = facts.sizing
    threaded = sizing.basis.threads > 1
    keeps = sizing.least_keeping_up is not None
    times = any(row.catch_up_s is not None for row in facts.shown)
    columns = [
        Column(wording.many),
        *([Column("threads", is_optional=True)] if threaded else []),
        Column(f"heaviest\n{wording.unit}"), Column("at\nleast", is_optional=True),
        *([Column("keeps\nup")] if keeps else []),
        *([Column("all read\nafter")] if times else []),
        Column("", is_name=True),
    ]  # fmt: skip

    def rows(write: Write) -> list[list[RenderableType]]:
        return [
            [
                number(row.size),
                *([number(row.members)] if threaded else []),
                wording.load(row.load, write),
                "proved" if wording.is_proved(row) else wording.load(row.load_at_least, write),
                *([_verdict(row.keeps_up)] if keeps else []),
                *([_time(row)] if times else []),
                _mark(row, facts),
            ]
            for row in facts.shown
        ]

    return fitted_table(columns, rows, screen)


def _verdict(keeps_up: bool | None) -> str:
    return "open" if keeps_up is None else "yes" if keeps_up else "no"


def _time(row: SizeRow) -> str:
    if row.catch_up_s is None:
        return NONE
    return short_span(row.catch_up_s) if row.catch_up_s < float("inf") else NEVER


def _mark(row: SizeRow, facts: SizeFacts) -> str:
    sizing = facts.sizing
    marks = []
    if row.size == sizing.basis.present:
        marks.append("now")
    if sizing.least_keeping_up and row.size == sizing.least_keeping_up.at_most:
        marks.append("keeps up")
    if sizing.least_catching_up and row.size == sizing.least_catching_up.at_most:
        marks.append(f"caught up within {time_span(sizing.catch_up or 0)}")
    if row is facts.sizing.helpful_end:
        marks.append("the last that helps")
    return ", ".join(marks)
