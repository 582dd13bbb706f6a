"""The page of `groups`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from equilag.report.facts.live_groups import LiveGroupFacts, LiveGroupsFacts
from equilag.report.terminal import Screen
from equilag.report.text.group import NAMELESS
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, indented, title, verbatim
from equilag.report.wording.words import NONE, number, percent, plural, printable, shorten

MAX_STATE: Final = 13
"""Characters of a group's state; Kafka's names of states differ within fewer."""


def live_groups_blocks(facts: LiveGroupsFacts, screen: Screen) -> Iterator[Block]:
    """A row per group, in the order of the facts."""
    if not facts.groups:
        yield [Text("no groups: the cluster has none, none matches, or DESCRIBE is missing")]
        return
    yield [title(plural(len(facts.groups), "group"), f", total lag {number(facts.lag)}")]
    columns = [
        Column("state", is_name=True), Column("kind", is_name=True), Column("members"),
        Column("partitions"), Column("lag"), Column("spread"), Column("worst"),
    ]  # fmt: skip
    names = [printable(row.group) or NAMELESS for row in facts.groups]
    made = named_table(
        "group",
        names,
        columns,
        lambda write: [_cells(row, write, screen) for row in facts.groups],
        screen,
    )
    yield [made.table]
    if facts.unknown_lags:
        unknown = plural(facts.unknown_lags, "partition")
        yield [indented(f"* without {unknown} whose lag is unknown")]
    if facts.next_command is not None:
        yield [Text("Plan the most uneven group:"), verbatim(f"  {facts.next_command}")]


def _cells(row: LiveGroupFacts, write: Write, screen: Screen) -> list[RenderableType]:
    share = row.worst_share_percent
    return [
        shorten(printable(row.state), MAX_STATE, screen.dots),
        row.kind,
        NONE if row.members is None else number(row.members),
        NONE if row.partitions is None else number(row.partitions),
        NONE if row.lag is None else write(row.lag) + ("*" if row.unknown_lags else ""),
        NONE if row.lag_spread is None else write(row.lag_spread),
        NONE if share is None else percent(share),
    ]
