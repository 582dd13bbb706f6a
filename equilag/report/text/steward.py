"""The page of `steward --status`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from equilag.report.facts.stewards.steward import StewardFacts
from equilag.report.facts.stewards.steward_parts import StewardMember
from equilag.report.terminal import Screen
from equilag.report.text.tables.fitted import Write, named_table
from equilag.report.text.tables.layout import Block, Column, Prose, indented, labelled, title
from equilag.report.wording.words import NONE, number, percent, plural, printable, time_span

MAX_MEMBERS: Final = 20
MAX_LINES: Final = 8
"""Members and entries of decisions and events that the screen has: what fits on one; the JSON and
the live page have all."""
_LABEL: Final = 16
"""Columns of the labels."""
_TIME: Final = slice(11, 19)
"""The time of day in a time of RFC 3339."""


def steward_blocks(facts: StewardFacts, screen: Screen) -> Iterator[Block]:
    """What it does and why, the group, its members, decisions and events, counters."""
    yield [title(printable(facts.headline))]
    yield [labelled(_rows(facts), _LABEL)]
    if facts.by_member:
        yield _members(facts, screen)
    if facts.decisions:
        yield [title("Decisions", " (since, UTC)"), *map(_line, _decisions(facts))]
    if facts.events:
        yield [title("Events", " (UTC)"), *map(_line, _events(facts))]
    if facts.counters:
        counted = (f"{name} {number(n)}" for name, n in sorted(facts.counters.items()))
        yield [title("Counters"), indented(", ".join(counted))]


def _rows(facts: StewardFacts) -> Iterator[tuple[str, str]]:
    reason = f": {printable(facts.role_reason)}" if facts.role_reason else ""
    yield "group", printable(facts.group)
    yield "steward", f"{printable(facts.instance)}, {facts.role}{reason}"
    decision = f"{facts.decision}: " if facts.decision else ""
    yield "decision", f"{decision}{printable(facts.decision_reason)}" or NONE
    protocol = f", protocol {printable(facts.protocol)}" if facts.protocol else ""
    held = plural(facts.partitions, "partition")
    unowned = f", {number(facts.unowned_partitions)} without an owner"
    without = unowned if facts.unowned_partitions else ""
    yield "members", f"{number(facts.members)} with {held}{without}{protocol}"
    yield "heaviest member", _would_be(facts.heaviest_percent, facts.heaviest_percent_would_be)
    yield "lag", _lag(facts)
    yield "produced", _produced(facts)
    yield "last plan", _last_plan(facts)
    if facts.cooldown_left_s is not None:
        at = f"in {time_span(facts.cooldown_left_s)} at the earliest, if one is worth it"
        yield "next rebalance", f"{at}; {plural(facts.moves_left or 0, 'move')} left in this hour"
    yield "last assignment", printable(facts.last_assignment)
    yield "last fallback", printable(facts.last_fallback_reason)
    if facts.last_observation_age_s is not None:
        yield "group read", f"{time_span(facts.last_observation_age_s)} before"


def _would_be(now: float | None, would_be: float | None) -> str:
    if now is None:
        return ""
    dry = f"; {percent(would_be)} with the plans of the dry run" if would_be is not None else ""
    return f"{percent(now)} of a fair share{dry}"


def _lag(facts: StewardFacts) -> str:
    if facts.lag_total is None:
        return ""
    spread = f", spread {number(facts.lag_spread)}" if facts.lag_spread is not None else ""
    would_be = facts.lag_total_would_be
    dry = f"; {number(would_be)} with the plans of the dry run" if would_be is not None else ""
    return f"{number(facts.lag_total)} records{spread}{dry}"


def _produced(facts: StewardFacts) -> str:
    if facts.rate_total is None:
        return ""
    used = facts.utilisation_percent
    share = f", {percent(used)} of what the members can read" if used is not None else ""
    return f"{number(facts.rate_total)} records per second{share}"


def _last_plan(facts: StewardFacts) -> str:
    plan = facts.last_plan
    if plan is None:
        return ""
    return (
        f"{plan.at[_TIME]} {plan.decision}: {plural(plan.moves, 'move')}, heaviest member"
        f" {percent(plan.heaviest_percent)} to {percent(plan.heaviest_percent_planned)} of a fair"
        " share"
    )


def _members(facts: StewardFacts, screen: Screen) -> Block:
    shown = facts.by_member[:MAX_MEMBERS]
    columns = [
        Column("load"), Column("lag"), Column("partitions"), Column("produced/s"),
        Column("can read/s"),
    ]  # fmt: skip
    made = named_table(
        "member",
        [printable(one.name) for one in shown],
        columns,
        lambda write: [_cells(one, write) for one in shown],
        screen,
    )
    more = len(facts.by_member) - len(shown)
    rest = [indented(f"and {plural(more, 'member')} more, lighter ones")] if more else []
    notes = ["load in percent of a fair share"]
    if any(one.speed is not None and not one.speed_measured for one in shown):
        notes.append("~ assumed, without a backlog so far")
    return [made.table, *rest, indented("; ".join(notes))]


def _cells(one: StewardMember, write: Write) -> list[RenderableType]:
    assumed = "" if one.speed_measured else "~"
    return [
        NONE if one.load_percent is None else percent(one.load_percent),
        write(one.lag),
        number(one.partitions),
        NONE if one.rate is None else number(one.rate),
        NONE if one.speed is None else f"{assumed}{number(one.speed)}",
    ]


def _decisions(facts: StewardFacts) -> Iterator[str]:
    for one in facts.decisions[:MAX_LINES]:
        seen = plural(one.observations, "observation")
        yield f"{one.since[_TIME]}  {one.decision}: {one.reason} ({seen})"


def _events(facts: StewardFacts) -> Iterator[str]:
    for one in facts.events[:MAX_LINES]:
        level = f" ({one.level})" if one.level != "info" else ""
        yield f"{one.at[_TIME]}  {one.event}{level}: {one.text}"


def _line(text: str) -> RenderableType:
    return indented(Prose(Text(printable(text)), 10))
