"""The report on a steward: what it does and why, the group, decisions and events. Its live page is
the same, with the course of the last hour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from equilag.domain.figures import Write, number, percent, plural, printable, time_span
from equilag.live.status.steward_facts import StewardFacts
from equilag.live.status.steward_parts import StewardHistory, StewardMember, StewardPlan
from equilag.live.status.steward_words import (
    next_rebalance,
    rebalances_words,
    unowned_words,
    with_dry_run,
)
from equilag.report import report_blocks as b
from equilag.report.words.group import causes_section

MAX_MEMBERS: Final = 20
MAX_LINES: Final = 8
"""Members and entries of decisions and events that a screen has; the page has all."""
LEAST_SCALE: Final = 125.0
"""Percent of a fair share that bars have room for where all members are light."""
OLD: Final = 3.0
OLD_S: Final = 10.0
"""Figures of more than three intervals ago, and of more than 10 s, are old."""
CLOCK: Final = slice(11, 19)
"""The time of day in a time of RFC 3339."""


class StewardReport(b.Report):
    """The report on a steward; with its history as its live page shows it."""

    kind = "steward"

    def __init__(self, facts: StewardFacts, history: StewardHistory | None = None) -> None:
        self.facts, self.history = facts, history
        self.size = len(facts.by_member)

    def document(self) -> dict[str, Any]:
        return self.facts.document()

    def parts(self) -> Iterator[b.Block | None]:
        facts, reason = self.facts, printable(self.facts.decision_reason)
        role = facts.role if facts.healthy else f"{facts.role}, not healthy"
        words = printable(facts.headline)
        yield b.Headline(words, facts.tone, role, (reason,) if reason else ())
        tiles = tuple(row for row in _tiles(facts) if row.words)
        yield b.Facts(tiles, tiles=True, is_old=_is_old(facts))
        yield b.Title(printable(facts.group), tuple(_about(facts)))
        yield causes_section(facts.causes)
        yield None if self.history is None else _course_section(self.history)
        yield _members(facts)
        yield _plan(facts)
        yield _decisions(facts)
        yield _events(facts)
        counted = [f"{name} {number(n)}" for name, n in sorted(facts.counters.items())]
        yield b.section("Counters", b.Notes((", ".join(counted),)) if counted else None)


def _about(facts: StewardFacts) -> Iterator[str]:
    reason = f" ({printable(facts.role_reason)})" if facts.role_reason else ""
    who = f"steward {printable(facts.instance)}, " if facts.instance else "steward: "
    yield f"{who}{facts.role}{reason}"
    yield f"status of {facts.at[CLOCK]} UTC"
    if facts.last_observation_age_s is not None:
        yield f"group read {time_span(facts.last_observation_age_s)} before"
    if facts.protocol:
        yield f"protocol {printable(facts.protocol)}"
    if facts.generation >= 0:
        yield f"generation {facts.generation}"
    if facts.version:
        yield f"equilag {facts.version}"


def _is_old(facts: StewardFacts) -> bool:
    age, usual = facts.last_observation_age_s, facts.settings.observe_every_s
    return age is not None and age > max(OLD_S, OLD * usual)


def _tiles(facts: StewardFacts) -> Iterator[b.Fact]:
    if _is_old(facts):
        yield b.Fact("figures are old", time_span(facts.last_observation_age_s or 0.0))
    if facts.unowned_partitions:
        unowned = number(facts.unowned_partitions)
        yield b.Fact("without an owner", unowned, note="partitions, which nobody reads now")
    if facts.falls_behind:
        yield b.Fact("falls behind", number(facts.falls_behind), note="records per second")

    def shown(value: float | None, write: Write) -> str | None:
        return None if value is None else write(value)

    heaviest = shown(facts.heaviest_percent, percent) or ""
    would_be = shown(facts.heaviest_percent_would_be, percent)
    yield b.Fact("heaviest member", heaviest, note=with_dry_run("of a fair share", would_be))
    spread = "" if facts.lag_spread is None else f", spread {number(facts.lag_spread)}"
    would_be = shown(facts.lag_total_would_be, number)
    lag = shown(facts.lag_total, number) or ""
    yield b.Fact("lag", lag, note=with_dry_run(f"records{spread}", would_be))
    used = shown(facts.utilisation_percent, percent)
    share = "" if used is None else f", {used} of what the members can read"
    produced = shown(facts.rate_total, number) or ""
    yield b.Fact("produced", produced, note=f"records per second{share}")
    yield b.Fact("members", number(facts.members), note=f"with {unowned_words(facts)}")
    possible = shown(facts.relief_possible_percent, percent) or ""
    yield b.Fact("possible relief", possible, note="of a fair share, under a perfect plan")
    at, note = next_rebalance(facts)
    yield b.Fact("next rebalance", at, note=note)
    yield b.Fact("last assignment", printable(facts.last_assignment), note=facts.plan_step)
    yield b.Fact("last fallback", printable(facts.last_fallback_reason))


def _course_section(history: StewardHistory) -> b.Section:
    """The last hour: the heaviest member and the lag."""
    known = [one for one in history.heaviest_percent if one is not None]
    if not known:
        return b.section(
            "The last hour", b.Notes(("Nothing has been measured yet.",), "text"), anchor="hour"
        )
    span = time_span(history.times[-1] - history.times[0] or 1)
    low, high = percent(min(known)), percent(max(known))
    words = (
        f"The heaviest member had {low} to {high} of a fair share in the last {span}."
        f" {rebalances_words(len(history.rebalances))} Times are in UTC."
    )
    return b.section(
        "The last hour",
        b.Notes((words,), "text"),
        _course(
            "Load of the heaviest member",
            b.Axis("heaviest member, of a fair share", "percent"), history,
            history.heaviest_percent, history.heaviest_percent_would_be, from_zero=False,
        ),
        _course(
            "Lag", b.Axis("lag in records", "whole"), history, history.lag_total,
            history.lag_total_would_be, from_zero=True,
        ),
        anchor="hour",
    )  # fmt: skip


def _course(
    title: str, y: b.Axis, history: StewardHistory, now: Sequence[float | None],
    would_be: Sequence[float | None], *, from_zero: bool,
) -> b.Chart:  # fmt: skip
    """One figure over time; what it would be in a dry run is dashed."""

    def points(values: Sequence[float | None]) -> tuple[b.ChartPoint, ...]:
        return tuple(
            b.ChartPoint(time, value, "") for time, value in zip(history.times, values, strict=True)
        )

    series = [b.Series(title.lower(), points(now))]
    if any(value is not None for value in would_be):
        series.append(b.Series("with its plans", points(would_be), "dashed"))
    lines = tuple(b.MarkLine("", "x", at) for at in history.rebalances)
    return b.Chart(title, b.Axis("", "clock"), y, tuple(series), lines, from_zero)


def _members(facts: StewardFacts) -> b.Section:
    loads = [one.load_percent or 0.0 for one in facts.by_member]
    parts = b.BarParts(("load",), mark=100.0, least=LEAST_SCALE) if loads else None
    columns = (
        b.Column("member", "name"), b.Column("load", "percent", "of a fair share"),
        b.Column("", "bar", optional=True, parts=parts), b.Column("lag"),
        b.Column("partitions", optional=True), b.Column("produced/s"),
        b.Column("can read/s", "text"),
    )  # fmt: skip
    rows = tuple(
        (
            one.name, one.load_percent, (one.load_percent or 0.0,), one.lag, one.partitions,
            one.rate, _speed(one),
        )
        for one in facts.by_member
    )  # fmt: skip
    none = b.Notes(("The group has no members that read anything.",), "text")
    table = b.Table(columns, rows, "Members, the heaviest first", few=MAX_MEMBERS)
    return b.section("Members", table if rows else none, anchor="members")


def _speed(one: StewardMember) -> str | None:
    if one.speed is None:
        return None
    return number(one.speed) if one.speed_measured else f"at least {number(one.speed)}"


def _plan(facts: StewardFacts) -> b.Section:
    plan = facts.last_plan
    if plan is None:
        none = "None so far. A plan is made once observations agree that the group is uneven."
        return b.section("Last plan", b.Notes((none,), "text"), anchor="plan")
    columns = (
        b.Column("partition", "name"), b.Column("from", "name"), b.Column("to", "name"),
        b.Column("lag"),
    )  # fmt: skip
    rows = tuple(
        (f"{one.topic}-{one.partition}", one.source, one.target, one.lag) for one in plan.moved
    )
    made = f"Made at {plan.at[CLOCK]} UTC. {plan.decision}: {printable(plan.reason)}."
    return b.section(
        "Last plan",
        b.Notes((made,), "text"),
        b.Facts(tuple(_plan_rows(plan)), tiles=True),
        b.Table(columns, rows, "Moves of the last plan", few=MAX_LINES, is_folded=True),
        anchor="plan",
    )


def _plan_rows(plan: StewardPlan) -> Iterator[b.Fact]:
    planned, now = percent(plan.heaviest_percent_planned), percent(plan.heaviest_percent)
    yield b.Fact("heaviest member", planned, now, "of a fair share")
    relief = "" if plan.relief_s is None else f", {time_span(plan.relief_s)} of work"
    yield b.Fact("relief", percent(plan.relief_percent), note=f"of a fair share{relief}")
    yield b.Fact("moves", number(plan.moves))
    if plan.gain_record_s is not None and plan.price_record_s is not None:
        cost = f"record-seconds; its rebalance costs {number(plan.price_record_s)}"
        yield b.Fact("gain", number(plan.gain_record_s), note=cost)


def _decisions(facts: StewardFacts) -> b.Section:
    rows = tuple(
        (
            one.since[CLOCK], one.decision, printable(one.reason),
            plural(one.observations, "observation"),
        )
        for one in facts.decisions
    )  # fmt: skip
    columns = (
        b.Column("since", "text"), b.Column("decision", "text"), b.Column("last reason", "text"),
        b.Column("", "text", optional=True),
    )  # fmt: skip
    return _log("Decisions", " (since, UTC)", columns, rows)


def _events(facts: StewardFacts) -> b.Section:
    rows = tuple(
        (
            one.at[CLOCK], f"{one.event}{f' ({one.level})' if one.level != 'info' else ''}",
            printable(one.text),
        )
        for one in facts.events
    )  # fmt: skip
    columns = b.Column("at", "text"), b.Column("event", "text"), b.Column("what", "text")
    return _log("Events", " (UTC)", columns, rows)


def _log(
    title: str, rest: str, columns: tuple[b.Column, ...], rows: tuple[tuple[Any, ...], ...]
) -> b.Section:
    none = b.Notes(("None so far.",), "text")
    table = b.Table(columns, rows, title, few=MAX_LINES)
    rest = rest if rows else ""
    return b.section(title, table if rows else none, rest=rest, anchor=title.lower())
