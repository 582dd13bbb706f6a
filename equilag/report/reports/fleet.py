"""The report on a fleet run: what it needs, its groups, who does not keep up, each assignor, the
data."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any, Final

from equilag.domain.document import to_document
from equilag.domain.figures import Change, number, percent, plural, printable, shorten
from equilag.planner.compare import CURRENT
from equilag.planner.facts.fleet_run import BAND_LIMITS, FleetRun, GroupRow, fleet_verdict
from equilag.report import report_blocks as b
from equilag.report.words.fleet import (
    BEHIND,
    FAULTS,
    KEEPS_UP,
    NEEDS,
    WEIGHTS,
    fleet_headline,
    forecast_words,
    gap_words,
    help_words,
    need_note,
    optimal_words,
    unowned_words,
)
from equilag.report.words.group import docs_at, group_name, sign_of
from equilag.report.words.proof import status_words

FORMAT: Final = "equilag/fleet-report/1"
SIZES: Final = ("partition", "member", "move")
MAX_FAILED: Final = 20
"""Groups that are not planned that a screen shows."""
MAX_REASON: Final = 200
"""Characters of a reason: two to three lines."""


class FleetReport(b.Report):
    """The report on a run: a screen shows its `top` worst groups, a page all of them."""

    kind = "fleet"

    def __init__(self, run: FleetRun, top: int, *, every_group: bool = False) -> None:
        """With `every_group` its JSON has all groups as well."""
        self.run, self.top, self.every_group = run, top, every_group
        verdict = fleet_verdict(run)
        self.verdict = replace(verdict, headline=fleet_headline(verdict))

    def document(self) -> dict[str, Any]:
        """The summary as it is, the worst groups, or all, and all failures."""
        run, top = self.run, self.top
        evidence = [str(row.evidence) for row in run.groups]
        behind = to_document(run.behind[:top])
        keeping = {"throughput": {"groups": run.kept, "behind": behind}} if run.throughput else {}
        return {
            "format": FORMAT,
            "directory": run.path,
            "verdict": asdict(self.verdict),
            "settings": run.summary["settings"],
            "evidence": {one: evidence.count(one) for one in dict.fromkeys(evidence)},
            "summary": run.summary,
            **keeping,
            "gaps": {"limits_percent": list(BAND_LIMITS), "assignors": to_document(run.gaps)},
            "worst": to_document(run.groups[:top]),
            **({"groups": to_document(run.groups)} if self.every_group else {}),
            "failures": to_document(run.failures),
        }

    def parts(self) -> Iterator[b.Block]:
        run, verdict = self.run, self.verdict
        leaves = verdict.planned == verdict.leave and not verdict.failed
        yield b.Headline(verdict.headline, "good" if leaves else "act", "Verdict")
        signs = [(one, sign_of(one.action), need_note(one, run, verdict)) for one in NEEDS]
        yield b.Breakdown(tuple(
            b.Share(sign.short, getattr(verdict, one.counted), sign.tone, note)
            for one, sign, note in signs
        ))  # fmt: skip
        sizes = [plural(run.summary["planned"][f"{one}s"], one) for one in SIZES]
        at = f"at {printable(run.summary['at'])}"
        name = f"Fleet of {plural(verdict.groups, 'group')}"
        weight = printable(run.summary["settings"]["weight"])
        yield b.Title(f"{name} by {weight}", (*sizes, at))
        yield groups_section(run, self.top, verdict.unit)
        yield behind_section(run, self.top)
        yield assignors_section(run)
        yield failed_section(run)
        yield data_section(run)
        path = printable(shlex.quote(run.path))
        page, files = f"fleet report {path} --out fleet.html", f"fleet export {path} GROUP"
        look = ("All groups, as a page to look at:", f"equilag {page}")
        one = ("One group, its snapshot and its plan as files:", f"equilag {files}")
        yield b.Commands((one,) if self.every_group else (look, one))


def behind_section(run: FleetRun, top: int) -> b.Section:
    """How many groups keep up, and a row for those that fall behind the fastest."""
    known, kept, behind = len(run.throughput), run.kept, run.behind
    lines = tuple(f"{number(kept[one])} {words}" for one, words in BEHIND.items() if kept[one])
    columns = (
        b.Column("group", "name"),
        b.Column("short", "whole", "records/s that members fall behind by"),
        b.Column("busiest", "share", "rate of the busiest member in percent of its capacity"),
        b.Column("planned", "share", "the same with the plan"),
        b.Column("moves", optional=True), b.Column("what helps", "text"),
    )  # fmt: skip
    rows = tuple(
        (
            group_name(row.group), row.short_now, row.utilisation_now, row.utilisation, row.moves,
            help_words(row),
        )
        for row in behind
    )  # fmt: skip
    table = b.Table(columns, rows, "Groups that do not keep up", few=top)
    of = f": {number(kept['keeps_up'])} of {plural(known, 'group')}"
    rest = f"{of} whose rates and capacities are known" if known else ""
    return b.section("Keeping up", b.Notes(lines, "list"), table, rest=rest, anchor="behind")


def assignors_section(run: FleetRun) -> b.Section:
    """How far each assignor is from the proved bound."""
    figures = {str(row["assignor"]): row for row in run.summary["assignors"]}
    limits = [f"{limit:g} %" for limit in BAND_LIMITS]
    bands = [f"up to {limits[0]}", *(f"{low} to {high}" for low, high in pairwise(limits))]
    parts = b.BarParts((*bands, f"over {limits[-1]}"), is_whole=True)
    columns = (
        b.Column("assignor", "name"),
        b.Column("", "bar", optional=True, parts=parts),
        b.Column("median gap", "percent"), b.Column("mean", "percent", optional=True),
        b.Column("95 %", "percent"),
        b.Column("groups", note="those of which a gap is known", optional=True),
        b.Column("even counts", note="groups with counts as even as in equilag's plan"),
        b.Column("moves"), b.Column("time each", "ms", optional=True),
    )  # fmt: skip
    bands_of = {one.assignor: one for one in run.gaps}

    def cells(name: str, row: Mapping[str, Any]) -> tuple[b.Cell, ...]:
        gaps, groups = bands_of.get(name), row["groups"]
        return (
            name, gaps.bands if gaps else (0,), row["median_gap_percent"], row["mean_gap_percent"],
            row["p95_gap_percent"], gaps.groups if gaps else None, row["even_counts"],
            *((None, None) if name == CURRENT
              else (row["moves"], row["wall_ms"] / groups if groups else None)),
        )  # fmt: skip

    rows = tuple(cells(name, row) for name, row in figures.items())
    planned = run.summary["planned"]["groups"]
    table = b.Table(columns, rows, "Gaps of every assignor", few=len(rows))
    what = f", what each would do with {plural(planned, 'group')}" if rows else ""
    notes = b.Notes(tuple(_assignor_notes(figures, planned)) if rows else ())
    return b.section("Assignors", table, notes, rest=what, anchor="gaps")


def _assignor_notes(figures: Mapping[str, Mapping[str, Any]], planned: int) -> Iterator[str]:
    yield (
        "gap: distance of the spread of loads from the proved bound in percent of a group's mean"
        " load. The bound holds for the most even counts; an assignor that gives them up can get"
        " below it. Left out are groups whose policy limits moves, groups with capacities or rules"
        " that other assignors do not know, and for current those with partitions that nobody owns."
    )
    for name, row in figures.items():
        if row.get("failed"):
            yield f"{name} failed in {plural(row['failed'], 'group')}"
        elif row["groups"] < planned:
            yield f"{name}: of {plural(row['groups'], 'group')}; nobody owns anything in the others"


def failed_section(run: FleetRun) -> b.Section:
    """The groups without a plan; the most frequent kind first."""
    kinds = [failed.kind for failed in run.failures]
    columns = b.Column("group", "name"), b.Column("kind", "text"), b.Column("reason", "text")
    rows = tuple(
        (group_name(one.group), one.kind.replace("_", " "), shorten(one.reason or "", MAX_REASON))
        for one in sorted(run.failures, key=lambda o: (-kinds.count(o.kind), o.kind, o.group))
    )
    table = b.Table(columns, rows, "Groups that are not planned", few=MAX_FAILED)
    rest = f": {plural(len(rows), 'group')}" if rows else ""
    return b.section("Not planned", table, rest=rest, anchor="failed")


def data_section(run: FleetRun) -> b.Section:
    """What was read, and how it was planned."""
    summary, settings, planned = run.summary, run.summary["settings"], run.summary["planned"]
    rules = f"and {plural(len(settings['rules']), 'rule')} for groups by name"
    with_ = [
        str(settings["policy"]["name"]), f"effort {settings['effort']:g} s",
        f"seed {settings['seed']}", *([rules] if settings["rules"] else []),
    ]  # fmt: skip
    quality = summary["quality"]
    faults = {name: one for name, one in quality["faults"].items() if one["count"]}
    without = "" if faults else ", without faults"
    rows = (
        b.Fact("spread", printable(WEIGHTS.get(settings["weight"], settings["weight"]))),
        b.Fact("proved optimal", optimal_words(planned)),
        b.Fact("proved gap", gap_words(planned)),
        b.Fact("nobody owns", unowned_words(planned)),
        b.Fact("planned with", printable(", ".join(with_))),
        b.Fact("samples", f"{number(quality['samples'])}{without}" if "samples" in quality else ""),
        b.Fact("forecast", forecast_words(summary["forecast"], settings["horizon_s"])),
    )
    table = b.Table(
        (b.Column("faults of the data", "text"), b.Column("count"), b.Column("groups")),
        tuple((FAULTS.get(name, name), o["count"], o["groups"]) for name, o in faults.items()),
        "Faults of the data",
    )
    return b.section("Data and settings", b.facts(rows), table, anchor="data")


def groups_section(run: FleetRun, top: int, unit: str) -> b.Section:
    """All groups, those whose plans save the most first; a screen shows the `top` ones."""
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
    below = (
        "saved is below 0 where today's counts are less even than possible, where not every"
        " partition is owned, or where a smaller spread takes more excess"
    )
    unowned = any(row.spread_now is None for row in run.groups)
    lines = ["- today: nobody owns anything"] if unowned else []
    lines += [below] if any((row.saved or 0) < 0 for row in run.groups) else []
    shown = b.Notes(tuple(lines))
    rest = ", by the excess saved" if rows else ""
    return b.section("Groups", table, shown, rest=rest, anchor="groups")


def _excess_parts(row: GroupRow) -> tuple[float, ...]:
    now = row.excess_now or 0.0
    return min(row.excess_planned, now), max(row.saved or 0.0, 0.0)


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

    yield "cause", f"{row.cause}: {docs_at(row.cause)}" if row.cause else ""
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
