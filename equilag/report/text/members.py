"""The members of a plan: partitions and lag of each, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.extended_group import ExtendedFacts
from equilag.report.facts.plans.plan import MemberFacts, PlanFacts
from equilag.report.terminal import Screen
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, bars, indented, title
from equilag.report.text.work import load_words
from equilag.report.wording.words import form, listed, number, percent, plural

MAX_ROWS: Final = 40
"""Members up to which each gets a row: what a large terminal holds."""
HEAVIEST: Final = 10
LIGHTEST: Final = 5
"""Members shown of a larger group: so many of the heaviest before and after, and of the lightest.
They leave room for the moves on the same screen."""
MAX_IDLE: Final = 5
"""Idle members that are named."""
NOTHING_TO_READ: Final = (
    "no partition in its subscription",
    "no partition in their subscriptions",
)
USED_WIDTH: Final = 18
"""Columns of the speed used, before and after."""
BAR_WIDTHS: Final = ((130, 20), (90, 10), (70, 6), (0, 0))
"""Columns of the screen from which on a bar has so many columns: names and figures come first."""


def members_block(facts: PlanFacts, names: Mapping[str, str], screen: Screen) -> Block:
    """A row per member, or the rows of the heaviest and lightest."""
    if not facts.group.members:
        return [title("No members:", " there is nobody to assign a partition to.")]
    block: list[RenderableType] = []
    if facts.members:
        block += _table(facts, names, screen)
    if unknown := _capacities(facts.extended):
        block.append(indented(unknown))
    empty = [member.id for member in facts.members if not member.partitions]
    idle = f"{plural(len(facts.idle), 'idle member')} ({form(len(facts.idle), *NOTHING_TO_READ)})"
    without = f"{plural(len(empty), 'member')} {form(len(empty), 'gets', 'get')} no partition"
    for ids, what in ((facts.idle, idle), (empty, without)):
        if ids:
            shown = listed([names[name] for name in ids], MAX_IDLE, screen.dots)
            block.append(indented(f"{what}: {shown}"))
    return block


def _table(facts: PlanFacts, names: Mapping[str, str], screen: Screen) -> Block:
    owned = bool(facts.group.owned)
    sections = _selected(facts.members, owned)
    shown = [member for section in sections for member in section]
    left_out = len(facts.members) - len(shown)
    columns = [Column("partitions")]
    what = "lag"
    if facts.proof.per_capacity:
        what = "load"
    if facts.members[0].capacity is not None:
        columns.insert(0, Column("capacity", is_optional=True))
    if owned:
        bar = Column("", is_optional=True)
        columns += [Column(f"{what} before"), bar, Column(f"{what} after"), bar]
    else:
        columns += [Column(what), Column("", is_optional=True)]
    if facts.members[0].used is not None:
        columns.append(Column("speed used", is_optional=True))
    labels = [names[member.id] for member in shown]
    gaps = [sum(map(len, sections[:i])) for i in range(len(sections) - 1, 0, -1)]
    for at in gaps:
        labels.insert(at, screen.dots)

    def rows(write: Write) -> list[list[RenderableType]]:
        found = [*_rows(facts, shown, write, screen)]
        for at in gaps:
            found.insert(at, [""] * len(columns))
        return found

    made = named_table("member", labels, columns, rows, screen, indent=2)
    which = f" (load: {load_words(facts.group.load_unit)})" if facts.proof.per_capacity else ""
    if left_out:
        heaviest = f"the {HEAVIEST} heaviest{' before and after' if owned else ''}"
        which = f", {heaviest} and the {LIGHTEST} lightest of {number(len(facts.members))}{which}"
    block: list[RenderableType] = [title("Members", which), indented(made.table)]
    if left_out:
        rest = f"{plural(left_out, 'member')} {form(left_out, 'is', 'are')} left out"
        block.append(indented(f"{rest} (--json lists all)"))
    return block


def _rows(
    facts: PlanFacts, shown: Sequence[MemberFacts], write: Write, screen: Screen
) -> Iterator[list[RenderableType]]:
    """The cells beside the names."""
    owned = bool(facts.group.owned)
    # Beside the part of its speed that a member needs, a bar is worth less.
    room = screen.width if facts.members[0].used is None else screen.width - USED_WIDTH
    cells = next(cells for width, cells in BAR_WIDTHS if room >= width)
    largest = max(max(m.load, m.load_before if owned else 0) for m in facts.members)
    after = bars([m.load for m in shown], largest, cells, screen)
    before = bars([m.load_before for m in shown], largest, cells, screen)
    for member, bar, bar_before in zip(shown, after, before, strict=True):
        if owned:
            counts = (
                f"{number(member.partitions_before)} {screen.arrow} {number(member.partitions)}"
            )
            line = [counts, write(member.load_before), bar_before, write(member.load), bar]
        else:
            line = [number(member.partitions), write(member.load), bar]
        if member.used is not None:
            line.append(_used(member, owned, screen))
        yield line if member.capacity is None else [write(member.capacity), *line]


def _used(member: MemberFacts, owned: bool, screen: Screen) -> str:
    """The part of its capacity that a member needs for what is produced."""
    after = percent(100 * (member.used or 0))
    if not owned or member.used_before is None:
        return after
    return f"{percent(100 * member.used_before)} {screen.arrow} {after}"


def _selected(members: Sequence[MemberFacts], owned: bool) -> list[Sequence[MemberFacts]]:
    """The members to show, in sections: the heaviest before, the heaviest after, the lightest
    after; each once."""
    if len(members) <= MAX_ROWS:
        return [members]
    before = sorted(members, key=lambda member: -member.load_before)[: HEAVIEST if owned else 0]
    after = sorted(members, key=lambda member: -member.load)
    heaviest = [member for member in after[:HEAVIEST] if member not in before]
    shown = {member.id for member in (*before, *heaviest)}
    lightest = [member for member in after[-LIGHTEST:] if member.id not in shown]
    return [section for section in (before, heaviest, lightest) if section]


def _capacities(extended: ExtendedFacts | None) -> str:
    """What members of unknown capacity count with, and that even counts round capacities."""
    if extended is None or extended.capacities is None:
        return ""
    facts, parts = extended.capacities, []
    if facts.unknown:
        have = form(facts.unknown, "has", "have")
        taken = number(facts.taken)
        parts.append(
            f"{plural(facts.unknown, 'member')} {have} no capacity; {taken} is taken, the median"
        )
    if facts.rounded is not None:
        given, used = facts.rounded
        parts.append(f"even counts take 3 digits of a capacity: {used:,.12g} of {given:,.12g}")
    return "; ".join(parts)
