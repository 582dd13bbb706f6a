"""Which groups of a fleet keep up, and what would help the others, as text."""

from __future__ import annotations

from typing import Final

from rich.console import RenderableType

from equilag.report.facts.fleets.fleet_throughput import (
    MAX_NAMED,
    FleetThroughputFacts,
    GroupThroughput,
)
from equilag.report.terminal import Screen
from equilag.report.text.group import NAMELESS
from equilag.report.text.tables.fitted import named_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.wording.words import number, plural, printable, short_number

RATES_ALONE: Final = "--weight rate"
"""Where the present members keep up with a plan that spreads rates and no lag."""
BEHIND_WORDS: Final = {
    "moves": "would keep up with the plan",
    "members": "would keep up with more members, or where rates alone are spread",
    "uneven": "with a member that falls behind, whatever was tried",
    "hot": "with a partition that no assignment helps: no member reads so fast",
}
"""Verdict of groups that fall behind -> what follows their number."""
MAX_HOT: Final = 2
"""Partitions named in a cell; --json has more of them."""


def fleet_throughput_block(facts: FleetThroughputFacts, screen: Screen) -> Block:
    """How many groups keep up, and a row for those that fall behind the fastest."""
    counts = facts.counts
    block: list[RenderableType] = [
        title(
            "Keeping up",
            f": {number(counts['keeps_up'])} of {plural(facts.known, 'group')} whose rates and"
            " capacities are known",
        )
    ]
    for verdict, words in BEHIND_WORDS.items():
        if counts[verdict]:
            block.append(indented(f"{number(counts[verdict])} {words}"))
    if not facts.behind:
        return block
    made = named_table(
        "group",
        [printable(row.group) or NAMELESS for row in facts.behind],
        [
            Column("short"), Column("busiest"), Column("planned"), Column("moves"),
            Column("what helps", is_name=True),
        ],
        lambda _: [_figures(row) for row in facts.behind],
        screen,
        indent=2,
    )  # fmt: skip
    shown = "" if len(facts.behind) == facts.n_behind else f" {number(len(facts.behind))} of"
    block += [
        indented(f"the fastest to fall behind,{shown} {plural(facts.n_behind, 'group')}:"),
        indented(made.table),
        indented(
            "short: records/s that members fall behind by; busiest, planned: rate of the busiest"
            " member in percent of its capacity, now and with the plan"
        ),
    ]
    return block


def _figures(row: GroupThroughput) -> list[RenderableType]:
    return [
        short_number(round(row.short_now)),
        _percent(row.utilisation_now),
        _percent(row.utilisation),
        number(row.moves),
        help_words(row),
    ]


def _percent(utilisation: float) -> str:
    return f"{short_number(round(100 * utilisation))} %"


def help_words(row: GroupThroughput) -> str:
    """What helps a group that falls behind."""
    if row.verdict == "moves":
        return "the plan"
    if row.verdict == "members":
        more = row.members_short or 0
        return (
            f"{number(more)} more {'member' if more == 1 else 'members'}" if more else RATES_ALONE
        )
    if row.verdict == "hot":
        more = len(row.hot) - MAX_HOT
        named = ", ".join(printable(name) for name in row.hot[:MAX_HOT])
        least = "at least " if len(row.hot) == MAX_NAMED else ""
        return f"split {named}" + (f" and {least}{number(more)} more" if more > 0 else "")
    return "equilag size"
