"""The schema of the facts of a group's report (`equilag/report/1`), from its dataclasses.

What the report takes over from other documents is described as in their schemas.
"""

from __future__ import annotations

from typing import Any, Final

from benchmarks.schemas.facts_schema import definitions_of
from equilag.report.facts.comparison import AssignorFacts
from equilag.report.facts.explanation import EvennessFacts, LooserFacts
from equilag.report.facts.extended_group import ExtendedFacts
from equilag.report.facts.frontier import PointFacts
from equilag.planner.facts.group import GroupFacts
from equilag.report.facts.group_report import FORMAT
from equilag.report.facts.plans.partition_columns import FlowsFacts, PartitionColumns
from equilag.report.facts.plans.plan import MemberFacts
from equilag.report.facts.plans.proof import ProofFacts
from equilag.planner.diagnosis.unevenness import UnevennessFacts
from equilag.report.facts.plans.verdict import VerdictFacts
from equilag.report.facts.simulation import SimulationFacts
from equilag.planner.facts.work import WorkFacts

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def report_schema(plan: Schema, size: Schema, simulation: Schema) -> Schema:
    """The schema of `GroupReportFacts.document`, with parts of those of other documents."""
    made = definitions_of(
        AssignorFacts, PointFacts, GroupFacts, PartitionColumns, FlowsFacts, MemberFacts,
        ProofFacts, ExtendedFacts, SimulationFacts, VerdictFacts, WorkFacts,
        EvennessFacts, LooserFacts, UnevennessFacts,
    )  # fmt: skip
    rows, points = made.pop("AssignorFacts"), made["PointFacts"]
    course = made.pop("SimulationFacts")["properties"]
    text, flag = {"type": "string"}, {"type": "boolean"}
    number, whole = {"type": ["number", "null"]}, {"type": "integer"}
    texts = _list(text)
    properties = {
        "format": {"const": FORMAT},
        "verdict": _ref("VerdictFacts"),
        "group": _ref("GroupFacts"),
        "source": {"description": "What names the group in commands, as words of a shell.", **text},
        "settings": _ref("policy"),
        "evidence": _ref("evidence"),
        "command": {"description": "A shell command that makes the plan.", **text},
        "members": _list(_ref("MemberFacts")),
        "idle": {"description": "Members whose subscription holds no partition.", **texts},
        "partitions": _ref("PartitionColumns"),
        "moves": _object({
            "columns": {"description": "What the entries of a row are.", **texts},
            "rows": {
                "description": "The largest lag first; topics and members as their numbers in"
                " `partitions`.",
                "type": "array",
                "items": _row(whole, whole, whole, whole, whole, text),
            },
            "lag": {"description": "Records in the partitions that move.", **whole},
            "new": {"description": "Partitions that are assigned and that nobody owned.", **whole},
        }),
        "flows": _ref("FlowsFacts"),
        "proof": _ref("ProofFacts"),
        "real": _or_null(_ref("ExtendedFacts")),
        "work": _or_null(_ref("WorkFacts")),
        "explanation": _or_null(_object({
            "unit": {"description": "Of the loads: `records`, `seconds of work`, …", **text},
            "fair": {"description": "A fair share of the load.", **number},
            "reached": _ref("EvennessFacts"),
            "now": _ref("UnevennessFacts"),
            "why_now": {"description": "Why the group is uneven now, in sentences.", **texts},
            "why": {"description": "What bounds the plan, in sentences.", **texts},
            "looser": _list(_ref("LooserFacts")),
        })),
        "comparison": _or_null(_object({
            "rows": _list(_object({
                **{name: one for name, one in rows["properties"].items() if name != "extended"},
                "load_max": {"description": "Of the heaviest member.", **number},
                "load_spread": {"description": "Heaviest minus lightest member.", **number},
                "busiest": {"description": "Largest rate / capacity of a member.", **number},
                "cross_rack": {
                    "description": "Partitions that are read across racks.",
                    "type": ["integer", "null"],
                },
            })),
            "headline": text,
            "bound": {"description": "No plan of the policy has a smaller spread.", **number},
            "bound_by_solver": {"description": "True if it rests on a solver's word.", **flag},
            "per_capacity": {"description": "True if loads are per unit of capacity.", **flag},
            "current_is_partial": flag,
        })),
        "frontier": _or_null(_object({
            "headline": text,
            "points": _list(_object({
                **points["properties"],
                "is_on_front": {"description": "False for a plan that others beat.", **flag},
                "note": {"description": "What beats the plan; else empty.", **text},
                "settings": {"description": "That ask for this point.", "type": "object"},
                "command": {"description": "A shell command that makes its plan.", **text},
            })),
            "per_capacity": {"description": "True if loads are per unit of capacity.", **flag},
            "unproved": {"description": "Points whose spread may not be the smallest.", **whole},
            "interrupted": flag,
        })),
        "simulation": _or_null(_object({
            **{name: course[name] for name in SIMULATED},
            "assumed": simulation["properties"]["assumed"],
        })),
        "sizing": _or_null(_sizing(size)),
        "remarks": {"description": "What else was said.", **texts},
    }  # fmt: skip
    del made["PointFacts"]
    shared = ("policy", "evidence")
    definitions = {**made, **{name: plan["$defs"][name] for name in shared}}
    return {
        "$schema": DIALECT,
        "title": "The facts of a group's report",
        **_object(properties),
        "$defs": dict(sorted(definitions.items())),
    }


SIMULATED: Final = (
    "duration", "rebalance", "changes", "produced", "capacity", "times", "curve_times", "current",
    "planned", "members_behind", "hot", "too_slow", "overloaded", "headlines",
)  # fmt: skip
"""The facts of a simulation that a report has; `assumed` is as in the simulation's own JSON."""


def _sizing(size: Schema) -> Schema:
    """The answer of `equilag size`, with loads in percent of what a member keeps up with."""
    rows = size["properties"]["rows"]["items"]
    percent = {"description": "Load in percent of the limit.", "type": "number"}
    least = {"description": "The least load, in percent of the limit.", "type": "number"}
    return _object({
        "headlines": _list({"type": "string"}),
        "rows": _list({
            **rows,
            "properties": {
                **rows["properties"], "load_percent": percent, "at_least_percent": least,
            },
        }),
        "basis": size["properties"]["basis"],
        "least_keeping_up": _or_null(size["$defs"]["least_size"]),
        "helpful_end": {
            "description": "The last size that helps; null where that is open.",
            "type": ["integer", "null"],
        },
    })  # fmt: skip


def _object(properties: Schema) -> Schema:
    return {"type": "object", "required": list(properties), "properties": properties}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _row(*cells: Schema) -> Schema:
    return {"type": "array", "prefixItems": [*cells], "items": False, "minItems": len(cells)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
