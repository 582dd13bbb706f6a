"""Plans that equilag 0.1.0 wrote still verify.

`old_plans/GROUP.SETTINGS.plan.json` is a plan for the snapshot of GROUP, in samples/ or beside the
plan. The files are data of a release: they never change, only new ones are added.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

import equilag
from equilag.certificate.checks.claim_checks import SOLVER_KINDS
from equilag.certificate.verify import check_plan

PLANS: Final = Path(__file__).with_name("old_plans")
SAMPLES: Final = Path(__file__).resolve().parents[2] / "samples"
NAMES: Final = sorted(path.name.removesuffix(".plan.json") for path in PLANS.glob("*.plan.json"))

KINDS_OF_0_1: Final = {
    ("counts", "residual"),
    ("fewest_moves", "potentials"),
    ("fewest_moves", "per-topic"),
    ("max_load_at_least", "average"),
    ("max_load_at_least", "heavy"),
    ("max_load_at_least", "pairs"),
    ("min_load_at_most", "average"),
    ("min_load_at_most", "rest"),
    ("min_load_at_most", "pairs"),
    ("spread_at_least", "difference"),
    ("spread_at_least", "search"),
    ("spread_at_least", "cp-sat"),
    ("cost_at_least", "sum"),
    ("cost_at_least", "search"),
    ("cost_at_least", "cp-sat"),
}
"""Every kind of claim that a plan of 0.1.0 can make."""


def plan_of(name: str) -> dict[str, Any]:
    plan: dict[str, Any] = json.loads((PLANS / f"{name}.plan.json").read_text("utf-8"))
    return plan


def group_for(name: str) -> equilag.Group:
    snapshot = f"{name.split('.')[0]}.snapshot.json"
    folder = SAMPLES if (SAMPLES / snapshot).exists() else PLANS
    return equilag.load_snapshot(folder / snapshot)


@pytest.mark.parametrize("name", NAMES)
def test_it_verifies_and_every_claim_is_proved_again(name: str) -> None:
    plan = plan_of(name)
    claims = plan["certificate"]["claims"]
    by_solver = [c for c in claims if (c["claim"], c["kind"]) in SOLVER_KINDS]
    report = check_plan(group_for(name), plan)
    assert report.findings == []
    assert len(report.unproved) == len(by_solver)
    assert len(report.proved) == len(claims) - len(by_solver)


@pytest.mark.parametrize("name", NAMES)
def test_it_does_not_verify_with_a_stronger_claim(name: str) -> None:
    group, plan = group_for(name), plan_of(name)
    for claim in plan["certificate"]["claims"]:
        # Nothing refutes a solver's bound, and a bound that a search left open may be true.
        open_search = claim["kind"] == "search" and plan["status"] != "optimal"
        if claim["evidence"] == "solver" or open_search:
            continue
        step = -1 if claim["claim"] == "min_load_at_most" else 1
        if claim["value"] + step < 0:
            continue
        claim["value"] += step
        assert equilag.verify(group, plan)
        claim["value"] -= step


def test_all_kinds_of_claims_are_there() -> None:
    claims = [claim for name in NAMES for claim in plan_of(name)["certificate"]["claims"]]
    assert {(claim["claim"], claim["kind"]) for claim in claims} == KINDS_OF_0_1


def test_all_policies_and_statuses_are_there() -> None:
    plans = [plan_of(name) for name in NAMES]
    assert {plan["status"] for plan in plans} == {"optimal", "feasible", "fallback"}
    named = {plan["policy"]["name"] for plan in plans if plan["policy"]["balance"] != "none"}
    assert named == {"lag-aware", "kip-169", "fair-yet-sticky", "sticky-yet-fair"}
    balances = {plan["policy"]["balance"] for plan in plans}
    assert balances == {"total", "per-topic", "both", "none"}
