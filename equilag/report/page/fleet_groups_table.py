"""The groups of a fleet as a table of a page: few columns at hand, the rest packed."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final

from equilag.report.facts.facts_json import facts_json
from equilag.report.facts.fleets.fleet_run import GroupRow
from equilag.report.facts.fleets.fleet_throughput import GroupThroughput
from equilag.report.text.fleets.fleet_throughput import help_words
from equilag.report.text.group import NAMELESS
from equilag.report.wording.words import status_words

ACTION_WORDS: Final = {
    "move": "rebalance",
    "assign": "assign partitions",
    "add-members": "add members",
    "repartition": "split a partition",
    "loosen": "loosen settings",
    "start-members": "start members",
    "undecided": "undecided",
    "leave": "leave it",
}
KEEPS_UP_WORDS: Final = {
    "keeps_up": "yes",
    "moves": "with the plan",
    "members": "more members",
    "uneven": "no",
    "hot": "no: hot partition",
}
"""What the column says of a verdict of `equilag.report.facts.fleets.fleet_throughput`."""
COLUMNS: Final[tuple[dict[str, str], ...]] = (
    {"key": "group", "label": "Group", "form": "name"},
    {"key": "action", "label": "What to do"},
    {"key": "saved", "label": "Saved", "form": "number",
     "note": "Load above a fair share that the plan takes off members"},
    {"key": "max_over_mean", "label": "Heaviest now", "form": "times",
     "note": "Load of the heaviest member, in mean loads"},
    {"key": "planned_over_mean", "label": "Planned", "form": "times",
     "note": "The same with the plan"},
    {"key": "moves", "label": "Moves", "form": "number"},
    {"key": "keeps_up", "label": "Keeps up",
     "note": "Whether members read as fast as is produced, where rates and capacities are known"},
    {"key": "gap", "label": "Gap", "form": "percent",
     "note": "How much evener a plan could be at most, in percent of the mean load"},
    {"key": "members", "label": "Members", "form": "number"},
    {"key": "partitions", "label": "Partitions", "form": "number"},
    {"key": "lag", "label": "Lag", "form": "number", "note": "In records"},
)  # fmt: skip
MIN_WHOLE: Final = 1000
"""From here on figures are written without decimals (`equilag.report.wording.words.number`)."""
DIGITS: Final = 7
"""Significant digits of smaller ones: more than are ever shown, so that what is shown is rounded
once."""


def compact(value: Any) -> Any:
    """A figure with no more digits than a page can show."""
    if not isinstance(value, float):
        return value
    if abs(value) >= MIN_WHOLE or value.is_integer():
        return round(value)
    return float(f"{value:.{DIGITS}g}")


def group_cells(row: GroupRow) -> list[Any]:
    """A row of the table, in the order of `COLUMNS`."""
    kept = row.throughput
    figures = [
        row.group or NAMELESS,
        ACTION_WORDS.get(row.action, row.action),
        row.saved,
        row.max_over_mean,
        row.planned_over_mean,
        row.moves,
        None if kept is None else KEEPS_UP_WORDS.get(kept.verdict, kept.verdict),
        row.gap_percent_of_mean,
        row.members,
        row.partitions,
        row.lag,
    ]
    return [compact(value) for value in figures]


def group_details(row: GroupRow) -> dict[str, Any]:
    """What a page shows of a group that is opened, beside its row; a figure that is not known is
    left out."""
    names = (
        "relief_percent", "load_mean", "max_now", "max_planned", "excess_now", "excess_planned",
        "excess_lower_bound", "spread_now", "spread_planned", "spread_lower_bound", "weight",
    )  # fmt: skip
    document = facts_json(row)
    found = {name: document[name] for name in names} | _throughput(row.throughput)
    found |= {
        "headline": document["headline"],
        "status": status_words(row.status, row.evidence),
        "unowned": row.unowned or None,
        **(document["commands"] or {}),
    }
    return {name: compact(value) for name, value in found.items() if value is not None}


def _throughput(kept: GroupThroughput | None) -> dict[str, Any]:
    if kept is None:
        return {}
    names = "utilisation_now", "utilisation", "short_now", "short"
    return {name: getattr(kept, name) for name in names} | {
        "hot": list(kept.hot) or None,
        "helps": None if kept.verdict == "keeps_up" else help_words(kept),
    }


def packed(document: Mapping[str, Any] | list[Any]) -> str:
    """JSON in gzip in Base64: half as long, and opened by a browser when somebody asks for it."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")
