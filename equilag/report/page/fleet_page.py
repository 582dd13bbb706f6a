"""The page of a fleet run."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import Any, Final

from equilag.report.facts.facts_json import facts_json
from equilag.report.facts.fleets.fleet import FORMAT, FleetFacts
from equilag.report.facts.fleets.fleet_gaps import BAND_LIMITS
from equilag.report.facts.fleets.fleet_run import GroupRow
from equilag.report.facts.fleets.fleet_throughput import (
    FleetThroughputFacts,
    GroupThroughput,
    fleet_throughput,
)
from equilag.report.page.fleet_groups_table import (
    ACTION_WORDS,
    COLUMNS,
    compact,
    group_cells,
    group_details,
    packed,
)
from equilag.report.page.render_page import render_page
from equilag.report.text.fleets.fleet import FAULT_WORDS, WEIGHT_WORDS, forecast_words
from equilag.report.text.fleets.fleet_groups import kind_words
from equilag.report.text.fleets.fleet_throughput import BEHIND_WORDS, help_words
from equilag.report.text.group import NAMELESS
from equilag.report.wording.words import plural, short_number

MAX_BEHIND: Final = 100
"""Groups that do not keep up in a table of their own; the table of all groups has the others."""
BEHIND_COLUMNS: Final[tuple[dict[str, str], ...]] = (
    {"key": "group", "label": "Group", "form": "name"},
    {"key": "short_now", "label": "Falls behind by", "form": "number",
     "note": "Records per second, over all members"},
    {"key": "utilisation_now", "label": "Busiest now", "form": "share",
     "note": "Rate of the busiest member, in percent of what it can read"},
    {"key": "utilisation", "label": "Planned", "form": "share", "note": "The same with the plan"},
    {"key": "moves", "label": "Moves", "form": "number"},
    {"key": "help", "label": "What helps"},
)  # fmt: skip
FAILURE_COLUMNS: Final[tuple[dict[str, str], ...]] = (
    {"key": "group", "label": "Group", "form": "name"},
    {"key": "kind", "label": "Kind"},
    {"key": "reason", "label": "Reason"},
)
SCRIPTS: Final = ("static/fleet.js",)
STYLES: Final = ("static/fleet.css",)


def fleet_page(facts: FleetFacts) -> str:
    """The page as HTML."""
    document = fleet_page_document(facts)
    return render_page("fleet.html", document, scripts=SCRIPTS, styles=STYLES, charts=False)


def fleet_page_document(facts: FleetFacts) -> dict[str, Any]:
    """What the page carries: the facts of the report's JSON, in fewer bytes."""
    rows = facts.report.groups
    return {
        "format": FORMAT,
        "directory": facts.report.path,
        "at": facts.at,
        "verdict": {name: compact(value) for name, value in asdict(facts.verdict).items()},
        "actions": _actions(facts),
        "planned": asdict(facts.planned),
        "settings": asdict(facts.settings),
        "weight": WEIGHT_WORDS.get(facts.settings.weight, facts.settings.weight),
        "worst": [
            _worst(row)
            for row in facts.worst
            if row.excess_now is not None and (row.saved or 0) > 0
        ],
        "keeping_up": _keeping_up(fleet_throughput(facts.report.throughput, MAX_BEHIND)),
        "gaps": _gaps(facts),
        "columns": list(COLUMNS),
        "groups": [group_cells(row) for row in rows],
        "details": packed([group_details(row) for row in rows]),
        "failures": [
            [failed.group or NAMELESS, kind_words(failed.kind), failed.reason]
            for failed in facts.report.failures
        ],
        "failure_columns": list(FAILURE_COLUMNS),
        "faults": [
            [FAULT_WORDS.get(fault.name, fault.name), fault.count, fault.groups]
            for fault in facts.faults
        ],
        "samples": facts.samples,
        "forecast": forecast_words(facts.forecast, facts.settings.horizon_s),
        "export": shlex.join(["equilag", "fleet", "export", facts.report.path]) + " GROUP",
    }


def _actions(facts: FleetFacts) -> list[dict[str, Any]]:
    """How many groups need what; with the words that the table of all groups has."""
    verdict = facts.verdict
    saved = (
        f"{plural(verdict.moves, 'move')} save {short_number(round(verdict.saved))} {verdict.unit}"
    )
    rows: tuple[tuple[str, str, int, tuple[str, ...], str], ...] = (
        ("act", "rebalance", verdict.rebalance, ("move", "assign"), saved),
        ("short", "add members", verdict.overloaded, ("add-members",), "overloaded"),
        ("hot", "split a partition", verdict.hot, ("repartition",), "too much for any member"),
        ("held", "loosen settings", verdict.loosen, ("loosen",), "members would be enough"),
        ("short", "start members", verdict.unread, ("start-members",), "nobody reads them"),
        ("held", "undecided", verdict.undecided, ("undecided",), "too little time"),
        ("leave", "leave as they are", verdict.leave, ("leave",), "a plan brings little"),
        ("failed", "not planned", verdict.failed, (), "see the reasons below"),
    )
    return [
        {
            "tone": tone,
            "label": label,
            "groups": count,
            "words": [ACTION_WORDS[action] for action in actions],
            "note": note if count else "",
        }
        for tone, label, count, actions, note in rows
        if count or label not in ("start members", "undecided")  # which are rare
    ]


def _worst(row: GroupRow) -> dict[str, Any]:
    document = facts_json(row)
    names = (
        "excess_now", "excess_planned", "saved", "moves", "max_over_mean",
        "planned_over_mean",
    )  # fmt: skip
    return {
        **{name: compact(document[name]) for name in names},
        "group": row.group or NAMELESS,
        "action": ACTION_WORDS.get(row.action, row.action),
    }


def _keeping_up(throughput: FleetThroughputFacts | None) -> dict[str, Any] | None:
    if throughput is None:
        return None
    counts = throughput.counts
    return {
        "known": throughput.known,
        "behind": throughput.n_behind,
        "keeps_up": counts["keeps_up"],
        "lines": [
            {"groups": counts[verdict], "words": words}
            for verdict, words in BEHIND_WORDS.items()
            if counts[verdict]
        ],
        "columns": list(BEHIND_COLUMNS),
        "rows": [_behind(row) for row in throughput.behind],
    }


def _behind(row: GroupThroughput) -> list[Any]:
    name = row.group or NAMELESS
    figures = name, row.short_now, row.utilisation_now, row.utilisation, row.moves
    return [*map(compact, figures), help_words(row)]


def _gaps(facts: FleetFacts) -> dict[str, Any]:
    """The distribution of gaps, with the figures of the assignors beside it."""
    figures = {row.name: row for row in facts.assignors}
    limits = [f"{limit:g} %" for limit in BAND_LIMITS]
    firsts = ["0 %", *limits]
    bands = [f"{low} to {high}" for low, high in zip(firsts, limits, strict=False)]
    rows = [
        {
            **{name: compact(value) for name, value in facts_json(gaps).items()},
            "failed": plural(figures[gaps.assignor].failed, "group")
            if figures[gaps.assignor].failed
            else "",
            "moves": figures[gaps.assignor].moves,
            "even_counts": figures[gaps.assignor].even_counts,
        }
        for gaps in facts.report.gaps
    ]
    return {"bands": [f"up to {limits[0]}", *bands[1:], f"over {limits[-1]}"], "rows": rows}
