"""Writes what docs/schemas has of facts: `make schemas`.

The schemas of a group's report and of the steward's status and history are made from dataclasses.
Those of the plan and of the fleet report are written by hand, but for the definitions that are
facts.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from benchmarks.schemas.facts_schema import definitions_of
from benchmarks.schemas.report_schema import DIALECT, report_schema
from equilag.domain.plan.plan import CUT, REPEATABLE
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.policy.policy import SETTINGS
from equilag.live.status.steward_facts import OLD_NAMES, STATUS_FORMAT, StewardFacts
from equilag.live.status.steward_parts import HISTORY_FORMAT, StewardHistory
from equilag.planner.explaining.bound_causes import BoundCause
from equilag.planner.explaining.unevenness import UnevennessFacts
from equilag.planner.facts.fleet_run import AssignorGaps, FleetVerdictFacts
from equilag.report.reports.configuration import SettingInForce
from equilag.report.reports.readiness import BrokerReadiness, GroupReadiness

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "schemas"
DEFINITIONS: Final[dict[str, tuple[type, ...]]] = {
    "plan": (VerdictFacts,),
    "explanation": (BoundCause, UnevennessFacts, VerdictFacts),
    "groups": (VerdictFacts,),
    "simulation": (VerdictFacts,),
    "size": (VerdictFacts,),
    "readiness": (BrokerReadiness, GroupReadiness),
    "config": (SettingInForce,),
    "fleet-report": (FleetVerdictFacts, AssignorGaps),
}
"""Schema -> the facts that some of its definitions are made from."""


POLICY_IN: Final = (
    "comparison", "explanation", "fleet-export", "fleet-report", "fleet", "frontier", "plan",
    "simulation", "size",
)  # fmt: skip
"""Schemas with a definition of the policy; that of the report takes the plan's."""
RUN: Final[dict[str, Any]] = {
    "seed": {"description": "seed of the random choices", "type": "integer", "minimum": 0},
    "effort": {"description": "limit of counted work, in core-seconds", "type": "number",
               "minimum": 0},
    "run": {"description": "whether the same call gives the same result everywhere",
            "type": "string", "enum": [REPEATABLE, CUT]},
}  # fmt: skip
"""What stands beside the settings of the policy."""


def policy_schema() -> dict[str, Any]:
    """The schema of the policy in a plan, from the declarations of its settings."""
    properties = {}
    for name, declared in SETTINGS.items():
        schema = declared.form.schema()
        if name == "name":
            schema = {"type": "string"}  # a single assignor has its name there
        elif declared.always and declared.default is None and name != "balance":
            schema["type"] = [schema["type"], "null"]
        properties[name] = {"description": declared.help, **schema}
    about = "every setting in force; those of extended groups only where they are set"
    return {
        "description": about,
        "type": "object",
        "required": ["name", "balance"],
        "properties": properties | RUN,
    }


def made_schemas(folder: Path = FOLDER) -> dict[str, str]:
    """File name -> the text that it is to have; what is written by hand is taken from `folder`."""
    made: dict[str, Any] = {
        "steward-status": steward_status_schema(),
        "steward-history": steward_history_schema(),
    }
    for name in dict.fromkeys((*DEFINITIONS, *POLICY_IN)):
        found = _read(folder, name)
        own = {"policy": policy_schema()} if name in POLICY_IN else {}
        known = {**found["$defs"], **definitions_of(*DEFINITIONS.get(name, ())), **own}
        made[name] = {**found, "$defs": dict(sorted(known.items()))}
    made["report"] = report_schema()
    return {
        f"{name}.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        for name, schema in made.items()
    }


def _read(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{name}.schema.json").read_text("utf-8"))
    return found


def steward_status_schema() -> dict[str, Any]:
    """The schema of what `StewardFacts.document` returns."""
    made = definitions_of(StewardFacts)
    own = made.pop(StewardFacts.__name__)
    fields = own["properties"]
    old = {
        name: {**fields[now], "description": f"Old name of {now}."}
        for name, now in OLD_NAMES.items()
    }
    return {
        "$schema": DIALECT,
        "title": "The status of a running steward",
        **own,
        "required": ["format", *own["required"], *old],
        "properties": {"format": {"const": STATUS_FORMAT}, **fields, **old},
        "$defs": made,
    }


def steward_history_schema() -> dict[str, Any]:
    """The schema of what `StewardHistory.document` returns."""
    own = definitions_of(StewardHistory)[StewardHistory.__name__]
    return {
        "$schema": DIALECT,
        "title": "The last hour of a running steward",
        **own,
        "required": ["format", *own["required"]],
        "properties": {"format": {"const": HISTORY_FORMAT}, **own["properties"]},
    }


def main() -> None:
    for name, text in made_schemas().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
