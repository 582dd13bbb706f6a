"""The page of a fleet run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType

from equilag.report.facts.fleets.fleet import FaultFacts, FleetFacts, ForecastFacts
from equilag.report.terminal import Screen
from equilag.report.text.fleets.fleet_groups import (
    failed_groups_block,
    kind_words,
    worst_groups_block,
)
from equilag.report.text.fleets.fleet_throughput import fleet_throughput_block
from equilag.report.text.tables.fitted import named_table
from equilag.report.text.tables.layout import (
    Block,
    Column,
    indented,
    labelled,
    table,
    title,
    verbatim,
)
from equilag.report.wording.words import NONE, number, percent, plural, printable, short_percent

LABEL: Final = 15
"""Columns of the longest label."""
WEIGHT_WORDS: Final = {
    "work": "work (lag and what comes within the horizon), in records; lag where no rate is known",
    "lag": "lag, in records",
    "rate": "records produced per hour",
    "forecast": "the lag forecast, in records",
    "bytes": "lag, in bytes",
}
FAULT_WORDS: Final = {
    "invalid": "rows of offsets that contradict themselves",
    "after_at": "rows of offsets after the time of the run",
    "duplicates": "duplicate samples",
    "late": "samples that came late",
    "missing": "missing samples",
    "commit_backwards": "commits that went backwards",
    "end_backwards": "log ends that went backwards",
    "ahead_of_end": "samples committed beyond the end of the log",
    "below_log_start": "samples committed below the start of the log",
    "no_commit": "partitions without a commit",
    "appeared": "partitions that appeared",
    "vanished": "partitions that vanished",
    "no_rate": "partitions of unknown rate",
    "filled": "partitions never sampled, below others that were",
    "duplicate_members": "duplicate rows of members",
    "invalid_members": "rows of members that contradict themselves",
    "unknown_topics": "subscribed topics without offsets",
}


def fleet_blocks(facts: FleetFacts, screen: Screen) -> Iterator[Block]:
    yield [title(printable(facts.verdict.headline))]
    yield _header(facts)
    if facts.throughput is not None:
        yield fleet_throughput_block(facts.throughput, screen)
    if facts.worst:
        yield worst_groups_block(facts, screen)
    if facts.assignors:
        yield _assignors(facts, screen)
    yield _faults(facts, screen)
    words = forecast_words(facts.forecast, facts.settings.horizon_s)
    yield [title("Forecast", f"{':' if facts.forecast is None else ''} {words}")]
    if facts.failures:
        yield failed_groups_block(facts, screen)
    path = printable(shlex.quote(facts.report.path))
    page = f"  equilag fleet report {path} --out fleet.html"
    yield [title("All groups", ", as a page to look at:"), verbatim(page)]
    command = f"  equilag fleet export {path} GROUP"
    yield [title("One group", ", its snapshot and its plan as files:"), verbatim(command)]


def _header(facts: FleetFacts) -> Block:
    planned, settings = facts.planned, facts.settings
    n = planned.groups
    sizes = [
        plural(n, "group"),
        plural(planned.partitions, "partition"),
        plural(planned.members, "member"),
        plural(planned.moves, "move"),
    ]
    failed = (f"{number(count)} {kind_words(kind)}" for kind, count in facts.failed_by_kind)
    rules = f"and {plural(settings.rules, 'rule')} for groups by name" if settings.rules else ""
    run = [settings.policy, f"effort {settings.effort_s:g} s", f"seed {settings.seed}", rules]
    rows = [
        ("planned", ", ".join(sizes)),
        ("not planned", ", ".join(failed)),
        ("spread", printable(WEIGHT_WORDS.get(settings.weight, settings.weight))),
        ("proved optimal", _optimal(facts)),
        ("proved gap", _gaps(facts)),
        ("nobody owns", _unowned(facts)),
        ("planned with", printable(", ".join(filter(None, run)))),
    ]
    heading = title(f"Fleet of {plural(facts.groups, 'group')}", f" at {printable(facts.at)}")
    return [heading, labelled(rows, LABEL)]


def _optimal(facts: FleetFacts) -> str:
    planned = facts.planned
    if not planned.groups:
        return ""
    text = f"{number(planned.optimal)} ({percent(100 * planned.optimal / planned.groups)})"
    if planned.optimal_by_solver:
        text += f", {number(planned.optimal_by_solver)} of them on the solver's word"
    return text


def _gaps(facts: FleetFacts) -> str:
    median, p95 = facts.planned.median_gap_percent, facts.planned.p95_gap_percent
    if not facts.planned.groups or median is None or p95 is None:
        return ""
    within = f"95 % of the groups within {percent(p95)} of their mean load"
    return f"median {percent(median)}, {within}"


def _unowned(facts: FleetFacts) -> str:
    planned = facts.planned
    if not planned.unowned:
        return ""
    return (
        f"{plural(planned.unowned, 'partition')} with {number(planned.unowned_lag)} of it, in"
        f" {plural(planned.unowned_groups, 'group')}; the figures of today do not count them"
    )


def _assignors(facts: FleetFacts, screen: Screen) -> Block:
    headings = ("median gap", "mean", "95 %", "even counts", "moves", "ms each")
    rows: list[list[RenderableType]] = [
        [
            *(
                NONE if gap is None else short_percent(gap)
                for gap in (row.median_gap_percent, row.mean_gap_percent, row.p95_gap_percent)
            ),
            number(row.even_counts),
            NONE if row.moves is None else number(row.moves),
            NONE if row.ms_per_group is None else f"{row.ms_per_group:,.1f}",
        ]
        for row in facts.assignors
    ]
    made = named_table(
        "assignor",
        [printable(row.name) for row in facts.assignors],
        [Column(heading) for heading in headings],
        lambda _: rows,
        screen,
        indent=2,
    )
    planned = facts.planned.groups
    what = f", what each would do with {plural(planned, 'group')}"
    block: list[RenderableType] = [
        title("Assignors", what),
        indented(made.table),
        indented(
            "gap: distance of the lag spread from the proved bound in percent of a group's mean"
            " load. The bound holds for the most even counts; an assignor that gives them up can"
            " get below it. Groups whose policy limits moves are left out, and for current those"
            " with partitions that nobody owns. even counts: groups with counts as even as in"
            " equilag's plan"
        ),
    ]
    for name, row in zip(made.labels, facts.assignors, strict=True):
        if row.failed:
            block.append(indented(f"{name} failed in {plural(row.failed, 'group')}"))
        elif row.groups < planned:
            some = plural(row.groups, "group")
            block.append(indented(f"{name}: of {some}; nobody owns anything in the others"))
    return block


def _faults(facts: FleetFacts, screen: Screen) -> Block:
    among = f" among {plural(facts.samples, 'sample')}"
    if not facts.faults:
        return [title("Faults of the data", f": none{among}")]
    columns = [Column(""), Column("", is_name=True), Column("", is_name=True)]
    rows = map(_fault, facts.faults)
    made = table(columns, rows, screen, headings=False)
    return [title("Faults of the data", among), indented(made)]


def _fault(fault: FaultFacts) -> list[str]:
    words = printable(FAULT_WORDS.get(fault.name, fault.name))
    return [number(fault.count), words, f"in {plural(fault.groups, 'group')}"]


def forecast_words(forecast: ForecastFacts | None, horizon_s: float) -> str:
    """How the forecast did on samples that were held back."""
    if forecast is None:
        return (
            f"not tested; no partition has two samples more than {horizon_s:g} s before its"
            " newest (--horizon)"
        )
    error = _error(forecast.error, forecast.error_percent)
    unchanged = _error(forecast.error_unchanged, forecast.error_unchanged_percent)
    return (
        f"{horizon_s:g} s ahead, tested on the newest samples of"
        f" {plural(forecast.partitions, 'partition')}: off by {error} on average;"
        f" a forecast that nothing changes is off by {unchanged}"
    )


def _error(records: float, share: float | None) -> str:
    part = "" if share is None else f" ({percent(share)} of the lag)"
    return f"{records:,.1f} records{part}"
