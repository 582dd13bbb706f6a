"""equilag plans the partition assignments of Kafka consumer groups.

    group = equilag.load_snapshot("snapshot.json")
    plan = equilag.solve(group, policy="lag-aware", time_limit=2.0)
    plan.verdict.headline  # what is wrong, and what to do

Make a group
    load_snapshot, save_snapshot, snapshot_document    a file, or the JSON as a dict
    Group.build(name=…, topics=…, members=…, …)        lists, NumPy or pandas columns
Ask
    solve        the best plan                 frontier     moves against lag spread
    explain      why it is no more even        size         how many members it takes
    compare      all assignors side by side    simulate     when everything is read
    assign       one assignor alone            verify       is a plan as good as it says
    load_fleet   a run of equilag fleet
Show
    report_text, report_page                           as text; as a page of HTML
    explanation_document, .to_dict() of the results    as JSON
Settings are keyword arguments, or a Policy: help(equilag.solve), help(equilag.Group.build).
Errors: EquilagError is all of InputError, MissingExtra, ContradictedBound.

Every name is loaded when it is first used, so that importing equilag is quick. There is no
`__all__`: with one, help would show every class in full.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equilag.adapters.snapshot.read_input import load_snapshot as load_snapshot
    from equilag.adapters.snapshot.write import save_snapshot as save_snapshot
    from equilag.adapters.snapshot.write import snapshot_document as snapshot_document
    from equilag.certificate.verify import verify as verify
    from equilag.domain.building.group_input import ClaimColumns as ClaimColumns
    from equilag.domain.building.group_input import PartitionOffsets as PartitionOffsets
    from equilag.domain.errors import ContradictedBound as ContradictedBound
    from equilag.domain.errors import EquilagError as EquilagError
    from equilag.domain.errors import InputError as InputError
    from equilag.domain.errors import MissingExtra as MissingExtra
    from equilag.domain.group.group import Group as Group
    from equilag.domain.group.group import Member as Member
    from equilag.domain.plan.assignment import RebalanceDiff as RebalanceDiff
    from equilag.domain.plan.plan import Plan as Plan
    from equilag.domain.policy.policy import Policy as Policy
    from equilag.heuristics.registry import Assignor as Assignor
    from equilag.pipeline.results.fleet_report import load_fleet as load_fleet
    from equilag.planner.assign import assign as assign
    from equilag.planner.compare import Comparison as Comparison
    from equilag.planner.compare import compare as compare
    from equilag.planner.explain import Explanation as Explanation
    from equilag.planner.explain import explain as explain
    from equilag.planner.facts.fleet_run import FleetRun as FleetRun
    from equilag.planner.frontier import Front as Front
    from equilag.planner.frontier import Point as Point
    from equilag.planner.frontier import frontier as frontier
    from equilag.planner.simulate import simulate as simulate
    from equilag.planner.simulation_result import Simulation as Simulation
    from equilag.planner.size import size as size
    from equilag.planner.sizes.sizing import Sizing as Sizing
    from equilag.planner.solve import solve as solve
    from equilag.report.reports.explanation import explanation_document as explanation_document
    from equilag.report.results import report_page as report_page
    from equilag.report.results import report_text as report_text

__version__ = "0.1.0"

_HOMES = {
    "Assignor": "equilag.heuristics.registry",
    "ClaimColumns": "equilag.domain.building.group_input",
    "Comparison": "equilag.planner.compare",
    "ContradictedBound": "equilag.domain.errors",
    "EquilagError": "equilag.domain.errors",
    "Explanation": "equilag.planner.explain",
    "FleetRun": "equilag.planner.facts.fleet_run",
    "Front": "equilag.planner.frontier",
    "Group": "equilag.domain.group.group",
    "InputError": "equilag.domain.errors",
    "Member": "equilag.domain.group.group",
    "MissingExtra": "equilag.domain.errors",
    "PartitionOffsets": "equilag.domain.building.group_input",
    "Plan": "equilag.domain.plan.plan",
    "Point": "equilag.planner.frontier",
    "Policy": "equilag.domain.policy.policy",
    "RebalanceDiff": "equilag.domain.plan.assignment",
    "Simulation": "equilag.planner.simulation_result",
    "Sizing": "equilag.planner.sizes.sizing",
    "assign": "equilag.planner.assign",
    "compare": "equilag.planner.compare",
    "explain": "equilag.planner.explain",
    "explanation_document": "equilag.report.reports.explanation",
    "frontier": "equilag.planner.frontier",
    "load_fleet": "equilag.pipeline.results.fleet_report",
    "load_snapshot": "equilag.adapters.snapshot.read_input",
    "report_page": "equilag.report.results",
    "report_text": "equilag.report.results",
    "save_snapshot": "equilag.adapters.snapshot.write",
    "simulate": "equilag.planner.simulate",
    "size": "equilag.planner.size",
    "snapshot_document": "equilag.adapters.snapshot.write",
    "solve": "equilag.planner.solve",
    "verify": "equilag.certificate.verify",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'equilag' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
