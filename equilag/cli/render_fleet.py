"""The report of a fleet: how it stands, its worst groups, its assignors, faults and failures."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from equilag.cli.render_groups import LEAST, NONE, fitted, groups_block, short_percent
from equilag.cli.text import (
    Style,
    columns,
    number,
    percent,
    plural,
    printable,
    shorten,
    table,
    wrap,
)

if TYPE_CHECKING:
    from equilag.pipeline.fleet_report import FleetReport

FORMAT: Final = "equilag/fleet-report/1"
TOP: Final = 20
NAMED: Final = 5
"""Failed groups of a kind that are named."""
REASON: Final = 200
"""Characters of a reason."""
CURRENT: Final = "current"

WEIGHT_WORDS: Final = {
    "lag": "lag, in records",
    "rate": "records produced per hour",
    "forecast": "the lag forecast, in records",
    "bytes": "lag, in bytes",
}
FAULT_WORDS: Final = {
    "invalid": "rows of offsets that make no sense",
    "after_at": "rows of offsets after the time of the run",
    "duplicates": "samples that are there twice",
    "late": "samples that came late",
    "missing": "samples that are missing",
    "commit_backwards": "commits that ran backwards",
    "end_backwards": "ends of a log that ran backwards",
    "ahead_of_end": "samples committed beyond the end of the log",
    "below_log_start": "samples committed below the start of the log",
    "no_commit": "partitions without a commit",
    "appeared": "partitions that appeared",
    "vanished": "partitions that vanished",
    "no_rate": "partitions of no known rate",
    "filled": "partitions never sampled, below others that were",
    "duplicate_members": "rows of members that are there twice",
    "invalid_members": "rows of members that make no sense",
    "unknown_topics": "subscribed topics without offsets",
}


def render_fleet(report: FleetReport, style: Style, top: int = TOP) -> str:
    """The screen of `fleet show`, with the `top` worst groups."""
    summary = report.summary
    blocks = [
        _header(report, style),
        groups_block(report.groups, top, style),
        _assignors(summary["assignors"], summary["planned"]["groups"], style),
        _faults(summary["quality"], style),
        _forecast(summary["forecast"], summary["settings"], style),
        _failures(report, style),
        _next(report, style),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def report_json(report: FleetReport, top: int = TOP) -> dict[str, Any]:
    """The same as a dict for JSON; names are whole here, and all failures are in it."""
    return {
        "format": FORMAT,
        "directory": report.path,
        "summary": report.summary,
        "worst": [row.to_dict() for row in report.groups[:top]],
        "failures": [failed._asdict() for failed in report.failures],
    }


def _header(report: FleetReport, style: Style) -> list[str]:
    summary = report.summary
    planned, failed = summary["planned"], summary["failed"]
    n = planned["groups"]
    lines = style.titled(
        f"Fleet of {plural(n + failed['groups'], 'group')}", f" at {printable(summary['at'])}"
    )
    weight = summary["settings"]["weight"]
    kinds = sorted(failed["by_kind"].items(), key=lambda item: (-item[1], item[0]))
    optimal = planned["by_status"].get("optimal", 0)
    sizes = [
        plural(n, "group"),
        plural(planned["partitions"], "partition"),
        plural(planned["members"], "member"),
        plural(planned["moves"], "move"),
    ]
    median, p95 = planned["median_gap_percent"], planned["p95_gap_percent"]
    gaps = ""
    if n:
        within = f"95 % of the groups within {percent(p95)} of their mean load"
        gaps = f"median {percent(median)}, {within}"
    rows = [
        ("planned", ", ".join(sizes)),
        ("not planned", ", ".join(f"{number(count)} {_kind(kind)}" for kind, count in kinds)),
        ("spread", printable(WEIGHT_WORDS.get(weight, str(weight)))),
        ("proved optimal", f"{number(optimal)} ({percent(100 * optimal / n)})" if n else ""),
        ("proved gap", gaps),
        ("nobody owns", _unowned(planned)),
        ("planned with", _settings(summary["settings"])),
    ]
    for label, text in rows:
        if text:
            lines += wrap(f"  {label:<15} {text}", style, " " * 18)
    return lines


def _unowned(planned: Mapping[str, Any]) -> str:
    if not planned.get("unowned"):
        return ""
    return (
        f"{plural(planned['unowned'], 'partition')} with {number(planned['unowned_lag'])} of it, in"
        f" {plural(planned['unowned_groups'], 'group')}, which today's figures leave out"
    )


def _settings(settings: Mapping[str, Any]) -> str:
    parts = [str(settings["policy"]["name"]), f"effort {settings['effort']:g} s"]
    parts.append(f"seed {settings['seed']}")
    if settings["rules"]:
        parts.append(f"and {plural(len(settings['rules']), 'rule')} for groups by name")
    return printable(", ".join(parts))


def _kind(kind: str) -> str:
    return printable(kind.replace("_", " "))


def _assignors(rows: list[Mapping[str, Any]], planned: int, style: Style) -> list[str]:
    if not rows:
        return []
    headings = ["assignor", "median gap", "mean", "95 %", "even counts", "moves", "ms each"]
    figures = [headings[1:], *(_assignor(row) for row in rows)]
    room = max(LEAST, style.width - sum(max(map(len, c)) + 2 for c in zip(*figures, strict=True)))
    names = [fitted(printable(str(row["assignor"])), room - 2, style.dots) for row in rows]
    cells = [[name, *row] for name, row in zip([headings[0], *names], figures, strict=True)]
    first, *body = table(cells, "<>>>>>>")
    lines = style.titled("Assignors", f", what each would do with {plural(planned, 'group')}")
    lines += [f"  {style.bold(first)}", *(f"  {line}" for line in body)]
    lines += wrap(
        "  gap: distance of the spread from the proved bound in percent of a group's mean load;"
        " the bound holds for even counts, who gives those up can get below it; groups whose policy"
        " limits moves are left out, and for current those with partitions that nobody owns; even"
        " counts: as even as in equilag's plan",
        style,
        "  ",
    )
    for name, row in zip(names, rows, strict=True):
        if row["groups"] < planned and not row.get("failed"):
            where = f"  {name}: of {plural(row['groups'], 'group')}; in no other anything is owned"
            lines += wrap(where, style, "  ")
        if row.get("failed"):
            lines += wrap(f"  {name} failed in {plural(row['failed'], 'group')}", style, "  ")
    return lines


def _assignor(row: Mapping[str, Any]) -> list[str]:
    groups, own = row["groups"], row["assignor"] == CURRENT
    gaps = (row[f"{which}_gap_percent"] for which in ("median", "mean", "p95"))
    return [
        *(NONE if gap is None else short_percent(gap) for gap in gaps),
        number(row["even_counts"]),
        NONE if own or row["moves"] is None else number(row["moves"]),
        NONE if own or not groups else f"{row['wall_ms'] / groups:,.1f}",
    ]


def _faults(quality: Mapping[str, Any], style: Style) -> list[str]:
    found = [(name, fault) for name, fault in quality["faults"].items() if fault["count"]]
    among = f" among {plural(quality['samples'], 'sample')}"
    if not found:
        return style.titled("Faults of the data", f": none{among}")
    rows = [
        [
            number(fault["count"]),
            printable(FAULT_WORDS.get(name, name)),
            f"in {plural(fault['groups'], 'group')}",
        ]
        for name, fault in found
    ]
    lines = [f"  {line}" for line in table(rows, "><<")]
    return style.titled("Faults of the data", among) + lines


def _forecast(forecast: Mapping[str, Any], settings: Mapping[str, Any], style: Style) -> list[str]:
    """How the forecast did on samples that were held back."""
    if not forecast["partitions"]:
        ahead = f"{settings['horizon_s']:g} s"
        text = f": not tried, as no partition has two samples more than {ahead} before its newest"
        return style.titled("Forecast", text + " (--horizon)")
    ahead = f"{settings['horizon_s']:g} s"
    off, unchanged = forecast["mean_error"], forecast["mean_error_unchanged"]
    parts = [_error(off, forecast.get("error_percent"))]
    parts.append(_error(unchanged, forecast.get("error_percent_unchanged")))
    return style.titled(
        "Forecast",
        f" {ahead} ahead, tried on the newest samples of"
        f" {plural(forecast['partitions'], 'partition')}: off by {parts[0]} on average;"
        f" to say that nothing changes is off by {parts[1]}",
    )


def _error(records: float, share: float | None) -> str:
    part = "" if share is None else f" ({percent(share)} of the lag)"
    return f"{records:,.1f} records{part}"


def _failures(report: FleetReport, style: Style) -> list[str]:
    """By kind, most first; of each a few groups, those with the same reason together."""
    if not report.failures:
        return []
    kinds: dict[str, list[tuple[str, str]]] = {}
    for failed in report.failures:
        kinds.setdefault(failed.kind, []).append((failed.group, failed.reason))
    lines = style.titled("Not planned", f": {plural(len(report.failures), 'group')}")
    for kind, members in sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"  {_kind(kind)}, {plural(len(members), 'group')}")
        by_reason: dict[str, list[str]] = {}
        for group, reason in members[:NAMED]:
            name = fitted(printable(group), style.width // 3, style.dots)
            words = shorten(printable(reason or ""), REASON, style.dots)
            by_reason.setdefault(words, []).append(name)
        for reason, names in by_reason.items():
            text = f"    {', '.join(names)}: {reason}"
            # Lines are broken by characters; those of some scripts take two columns.
            wide = columns(text) > len(text)
            lines += wrap(text, replace(style, width=style.width // (1 + wide)), "      ")
        if len(members) > NAMED:
            lines.append(f"    {style.dots} and {number(len(members) - NAMED)} more")
    return lines


def _next(report: FleetReport, style: Style) -> list[str]:
    # On a line of its own, whole however long it is: it is there to be copied.
    command = f"  equilag fleet export {printable(shlex.quote(report.path))} GROUP"
    return [*style.titled("One group", ", its snapshot and its plan as files:"), command]
