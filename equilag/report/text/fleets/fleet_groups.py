"""The groups of a fleet run: the worst ones, and those without a plan."""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType

from equilag.report.facts.fleets.fleet import FleetFacts
from equilag.report.facts.fleets.fleet_run import GroupRow
from equilag.report.terminal import Screen
from equilag.report.text.group import NAMELESS
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.text.tables.short_names import fitted
from equilag.report.wording.words import (
    NONE,
    number,
    plural,
    printable,
    ratio_words,
    short_percent,
    shorten,
    status_words,
)

MAX_NAMED: Final = 5
"""Failed groups of a kind that are named: the kind and its reason say most."""
MAX_REASON: Final = 200
"""Characters of a reason: two to three lines."""


def kind_words(kind: str) -> str:
    """``no_members`` as words."""
    return printable(kind.replace("_", " "))


def worst_groups_block(facts: FleetFacts, screen: Screen) -> Block:
    """A row for each of the worst groups: uneven today, and under the plan."""
    shown, groups = facts.worst, len(facts.report.groups)
    which = "" if len(shown) == groups else f" {number(len(shown))} of {number(groups)},"
    made = named_table(
        "group",
        [printable(row.group) or NAMELESS for row in shown],
        [
            Column("today"), Column("max/mean"), Column("planned"), Column("saved"),
            Column("moves"), Column("gap"), Column("status", is_name=True),
        ],
        lambda write: [_figures(row, write) for row in shown],
        screen,
        indent=2,
    )  # fmt: skip
    by_excess = facts.report.knows_excess
    saved = (
        "excess, what members have above the mean"
        if by_excess
        else "spread (the run is from before excess was known)"
    )
    block: list[RenderableType] = [
        title("Worst groups", f",{which} by the {'excess' if by_excess else 'spread'} saved"),
        indented(made.table),
        indented(f"today, planned: spread, heaviest member less lightest; saved: {saved}"),
    ]
    if any(row.spread_now is None for row in shown):
        block.append(indented(f"{NONE} today: nobody owns anything"))
    if any((row.saved or 0) < 0 for row in shown):
        block.append(
            indented(
                "saved is below 0 where today's counts are less even than possible, where not every"
                " partition is owned, or where a smaller spread takes more excess"
            )
        )
    if made.is_shortened:
        block.append(indented("names are shortened; --json has them whole"))
    return block


def _figures(row: GroupRow, write: Write) -> list[RenderableType]:
    over = row.max_over_mean
    return [
        NONE if row.spread_now is None else write(round(row.spread_now)),
        NONE if over is None else ratio_words(over),
        write(round(row.spread_planned)),
        NONE if row.saved is None else write(round(row.saved)),
        number(row.moves),
        short_percent(row.gap_percent_of_mean),
        status_words(row.status, row.evidence),
    ]


def failed_groups_block(facts: FleetFacts, screen: Screen) -> Block:
    """By kind; of each a few groups, those with the same reason together."""
    block: list[RenderableType] = [title("Not planned", f": {plural(facts.failed, 'group')}")]
    for kind in facts.failures:
        block.append(indented(f"{kind_words(kind.kind)}, {plural(len(kind.groups), 'group')}"))
        by_reason: dict[str, list[str]] = {}
        for failed in kind.groups[:MAX_NAMED]:
            name = fitted(printable(failed.group), screen.width // 3, screen.dots)
            reason = shorten(printable(failed.reason or ""), MAX_REASON, screen.dots)
            by_reason.setdefault(reason, []).append(name)
        for reason, names in by_reason.items():
            block.append(indented(f"{', '.join(names)}: {reason}", 4))
        more = len(kind.groups) - MAX_NAMED
        if more > 0:
            block.append(indented(f"{screen.dots} and {number(more)} more", 4))
    return block
