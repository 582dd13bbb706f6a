"""The schema of a group's report (`equilag/report/1`): facts, and the documents of other commands,
which have their own schemas beside it."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.schemas.facts_schema import definitions_of
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.facts.group import GroupFacts
from equilag.planner.facts.moves import FlowFacts, PartitionColumns
from equilag.planner.facts.plan import MemberFacts
from equilag.planner.facts.work import WorkFacts
from equilag.report.reports.group_report import FORMAT
from equilag.report.reports.history import ChangeFacts, CoursePoint, MomentFacts

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def report_schema() -> Schema:
    """The schema of `GroupReport.document`."""
    text = {"type": "string"}
    properties = {
        "format": {"const": FORMAT},
        "source": {"description": "What names the group in commands, as words of a shell.", **text},
        "command": {"description": "A shell command that makes the plan.", **text},
        "group": _ref("GroupFacts"),
        "verdict": _ref("VerdictFacts"),
        "plan": _document("plan"),
        "work": _or_null(_ref("WorkFacts")),
        "breaks": {
            **_or_null({"$ref": "verification.schema.json#/properties/breaks"}),
            "description": "Rules of the group that an assignor's plan breaks.",
        },
        "members": _list(_ref("MemberFacts")),
        "idle": {"description": "Members whose subscription holds no partition.", **_list(text)},
        "partitions": _ref("PartitionColumns"),
        "flows": _list(_ref("FlowFacts")),
        "moments": {
            "description": "The group in each snapshot, the oldest first; empty if there is one.",
            **_list(_ref("MomentFacts")),
        },
        "course": {
            "description": "The lag over the time of `moments`: each of them, or what was sampled.",
            **_list(_ref("CoursePoint")),
        },
        "changes": {
            "description": "What changed from each of `moments` to the next.",
            **_list(_ref("ChangeFacts")),
        },
        **{name: _or_null(_document(kind)) for name, kind in PARTS.items()},
    }
    return {
        "$schema": DIALECT,
        "title": "The facts of a group's report",
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "$defs": definitions_of(
            ChangeFacts,
            CoursePoint,
            FlowFacts,
            GroupFacts,
            MemberFacts,
            MomentFacts,
            PartitionColumns,
            VerdictFacts,
            WorkFacts,
        ),
    }


PARTS: Final = {
    "frontier": "frontier",
    "explanation": "explanation",
    "comparison": "comparison",
    "simulation": "simulation",
    "sizing": "size",
}
"""Part of a report -> the format of its document."""


def _document(name: str) -> Schema:
    return {"$ref": f"{name}.schema.json"}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
