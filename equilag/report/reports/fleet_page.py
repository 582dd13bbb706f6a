"""The page of a fleet run: its report, with every group, which can be opened."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from equilag.domain.figures import number, percent, plural, printable
from equilag.planner.diagnosis.fleet_verdict import fleet_verdict
from equilag.planner.facts.fleet_run import FleetRun, GroupRow
from equilag.report import report_blocks as b
from equilag.report.reports.fleet import (
    FleetReport,
    data_section,
    fleet_document,
    summary_blocks,
)
from equilag.report.words.fleet import KEEPS_UP, action_words, help_words
from equilag.report.words.group import group_name
from equilag.report.words.proof import status_words

COLUMNS: Final = (
    b.Column("group", "name"),
    b.Column("what to do", "text", filters=True),
    b.Column("saved", "whole", "load above a fair share that the plan takes off members"),
    b.Column("heaviest now", "times", "load of the heaviest member, in mean loads"),
    b.Column("planned", "times", "the same with the plan"),
    b.Column("moves"),
    b.Column(
        "keeps up", "text", "whether members read as fast as is produced, where that is known"
    ),
    b.Column("gap", "percent", "how much evener a plan could be, in percent of the mean load"),
    b.Column("members"),
    b.Column("partitions"),
    b.Column("lag", note="in records"),
)


class FleetPage(FleetReport):
    """The report on a run with all of its groups as well."""

    def document(self) -> dict[str, Any]:
        return fleet_document(self.run, self.top, every_group=True)

    def parts(self) -> Iterator[b.Block]:
        yield from summary_blocks(self.run, self.top)
        yield _all_groups(self.run)
        yield data_section(self.run)


def _all_groups(run: FleetRun) -> b.Section:
    unit = fleet_verdict(run).unit
    rest = f": open one for its figures and the commands that plan it; loads are in {unit}"
    table = b.Table(
        COLUMNS,
        tuple(map(_cells, run.groups)),
        "All planned groups",
        details=tuple(_detail(row, unit) for row in run.groups),
    )
    title = f"All {plural(len(run.groups), 'planned group')}"
    return b.section(title, table, rest=rest if run.groups else "", anchor="all")


def _cells(row: GroupRow) -> tuple[object, ...]:
    kept = row.throughput
    return (
        group_name(row.group),
        action_words(row),
        row.saved,
        row.max_over_mean,
        row.planned_over_mean,
        row.moves,
        "" if kept is None else KEEPS_UP.get(kept.verdict, kept.verdict),
        row.gap_percent_of_mean,
        row.members,
        row.partitions,
        row.lag,
    )


def _detail(row: GroupRow, unit: str) -> b.Detail:
    commands = () if row.commands is None else tuple(map(printable, row.commands))
    return b.Detail(
        printable(row.headline) if row.headline else f"What to do: {action_words(row)}",
        tuple((label, words) for label, words in _pairs(row, unit) if words),
        commands,
    )


def _pairs(row: GroupRow, unit: str) -> Iterator[tuple[str, str]]:
    """What is known of a group, by name."""

    def change(now: float | None, planned: float) -> str:
        return number(planned) if now is None else f"{number(now)} → {number(planned)}"

    yield (
        "heaviest member",
        (f"{change(row.max_now, row.max_planned)} {unit}; the mean is {number(row.load_mean)}"),
    )
    if row.excess_planned is not None:
        above = change(row.excess_now, row.excess_planned)
        least = f"no plan has less than {number(row.excess_lower_bound or 0)}"
        yield "above a fair share", f"{above} {unit}; {least}"
    spread = change(row.spread_now, row.spread_planned)
    yield "spread", f"{spread}; no plan has less than {number(row.spread_lower_bound)}"
    if row.relief_percent is not None:
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
