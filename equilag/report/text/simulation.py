"""The page of `simulate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from equilag.report.facts.simulation import (
    SimulationFacts,
    behind_lines,
    records_words,
    speed_words,
)
from equilag.report.terminal import Screen
from equilag.report.text.group import group_block
from equilag.report.text.tables.fitted import PART, Write, fitted_table, named_table
from equilag.report.text.tables.layout import Block, Column, indented, title
from equilag.report.text.tables.short_names import member_names
from equilag.report.wording.words import NONE, number, plural, short_span, time_span

LABELS: Final = 6
"""Columns of the words beside a verdict or a picture."""
PICTURE_ROWS: Final = 3
"""Lines of a picture: 24 heights."""
PICTURE_WIDTHS: Final = ((120, 110), (0, 60))
"""Columns of the screen from which on a picture has so many: at most the steps of the curve."""
MAX_BEHIND: Final = 15
"""Members that fall behind that get a row; the others do so by less."""
BLOCKS: Final = " ▁▂▃▄▅▆▇█"
"""A cell filled by 0 to 8 eighths."""
EIGHTHS_OF_A_CELL: Final = len(BLOCKS) - 1


def simulation_blocks(facts: SimulationFacts, screen: Screen) -> Iterator[Block]:
    """The verdict, then figures over time, then who falls behind."""
    yield _verdict(facts)
    yield [*group_block(facts.group, screen), *map(indented, assumed_lines(facts))]
    ages = " (age: of the oldest unread record)"
    yield [title("Over time", ages), indented(_over_time(facts, screen))]
    yield _picture(facts, screen)
    yield _members(facts, screen)


def _verdict(facts: SimulationFacts) -> Block:
    lines: list[RenderableType] = []
    for line in facts.headlines:
        what, colon, rest = line.partition(":")
        lines.append(title(what + colon, rest))
    return [*lines, *map(indented, behind_lines(facts)[1])]


def assumed_lines(facts: SimulationFacts) -> Iterator[str]:
    """What stands in for rates and capacities that are not known."""
    unknown = facts.assumed.unknown_rates
    if unknown == facts.group.partitions > 0:
        yield (
            "no rate is known: the simulation assumes that nothing is produced, and ages count from"
            " now on"
        )
    elif unknown:
        which = plural(unknown, "partition")
        yield f"{which} of unknown rate: the mean of the topic, else of all, is taken"
    usual = facts.assumed.usual_capacity
    if usual is not None:
        which = plural(facts.assumed.unknown_capacities, "member")
        yield (
            f"{which} of unknown capacity: the median of the others, {speed_words(usual)}, is taken"
        )


def _over_time(facts: SimulationFacts, screen: Screen) -> RenderableType:
    columns = [Column("", is_name=True)]
    # Where the screen is narrow, every second time between the first and the last is left out.
    last = len(facts.times) - 1
    columns += [
        Column(short_span(time), is_optional=bool(i % 2) and i < last)
        for i, time in enumerate(facts.times)
    ]
    courses = [("now", facts.current), ("plan", facts.planned)][: 2 if facts.changes else 1]

    def rows(write: Write) -> list[list[RenderableType]]:
        found: list[list[RenderableType]] = []
        for name, course in courses:
            found.append([f"lag, {name}", *(write(round(lag)) for lag in course.lag)])
        for name, course in courses:
            ages = (short_span(age) if age else NONE for age in course.oldest)
            found.append([f"age, {name}", *ages])
        return found

    return fitted_table(columns, rows, screen, indent=2)


def _picture(facts: SimulationFacts, screen: Screen) -> Block:
    highest = max(*facts.current.curve, *facts.planned.curve)
    if screen.ascii or not highest:
        return []
    most = next(cells for columns, cells in PICTURE_WIDTHS if screen.prose >= columns)
    width = min(most, screen.prose - LABELS - 2)
    times, span = np.linspace(0.0, facts.duration, width), time_span(facts.duration)
    lines: list[RenderableType] = [
        title("Lag", f" over {span}; the full height is {records_words(highest)}")
    ]
    courses = [("now", facts.current), ("plan", facts.planned)][: 2 if facts.changes else 1]
    for name, course in courses:
        values = np.interp(times, facts.curve_times, course.curve).tolist()
        lines += _labelled(area(values, highest, PICTURE_ROWS), name)
    return lines


def area(values: Sequence[float], highest: float, rows: int) -> list[str]:
    """Lines from the top, as wide as there are values; `highest` fills all rows. What is above 0
    shows."""
    full = rows * EIGHTHS_OF_A_CELL
    heights = [
        0 if value <= 0 or highest <= 0 else max(1, min(full, round(full * value / highest)))
        for value in values
    ]
    return [
        "".join(BLOCKS[max(0, min(EIGHTHS_OF_A_CELL, height - below))] for height in heights)
        for below in range(full - EIGHTHS_OF_A_CELL, -1, -EIGHTHS_OF_A_CELL)
    ]


def _labelled(picture: Sequence[str], name: str) -> Iterator[Text]:
    *upper, lowest = picture
    for line in filter(str.strip, upper):
        yield Text(f"  {'':{LABELS}}{line}", no_wrap=True)
    yield Text(f"  {name:{LABELS}}{lowest}", no_wrap=True)


def _members(facts: SimulationFacts, screen: Screen) -> Block:
    shown = facts.members_behind[:MAX_BEHIND]
    if not shown:
        return []
    gets = Column("gets\nnow", is_optional=True)
    columns = [Column("reads\nup to", is_optional=True), gets, Column("falls\nbehind")]
    if facts.changes:
        gets = Column("gets with\nthe plan", is_optional=True)
        columns += [gets, Column("falls\nbehind")]

    def rows(write: Write) -> list[list[RenderableType]]:
        found: list[list[RenderableType]] = []
        for member in shown:
            row = [member.capacity, member.rate_now, member.now]
            row += [member.rate_planned, member.planned] if facts.changes else []
            found.append([write(value) if value else NONE for value in row])
        return found

    short = member_names((member.id for member in shown), screen.width // PART, screen.dots)
    names = [short[member.id] for member in shown]
    made = named_table("member", names, columns, rows, screen, indent=2)
    rest = len(facts.members_behind) - len(shown)
    more = f", the first {len(shown)} of {number(len(facts.members_behind))}" if rest else ""
    return [title("Members that fall behind", f"{more} (records/s)"), indented(made.table)]
