"""`verify` as a whole: without a solver, on every kind of plan, and on input that is no plan."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from support.groups import ODD, odd_cases, random_group, snapshot_of
from support.json_schemas import replaced
from support.paths import CHECKOUT

import equilag
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.certificate.verify import check_plan
from equilag.domain.errors import InputError
from equilag.domain.plan.assignment import MAX_FINDINGS
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import ALWAYS
from equilag.domain.policy.policy_settings import POLICIES

pytestmark = pytest.mark.xdist_group("verify")  # plans are made once

SNAPSHOT: Final = snapshot_of(
    [4, 3], [[0, 1], [0], [0, 1]], [0, 0, 0, 0, 2, 2, -1], [9, 8, 7, 1, 30, 2, 2]
)
GROUP: Final = load_snapshot(SNAPSHOT)


@cache
def solved(policy: str = "lag-aware", **settings: Any) -> Plan:
    """A plan for the group; most tests alter one."""
    return equilag.solve(GROUP, policy, time_limit=20.0, **settings)


NOT_TRUSTED = ("cli", "heuristics", "live", "pipeline", "planner", "solver")
"""Rooms that `verify` must not need: who trusts it need not read them."""
SCRIPT = """
import json, sys
before = set(sys.modules)
import equilag.certificate.verify
alone = set(sys.modules) - before
import equilag
group = equilag.load_snapshot(sys.argv[1])
plans = json.load(open(sys.argv[2], encoding="utf-8"))
findings = [found for plan in plans for found in equilag.verify(group, plan)]
print(json.dumps([sorted(alone), sorted(set(sys.modules) - before), findings]))
"""


def test_no_solver_is_needed(tmp_path: Path) -> None:
    snapshot, plans = tmp_path / "snapshot.json", tmp_path / "plans.json"
    snapshot.write_text(json.dumps(SNAPSHOT))
    plans.write_text(json.dumps([solved(policy).to_dict() for policy in POLICIES]))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(snapshot), str(plans)],
        cwd=CHECKOUT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    alone, used, findings = json.loads(done.stdout)
    assert findings == []
    rooms = [{name.split(".")[1] for name in one if "equilag." in name} for one in (alone, used)]
    assert not rooms[1] & set(NOT_TRUSTED)
    assert "adapters" not in rooms[0]  # which read the snapshot
    others = {name.split(".")[0] for name in alone} - sys.stdlib_module_names
    assert others == {"equilag", "numpy"}
    assert not {name.split(".")[0] for name in used} & {"ortools", "networkx", "pandas"}


@pytest.mark.parametrize(
    ("name", "policy", "assignor"),
    odd_cases(POLICIES, ["range", "round-robin", "fair", "sticky", "lag-aware"]),
)
def test_plans_without_time_and_of_assignors_verify(name: str, policy: str, assignor: str) -> None:
    group = ODD[name]()
    fallback = equilag.solve(group, policy, time_limit=0)
    assigned = equilag.assign(group, assignor)
    assert (fallback.status, assigned.status) == ("fallback", "feasible")
    assert equilag.verify(group, fallback) == equilag.verify(group, assigned) == []


def test_the_report_separates_proved_claims_from_those_of_a_solver() -> None:
    plan = solved()
    proved = check_plan(GROUP, plan)
    assert proved.holds
    assert len(proved.proved) == len(plan.claims)
    assert proved.unproved == []
    claims = tuple(
        replace(c, kind="cp-sat", evidence="solver") if c.claim == "spread_at_least" else c
        for c in plan.claims
    )
    taken = check_plan(GROUP, replace(plan, claims=claims))
    assert taken.holds
    assert len(taken.unproved) == 1
    assert "solver" in taken.unproved[0]


def by_solver(plan: Plan, value: int) -> Plan:
    """The plan with a solver's claim about the spread in the place of the checked one."""
    claims = tuple(c for c in plan.claims if c.claim != "spread_at_least")
    claim = Claim("spread_at_least", value, "cp-sat", {"max_moves": None}, "solver")
    return replace(plan, claims=(*claims, claim))


def test_evidence_says_whether_the_status_rests_on_a_solver() -> None:
    plan = solved()
    best = plan.proofs.spread
    assert (plan.status, plan.evidence) == ("optimal", "checked")
    for status, value in (("optimal", best), ("feasible", best - 1)):
        resting = replace(by_solver(plan, value), status=status)
        assert resting.evidence == "solver"
        assert equilag.verify(GROUP, resting) == []
        told = {**resting.to_dict(), "evidence": "checked"}
        assert equilag.verify(GROUP, told) == [
            "evidence: checked, but the status rests on claims with evidence solver"
        ]
        assert equilag.verify(GROUP, {k: v for k, v in told.items() if k != "evidence"}) == []


def test_a_plan_that_is_optimal_without_the_solver_says_so() -> None:
    plan = solved()
    weaker = next(c for c in plan.claims if c.claim == "spread_at_least")
    weaker = replace(weaker, kind="difference", data={}, value=0)
    resting = by_solver(plan, plan.proofs.spread)
    both = replace(resting, claims=(weaker, *resting.claims))
    assert both.evidence == "solver"
    within = replace(both, policy=replace(plan.policy, tolerance=100.0))
    assert within.evidence == "checked"
    document = within.to_dict()
    assert document["evidence"] == "checked"
    document["evidence"] = "solver"
    findings = equilag.verify(GROUP, document)
    assert "evidence: solver, but the status rests on claims with evidence checked" in findings


def test_a_solvers_claim_must_cover_all_plans_that_the_policy_allows() -> None:
    plan = solved(max_moves=3)
    others = tuple(c for c in plan.claims if c.claim != "spread_at_least")
    value = plan.proofs.spread
    for covered, holds in ((3, True), (None, True), (4, True), (2, False), ("3", False)):
        claim = Claim("spread_at_least", value, "cp-sat", {"max_moves": covered}, "solver")
        claims = (*others, claim)
        assert (equilag.verify(GROUP, replace(plan, claims=claims)) == []) == holds


@pytest.mark.parametrize("name", ["spread_at_least", "cost_at_least"])
def test_a_solvers_bound_above_the_plan_itself_is_a_finding(name: str) -> None:
    plan = solved(move_cost=1)
    value = plan.lag.spread + len(plan.moves) + 1
    claims = tuple(c for c in plan.claims if c.claim != name)
    forged = replace(plan, claims=(*claims, Claim(name, value, "cp-sat", {}, "solver")))
    assert equilag.verify(GROUP, forged)


@pytest.mark.parametrize("change", [
    lambda c: replace(c, evidence="hearsay"),
    lambda c: replace(c, evidence="solver"),
    lambda c: replace(c, kind="cp-sat"),
    lambda c: replace(c, kind="wish"),
    lambda c: replace(c, claim="best_at_least"),
    lambda c: replace(c, kind=["average"]),
    lambda c: replace(c, value=-1),
    lambda c: replace(c, value=1.5),
    lambda c: replace(c, value=True),
], ids=range(9))  # fmt: skip
def test_unknown_kinds_of_claims_are_findings(change: Callable[[Claim], Claim]) -> None:
    plan = solved()
    claims = (change(plan.claims[0]), *plan.claims[1:])
    assert equilag.verify(GROUP, replace(plan, claims=claims))


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        *((plan, None) for plan in (None, [], "plan", 3)),
        *((plan, "format") for plan in ({}, {"format": "equilag/plan/2"}, {"format": 1})),
    ],
)
def test_what_is_no_plan_is_refused(plan: Any, problem: str | None) -> None:
    with pytest.raises(InputError, match=problem):
        equilag.verify(GROUP, plan)


BAD_FIELDS: Final = {
    "evidence": ["hearsay", None, ["solver"]],
    "interrupted": [False, 1, ""],
    "timing": [
        None, {}, {"time_limit_s": 1, "wall_s": -1}, {"time_limit_s": "1", "wall_s": 1},
        {"time_limit_s": 1, "wall_s": None},
    ],
    "policy": [
        None, [], {}, {"name": "lag-aware"}, {"name": 3, "balance": "none"},
        {"name": "lag-aware", "balance": "total", "more": 1},
    ],
}  # fmt: skip
SETTINGS: Final = (
    *((name, ["x"], "") for name in (*ALWAYS,)),
    ("pin", ["t00-0=m07"], "no member has the id, instance id or client id"),
    ("pin", [7], "policy.pin: 7 is an integer"),
    ("capacity", {"x": 1}, "no member's id is"),
    ("rack_aware", 1, "policy.rack_aware: 1 is not true or false"),
    ("pins", [], "missing or unknown pins"),
)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        *(((field,), value, "") for field, values in BAD_FIELDS.items() for value in values),
        *((("policy", name), value, problem) for name, value, problem in SETTINGS),
    ],
    ids=str,
)
def test_a_field_that_makes_no_sense_is_a_finding(
    path: tuple[str, ...], value: Any, problem: str
) -> None:
    found = equilag.verify(GROUP, replaced(solved().to_dict(), path, value))
    assert any(line.startswith(path[0]) and problem in line for line in found)


def test_findings_are_limited() -> None:
    group = random_group(np.random.default_rng(1), topics=4, members=9, size=90)
    plan = equilag.assign(group, "range").to_dict()
    plan["assignment"]["m00"] = {f"x{n}": [] for n in range(3 * MAX_FINDINGS)}
    findings = equilag.verify(group, plan)
    assert len(findings) == MAX_FINDINGS + 1
    assert findings[-1].startswith("and ")


@pytest.mark.parametrize("field", ["allowed", "co_partitioned"])
def test_a_move_that_nothing_avoids_is_no_voluntary_one(field: str) -> None:
    given: Any = {"allowed": {"t00": {"0": ["m01"]}}, "co_partitioned": [["t00", "t01"]]}
    snapshot = snapshot_of([1, 1], [[0, 1], [0, 1]], [0, 1], [3, 5]) | {field: given[field]}
    group = load_snapshot(snapshot)
    plan = equilag.solve(group, "sticky-yet-fair", effort=0.05)
    assert len(plan.moves) == 1
    assert equilag.verify(group, plan) == []
    with pytest.raises(InputError, match="fewer than the 1 move"):
        equilag.solve(group, "sticky-yet-fair", effort=0.05, max_moves=0)
