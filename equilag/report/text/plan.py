"""The page of a plan: the group, its members, the moves, how good it is, what else there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.plans.plan import ChoiceFacts, ChoicesFacts, PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.extended_group import instances_block
from equilag.report.text.group import group_block
from equilag.report.text.members import members_block
from equilag.report.text.moves import moves_block
from equilag.report.text.proof import load_word, proof_block
from equilag.report.text.tables.fitted import PART, Room, Write, fitted, fitted_table
from equilag.report.text.tables.layout import GAP, Block, Column, indented, table, title, verbatim
from equilag.report.text.tables.short_names import member_names
from equilag.report.text.verdict import verdict_block
from equilag.report.wording.words import number, short_percent

BESIDE_NAMES: Final = 36
"""Columns of a move beside its two members: an indent of 2, a topic of 8, a short lag of 5, the
partition and the arrow, and gaps."""


def plan_blocks(facts: PlanFacts, screen: Screen) -> Iterator[Block]:
    ids = [*(member.id for member in facts.members), *facts.idle]
    room = min(screen.width // PART, (screen.width - BESIDE_NAMES) // 2)
    names = member_names(ids, room, screen.dots)
    yield verdict_block(facts.verdict, screen, names)
    yield group_block(facts.group, screen)
    yield members_block(facts, names, screen)
    yield instances_block(facts, screen)
    yield moves_block(facts, names, screen)
    yield proof_block(facts)
    if facts.choices is not None:
        yield choices_block(facts.choices, screen, load_word(facts.proof))
    yield _next_steps(facts)


def _next_steps(facts: PlanFacts) -> Block:
    """How to make the group do it."""
    commands = [line.startswith("equilag ") for line in facts.next_steps]
    lines = zip(facts.next_steps, commands, strict=True)
    block = [indented(verbatim(line) if is_command else line) for line, is_command in lines]
    return [title("Next"), *block] if block else []


def choices_block(choices: ChoicesFacts, screen: Screen, what: str = "lag") -> Block:
    """Two or three points between the fewest moves and the most even lag, and how to get them."""
    start = "the current assignment" if choices.from_current else choices.rows[0].label
    columns = [
        Column("choice", is_name=True), Column("moves"), Column(f"{what} spread"),
        Column("gain", is_optional=True), Column("", is_name=True),
    ]  # fmt: skip

    def figures(write: Write) -> list[list[RenderableType]]:
        return [
            [
                row.label,
                number(row.moves),
                write(row.spread),
                short_percent(row.gain_percent),
                _how(row),
            ]
            for row in choices.rows
        ]

    heading = title(
        "Choices",
        f" of this run (gain: part of the excess saved, from {start} to the proved bound)",
    )
    made = fitted(columns, figures, screen, 2, Room(-GAP, -GAP))
    if made.room >= -GAP:
        return [heading, indented(table(made.columns, made.rows, screen))]
    # A command that is cut is of no use.
    short = fitted_table(columns[:-1], lambda w: [row[:-1] for row in figures(w)], screen, indent=2)
    how = (indented(f"{row.label}: {_how(row)}") for row in choices.rows)
    return [heading, indented(short), *how]


def _how(choice: ChoiceFacts) -> str:
    if choice.is_this_plan:
        return "this plan"
    words = (f"--{name.replace('_', '-')} {value}" for name, value in choice.settings.items())
    return " ".join(words)
