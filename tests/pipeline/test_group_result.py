"""The result of one group: its columns equal the library's plan of the same snapshot."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from support.problem_rows import QUICK, Row, member_row, problem_row, topic_row, usual_problem

from equilag import load_snapshot, solve
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.errors import InputError
from equilag.domain.group.group import NOBODY, Group
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import POLICIES
from equilag.heuristics import assignor_names, get_assignor
from equilag.pipeline import group_result
from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.group_result import GroupResult, PlanGroup
from equilag.pipeline.sources.group_columns import BASELINE, LOADS, PLAN, THROUGHPUT
from equilag.pipeline.sources.snapshot_rows import group_input
from equilag.planner.compare import compare
from equilag.planner.worth.thresholds import Thresholds, VerdictLimits
from equilag.report.reports.plan import PlanReport

LOAD_NAMES = "max", "min", "spread", "mean", "spread_lower_bound", "excess", "excess_lower_bound"
NEW = (*(name for name, _ in LOADS), "utilisation")


class Fails:
    name = "fails"

    def assign(self, group: Group) -> Any:
        raise RuntimeError("no idea")


class AllToNobody:
    name = "all-to-nobody"

    def assign(self, group: Group) -> Any:
        return np.full(group.n_partitions, NOBODY)


class Works(AllToNobody):
    name = "works"

    def assign(self, group: Group) -> Any:
        return get_assignor("range").assign(group)


def plan_of(
    problem: Row, settings: GroupSettings, weight: str = "lag", reset: str = "latest"
) -> Plan:
    """The library's plan for the exported snapshot."""
    document = snapshot_document(group_input(problem, weight, reset))
    return solve(
        load_snapshot(json.loads(json.dumps(document))),
        settings.policy,
        time_limit=settings.time_limit,
        effort=settings.effort,
        seed=settings.seed,
    )


def check(result: GroupResult, plan: Plan, weight: str = "lag") -> None:
    """Compare every column with the plan."""
    group, lag, columns = plan.group, plan.lag, dict(result.plan)
    assert columns.keys() == {name for name, _ in PLAN} - {name for name, _ in THROUGHPUT}
    assert 0 < columns.pop("wall_s") <= columns.pop("task_s")
    assert json.loads(columns.pop("policy")) == plan.settings
    assert json.loads(columns.pop("certificate")) == [claim.to_dict() for claim in plan.claims]
    assert json.loads(columns.pop("choices")) == [asdict(choice) for choice in plan.choices]
    unowned = group.assignable & (group.owner == NOBODY)
    verdict = PlanReport(plan).verdict
    assert columns == {
        **{name: getattr(plan, name) for name in ("status", "evidence", "algorithm")},
        "partitions": group.n_partitions,
        "members": group.n_members,
        "count_max": plan.counts.max,
        "count_min": plan.counts.min,
        "lag_total": int(group.lag.sum()),
        **{f"lag_{name}": getattr(lag, name) for name in ("max", "min", "spread", "mean")},
        "spread_lower_bound": plan.proofs.spread,
        "gap": lag.spread - plan.proofs.spread,
        "gap_percent_of_mean": lag.gap_percent_of_mean,
        "lag_excess": lag.excess,
        "excess_lower_bound": (plan.proofs.value("excess_at_least") or 0),
        "weight": "lag",
        **{f"load_{name}": getattr(lag, name) for name in LOAD_NAMES},
        "action": verdict.action,
        "cause": verdict.cause,
        "headline": None if weight in ("rate", "bytes") else verdict.headline,
        "relief_percent": verdict.relief_percent,
        "moves": len(plan.moves),
        "moves_lower_bound": plan.moves_lower_bound,
        "unowned": int(unowned.sum()),
        "unowned_lag": int(group.lag[unowned].sum()),
        "unassigned": int((plan.assigned == NOBODY).sum()),
        "dropped_claims": group.dropped_claims,
        "notes": list(plan.notes),
        "time_limit_s": plan.time_limit,
    }
    ids = [*(member.id for member in group.members), None]
    topics, numbers = zip(*map(group.partition_name, range(group.n_partitions)), strict=True)
    assert [*map(list, result.assignment.values())] == [
        [*topics], [*numbers], [ids[m] for m in group.owner], [ids[m] for m in plan.assigned],
        group.lag.tolist(),
    ]  # fmt: skip


def nobody_there() -> Row:
    return problem_row([topic_row("t", [0, 2], [50, 60])], [])


def departed() -> Row:
    members = [
        member_row("a", ["t", "u"], {"t": [0, 1, 9], "gone": [0]}, generation=2, rack="r"),
        member_row("b", ["u"], {"t": [1], "u": [0]}, generation=1, capacity=3.0),
    ]
    members[0]["capacity"] = 3.0
    topics = [topic_row("t", [0, 1], [500, 60], [0, 0]), topic_row("u", [0, 1], [5, 9], [5, None])]
    return problem_row(topics, members)


def even() -> Row:
    topics = [topic_row("t", list(range(12)), [100 * n for n in range(12)], [0] * 12)]
    members = [member_row(f"m{n}", ["t"], {"t": [n]} if n < 3 else {}) for n in range(5)]
    return problem_row(topics, members)


PROBLEMS = [usual_problem, nobody_there, departed, even]
WEIGHTS = [("lag", "latest"), ("lag", "earliest"), ("rate", "none")]


@pytest.mark.parametrize(
    ("make", "weight", "reset"),
    [(make, *WEIGHTS[(row + more) % 3]) for row, make in enumerate(PROBLEMS) for more in (0, 1)],
)
def test_the_plan_is_that_of_the_snapshot(make: Any, weight: str, reset: str) -> None:
    result = PlanGroup(weight, reset)(make(), QUICK)
    check(result, plan_of(make(), QUICK, weight, reset), weight)


@pytest.mark.parametrize(
    "policy",
    [
        *map(Policy, POLICIES),
        Policy(fresh=True, balance="both"),
        Policy("fair-yet-sticky", max_moves=3, move_cost=50, tolerance=10.0),
    ],
    ids=lambda policy: "-".join(str(value) for value in policy.to_dict().values()),
)
def test_every_policy(policy: Policy) -> None:
    settings = replace(QUICK, policy=policy)
    check(PlanGroup()(even(), settings), plan_of(even(), settings))


def test_no_time_at_all() -> None:
    result = PlanGroup()(usual_problem(), replace(QUICK, time_limit=0.0))
    assert result.plan["status"] in ("fallback", "feasible", "optimal")
    assert result.plan["time_limit_s"] == 0.0
    assert [row["assignor"] for row in result.baseline][-1] == "equilag"


@pytest.mark.parametrize("make", PROBLEMS)
def test_the_baseline_is_what_compare_says(make: Any) -> None:
    result = PlanGroup()(make(), QUICK)
    group = Group.build(**group_input(make()))
    expected = compare(group, time_limit=20.0, seed=QUICK.seed)
    # So small that both are the optimum, whatever the effort.
    assert (result.plan["status"], expected.plan.status) == ("optimal", "optimal")
    names = [name for name, _ in BASELINE if name not in ("wall_ms", "failed", *NEW)]
    unowned = (group.assignable & (group.owner == NOBODY)).any()
    for row, wanted in zip(result.baseline, expected.rows, strict=True):
        figures = {name: getattr(wanted, name) for name in names}
        if row["assignor"] == "current" and unowned:
            figures["gap_percent_of_mean"] = None  # its loads lack the partitions without an owner
        assert {name: row[name] for name in names} == figures
        assert [row[name] for name in NEW] == [
            wanted.lag_max, wanted.lag_spread, wanted.lag_excess, None,
        ]  # fmt: skip
    first = ["current"] if (group.owner != NOBODY).any() else []
    assert [row["assignor"] for row in result.baseline] == [*first, *assignor_names(), "equilag"]
    assert all(row["wall_ms"] >= 0 and not row.get("failed") for row in result.baseline)


@pytest.mark.parametrize("policy", [Policy("fair-yet-sticky"), Policy(max_moves=9)])
def test_a_bound_for_few_moves_is_no_bound_for_others(policy: Policy) -> None:
    rows = PlanGroup()(usual_problem(), replace(QUICK, policy=policy)).baseline
    gaps = {row["assignor"]: row["gap_percent_of_mean"] for row in rows}
    assert gaps.pop("equilag") is not None
    assert set(gaps.values()) == {None}


def test_assignors_that_fail_cost_no_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = PlanGroup()(usual_problem(), QUICK)
    broken, invalid, works = (f"{__name__}:{one.__name__}" for one in (Fails, AllToNobody, Works))
    missing = "no_such_module:thing"
    names = (*assignor_names(), broken, invalid, missing, works)
    monkeypatch.setattr(group_result, "_assignors", lambda: names)
    result = PlanGroup()(usual_problem(), QUICK)
    check(result, plan_of(usual_problem(), QUICK))
    rows = {row["assignor"]: row for row in result.baseline}
    assert len(rows) == len(result.baseline)
    failed = {name: row for name, row in rows.items() if row["failed"]}
    assert failed.keys() == {broken, missing, invalid}
    for row in failed.values():
        assert {name for name, value in row.items() if value is not None} == {"assignor", "failed"}
    assert "failed (RuntimeError: no idea)" in failed[broken]["failed"]
    assert "cannot be loaded (ModuleNotFoundError: " in failed[missing]["failed"]
    assert "gave a wrong answer: " in failed[invalid]["failed"]
    assert all("\n" not in row["failed"] for row in failed.values())
    for row in usual.baseline:
        same = {**rows[row["assignor"]], "wall_ms": 0.0}
        assert same == {**row, "wall_ms": 0.0}
    same = {**rows[works], "assignor": "range", "wall_ms": 0.0}
    assert same == {**rows["range"], "wall_ms": 0.0}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"members": [member_row("", ["t"])]}, r"members\[0\]\.id: empty"),
        ({"members": [member_row("m", ["t"], capacity=float("nan"))]}, "capacity"),
        (
            {"members": [member_row("a", ["a"], instance="i"), member_row("b", [], instance="i")]},
            r"members\[1\]\.instance: members\[0\] has the same one and another subscription",
        ),
        ({"topics": [topic_row("t", [0], [2**60], [0])]}, r"2\^53 or more"),
        (
            {"topics": [topic_row("t", [0, 1], [1, 2])],
             "members": [member_row("a", ["t"], {"t": [0, 1]}), member_row("b", ["t"])]},
            "max_moves: 0 is fewer",
        ),
    ],
)  # fmt: skip
def test_problems_that_cannot_be_planned(change: dict[str, Any], place: str) -> None:
    settings = replace(QUICK, policy=Policy(max_moves=0))
    with pytest.raises(InputError, match=place):
        PlanGroup()({**usual_problem(), **change}, settings)


def test_an_extended_group() -> None:
    """No assignor knows its capacities, so the bound is none for their plans."""
    problem = problem_row(
        [topic_row("t", [0, 1, 2, 3], [10, 10, 10, 10], [0, 0, 0, 0])],
        [member_row("a", ["t"], capacity=3.0), member_row("b", ["t"], capacity=1.0)],
    )
    found = PlanGroup()(problem, QUICK)
    assert [*found.assignment["to"]].count("a") == 3
    gaps = {row["assignor"]: row["gap_percent_of_mean"] for row in found.baseline}
    assert [name for name, gap in gaps.items() if gap is not None] == ["equilag"]
    settings = replace(QUICK, policy=Policy(pin={("t", 0): "b"}, capacity={"a": 1}))
    found = PlanGroup()(problem, settings)
    assert (found.assignment["to"][0], found.plan["count_max"]) == ("b", 2)
    assert json.loads(found.plan["policy"])["pin"] == ["t-0=b"]


def test_limits_decide_what_is_worth_a_rebalance() -> None:
    topics = [topic_row("t", [0, 1, 2, 3], [5_000, 4_000, 3_000, 2_000], [0] * 4)]
    members = [member_row(name, ["t"], {"t": own}) for name, own in (("a", [0, 1]), ("b", [2, 3]))]
    problem = problem_row(topics, members)
    usual = PlanGroup()(problem, QUICK).plan["action"]
    least = VerdictLimits(Thresholds(100.0, min_gain=10**9), 10**9, 10**9)
    assert (usual, PlanGroup(limits=least)(problem, QUICK).plan["action"]) == ("move", "leave")
