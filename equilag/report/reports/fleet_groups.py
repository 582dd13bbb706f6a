"""The groups of a fleet run: a row for each, which a page can open."""

from __future__ import annotations

from collections.abc import Iterator

from equilag.domain.figures import Change, number, percent, plural, printable
from equilag.planner.facts.fleet_run import FleetRun, GroupRow, fleet_verdict
from equilag.report import report_blocks as b
from equilag.report.words.fleet import KEEPS_UP, help_words
from equilag.report.words.group import group_name
from equilag.report.words.proof import status_words
from equilag.report.words.signs import sign_of


def groups_section(run: FleetRun, top: int) -> b.Section:
    """All groups, those whose plans save the most first; a screen shows the `top` ones."""
    unit = fleet_verdict(run).unit
    parts = b.BarParts(("above a fair share with the plan too", "saved by the plan"))
    columns = (
        b.Column("group", "name"), b.Column("what to do", "text", filters=True),
        b.Column("", "bar", optional=True, parts=parts),
        b.Column("saved", "whole", f"excess, what members have above the mean, in {unit}"),
        b.Column("heaviest", "times", "load of the heaviest member, in mean loads"),
        b.Column("moves"),
        b.Column("gap", "percent", "how much evener a plan could be, in mean loads", optional=True),
        b.Column("status", "text", optional=True),
        b.Column("today", "whole", "spread, heaviest member less lightest", optional=True),
        b.Column("planned", "whole", optional=True),
        b.Column("keeps up", "text", "whether members read as fast as is produced", optional=True),
        b.Column("members", optional=True), b.Column("partitions", optional=True),
        b.Column("lag", optional=True),
    )  # fmt: skip
    rows = tuple(
        (
            group_name(row.group), sign_of(row.action).short, _excess_parts(row), row.saved,
            Change(row.max_over_mean, row.planned_over_mean), row.moves, row.gap_percent_of_mean,
            status_words(row.status, row.evidence), row.spread_now, row.spread_planned,
            KEEPS_UP.get(row.throughput.verdict, "") if row.throughput else "", row.members,
            row.partitions, row.lag,
        )
        for row in run.groups
    )  # fmt: skip
    details = tuple(_detail(row, unit) for row in run.groups)
    table = b.Table(columns, rows, "Groups", few=top, details=details)
    notes = []
    if any(row.spread_now is None for row in run.groups):
        notes.append("- today: nobody owns anything")
    if any((row.saved or 0) < 0 for row in run.groups):
        notes.append(
            "saved is below 0 where today's counts are less even than possible, where not every"
            " partition is owned, or where a smaller spread takes more excess"
        )
    rest = ", by the excess saved" if rows else ""
    return b.section("Groups", table, b.Notes(tuple(notes)), rest=rest, anchor="groups")


def _excess_parts(row: GroupRow) -> tuple[float, ...]:
    if row.excess_now is None:
        return (0.0, 0.0)
    return min(row.excess_planned, row.excess_now), max(row.saved or 0.0, 0.0)


def _detail(row: GroupRow, unit: str) -> b.Detail:
    commands = () if row.commands is None else tuple(map(printable, row.commands))
    return b.Detail(
        printable(row.headline) if row.headline else f"What to do: {sign_of(row.action).short}",
        tuple((label, words) for label, words in _pairs(row, unit) if words),
        commands,
    )


def _pairs(row: GroupRow, unit: str) -> Iterator[tuple[str, str]]:
    """What is known of a group, by name."""

    def change(now: float | None, planned: float) -> str:
        return number(planned) if now is None else f"{number(now)} → {number(planned)}"

    heaviest = f"{change(row.max_now, row.max_planned)} {unit}"
    yield "heaviest member", f"{heaviest}; the mean is {number(row.load_mean)}"
    above = change(row.excess_now, row.excess_planned)
    least = f"no plan has less than {number(row.excess_lower_bound)}"
    yield "above a fair share", f"{above} {unit}; {least}"
    spread = change(row.spread_now, row.spread_planned)
    yield "spread", f"{spread}; no plan has less than {number(row.spread_lower_bound)}"
    relief = f"{percent(row.relief_percent)} of a fair share"
    yield "relief", f"{relief}, for the member that is relieved most"
    sizes = f"{plural(row.partitions, 'partition')} and {plural(row.members, 'member')}"
    status = status_words(row.status, row.evidence)
    yield "plan", f"{plural(row.moves, 'move')} among {sizes}; {status}"
    yield "nobody owns", plural(row.unowned, "partition") if row.unowned else ""
    kept = row.throughput
    if kept is not None:
        used = f"{percent(100 * kept.utilisation_now)} → {percent(100 * kept.utilisation)}"
        yield "busiest member", f"{used} of what it can read"
        short = f"{number(kept.short_now)} → {number(kept.short)} records/s"
        yield "falls behind by", short if kept.short_now else ""
        yield "hot partitions", ", ".join(map(printable, kept.hot))
        yield "what helps", "" if kept.verdict == "keeps_up" else help_words(kept)
