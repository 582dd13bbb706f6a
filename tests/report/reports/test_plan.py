"""The report on a plan: the members and moves that it shows, and what it says of the plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.orders_service import orders_group
from support.reports import sections, text_of, words_of

from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.report.report_blocks import Bars, Flows, Table
from equilag.report.reports.plan import PlanReport


def plan_of(fields: dict[str, Any] | None = None, **changes: Any) -> Plan:
    """A plan with the assignment of range and everything else as a test wants it."""
    plan = assign(orders_group(**(fields or {})), "range")
    settings = {"claims": (), "policy": Policy(tolerance=0.0), "algorithm": "sweeps"}
    return replace(plan, **{**settings, **changes})


def rows(plan: Plan) -> dict[str, str]:
    return {row.label: row.words for row in PlanReport(plan).proof.rows}


def test_many_members_begin_with_the_heaviest() -> None:
    members = [{"id": f"m{i:03}", "subscription": ["orders"]} for i in range(60)]
    fields = {"topics": {"orders": 60}, "lags": {"orders": list(range(60))}, "members": members}
    report = PlanReport(plan_of(fields))
    (bars, *_) = sections(report)["Members"]
    assert isinstance(bars, Bars)
    assert [row[0] for row in bars.table.rows] == [f"m{i:03}" for i in range(59, -1, -1)]
    lines = text_of(report).splitlines()
    assert sum(line.startswith("  m0") for line in lines) == bars.table.few
    assert f"  … and {60 - bars.table.few} more rows (--json lists all)" in lines


def test_few_moves_are_listed_and_of_many_the_largest_and_who_gives_to_whom() -> None:
    few = sections(PlanReport(plan_of()))["Moves"]
    assert [type(block) for block in few] == [Table]
    members = [
        {"id": "a", "subscription": ["orders"], "owned": {"orders": list(range(30, 60))}},
        {"id": "b", "subscription": ["orders"], "owned": {"orders": list(range(30))}},
    ]
    many = PlanReport(plan_of({"topics": {"orders": 60}, "lags": {}, "members": members}))
    table, flows = sections(many)["Moves"]
    assert isinstance(table, Table)
    assert (len(table.rows), table.few) == (60, 10)
    assert isinstance(flows, Flows)
    assert [tuple(flow) for flow in flows.rows] == [("a", "b", 30, 0), ("b", "a", 30, 0)]
    assert "Moves (60 of 60 owned partitions, " in words_of(many)


def test_no_moves() -> None:
    plan = plan_of()
    stays = PlanReport(replace(plan, assigned=plan.group.owner))
    assert "No moves: every partition stays where it is." in words_of(stays)
    members = [{"id": "a", "subscription": ["orders", "payments"]}]
    fresh = PlanReport(plan_of({"members": members}))
    assert "No moves: nobody owned a partition; 9 partitions are assigned." in words_of(fresh)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"members": []}, "No members: there is nobody"),
        ({"members": [], "topics": {}, "lags": {}}, "0 partitions"),
        ({"topics": {}, "lags": {}}, "3 idle members"),
        ({"members": [], "topics": {"orders": 5}, "lags": {}}, "unassigned"),
        ({"lags": {}}, "lag spread 0; 0 per member"),
    ],
)
def test_where_there_is_little_to_say(fields: dict[str, Any], words: str) -> None:
    text = words_of(PlanReport(plan_of(fields)))
    assert words in text
    assert "nan" not in text
    assert "None" not in text


BOUND = (Claim("spread_at_least", 40, "difference"),)
BY_SOLVER = (Claim("spread_at_least", 1040, "cp-sat", {}, "solver"),)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "optimal", "claims": BOUND}, "optimal: counts and lag spread are proved"),
        ({"status": "feasible", "claims": BOUND}, "feasible: a valid plan; the gap below"),
        ({"status": "fallback", "claims": BOUND}, "fallback: the time limit allowed only a"),
        ({"status": "feasible"}, "feasible: a valid plan; it is not proved how even it could be"),
        ({"policy": None, "algorithm": "range"}, "range: this assignor's own result, not optim"),
        ({"status": "optimal", "claims": BY_SOLVER}, "optimal (solver): counts are proved;"),
        ({"status": "feasible", "claims": BY_SOLVER}, "feasible: "),
    ],
)
def test_status_in_words(changes: dict[str, Any], words: str) -> None:
    assert f"Plan {words}" in words_of(PlanReport(plan_of(**changes)))


def test_a_bound_by_a_solver_says_so() -> None:
    plan = plan_of(status="optimal", claims=BY_SOLVER)
    found = rows(replace(plan, spread_lower_bound=plan.lag.spread))
    assert found["gap"] == "0, on the solver's word"
    assert "solver bound" in found


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"policy": Policy("fair-yet-sticky")}, "and the fewest moves has a smaller"),
        ({"policy": Policy(max_moves=4)}, "counts and at most 4 moves has a smaller"),
        ({"policy": None}, "no assignment at all has a smaller"),
        ({"status": "fallback"}, "no assignment at all has a smaller"),
    ],
)
def test_the_bound_says_for_which_plans_it_holds(changes: dict[str, Any], words: str) -> None:
    found = rows(plan_of(claims=BOUND, spread_lower_bound=40, **changes))
    assert words in found["proved bound"]


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Policy(), "as even as possible"),
        (Policy("kip-169"), "as even as possible, topic by topic"),
        (Policy(balance="both"), "as even as possible, topic by topic"),
        (Policy("sticky-yet-fair"), "as even as possible without a voluntary move"),
    ],
)
def test_even_counts_say_in_what_way(policy: Policy, words: str) -> None:
    claims = (Claim("counts", 4, "residual"),)
    assert rows(plan_of(claims=claims, policy=policy))["counts"].endswith(words)
    assert "as even as" not in rows(plan_of(policy=policy))["counts"]
