"""What bounds a plan, and what looser settings would bring, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from support.groups import group_of
from support.paths import SAMPLES
from support.reports import sections, text_of

import equilag
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.diagnosis.served_moves import served_facts
from equilag.planner.explain import Explanation, explanation_of
from equilag.planner.explaining.bound_causes import BoundCause
from equilag.planner.solving.run_settings import budget_of
from equilag.report.report_blocks import Table
from equilag.report.reports.explanation import ExplanationReport
from equilag.report.words.bounds import LoadWords, cause_words, looser_words, state_words

WORDS = LoadWords("records", 100.0, "records")


def cause(kind: Any, side: Any = "heaviest", scope: Any = "subscriptions", **more: Any) -> str:
    return cause_words(BoundCause(kind, side, 150.0, scope, "checked", "claim", **more), WORDS)


def text(found: Explanation, width: int = 100) -> str:
    return text_of(ExplanationReport(found), width)


def by_hand(group: equilag.Group, *members: int, **settings: Any) -> Plan:
    policy = Policy(**settings)
    return Plan(group, policy, "feasible", "by hand", np.array(members, np.int32))


def test_what_a_partition_bounds() -> None:
    named: dict[str, Any] = {"partitions": (("t", 7),), "n_partitions": 1}
    assert cause("partition", alone=150.0, **named) == (
        "t-7 alone is 1.5 × a fair share (150 of 100 records): no assignment makes its member"
        " lighter than that."
    )
    assert cause("partition", scope="counts", alone=120.0, **named) == (
        "t-7 alone is 1.2 × a fair share (120 of 100 records), and even counts give its member"
        " others beside it: the heaviest member has at least 150 records, 1.5 × a fair share,"
        " with even counts."
    )
    assert "its member has to have others" in cause("partition", scope="room", alone=12.0, **named)
    assert cause("partition", "lightest", **named) == (
        "t-7 takes so much that too little is left for the others: the lightest member has at most"
        " 150 records, whatever the assignment."
    )


def test_what_several_partitions_and_members_bound() -> None:
    several: dict[str, Any] = {
        "partitions": tuple(("t", n) for n in range(6)), "n_partitions": 6, "topics": ("t", "u"),
        "weight": 900, "members": ("a", "b"),
    }  # fmt: skip
    assert cause("partitions", **several).startswith(
        "t-0, t-1, t-2 and 3 more cannot be shared out more evenly: the heaviest member"
    )
    assert "take so much" in cause("partitions", "lightest", **several)
    assert cause("members", **several) == (
        "Only a and b read t and u (6 partitions, 900 records): the heaviest of them has at least"
        " 150 records, 1.5 × a fair share, whatever the assignment."
    )
    assert "may read only t and u" in cause("members", "lightest", "restrictions", **several)
    alone = cause("members", "lightest", **{**several, "members": ("a",)})
    assert alone.startswith("a reads only t and u (6 partitions, 900 records): it has at most")
    kept = cause("members", scope="owners", members=("a",))
    assert kept.startswith(
        "The heaviest member has at least 150 records, 1.5 × a fair share, while"
    )
    assert cause("pairs").startswith("Members hold two partitions at most, and these do not pair")
    assert "With at most 1 move, no plan" in cause("moves", "spread", max_moves=1)
    assert "With at most so few moves" in cause("moves", "spread")
    assert "do not add up more evenly" in cause("sums", "spread", "counts")


def test_looser_settings_are_options_as_they_are_typed() -> None:
    assert looser_words("tolerance", {"tolerance": 0.0}) == "--tolerance 0"
    assert looser_words("fewest-moves", {"policy": "lag-aware"}) == "--policy lag-aware"


def test_a_page_says_what_bounds_what_is_looser_and_what_moves_serve() -> None:
    group = equilag.load_snapshot(SAMPLES / "stats.snapshot.json")
    found = equilag.explain(group, effort=0.2)
    page = text(found)
    who = "stats-0-7956…, stats-1-adb2… and stats-2-4116…"
    assert f"What bounds the plan\n  Only {who} read" in page
    assert "Why it is uneven now\n  stats-1-adb2… is the heaviest member: 422,953 records" in page
    assert "all topics for all members" in page
    assert "relieve stats-1-adb2…         422,953 → " in page
    assert "even counts of stats-0-7956…" in page
    assert max(map(len, page.splitlines())) <= 100
    assert max(map(len, text(found, 80).splitlines())) <= 80
    document = ExplanationReport(found).document()
    assert document["why"][0].startswith("Only stats-0-7956cae2-")
    assert "interrupted" not in document


def test_a_small_or_idle_group_has_words_too() -> None:
    nothing = equilag.explain(group_of([2], [[0]] * 2, owners=[0, 1]), effort=0.01)
    page = text(nothing)
    assert "There is no lag: all members have 0" in page
    assert "No moves: every partition stays where it is." in page
    few = group_of([5], [[0]] * 2, owners=[0, 0, 0, 1, 1], lags=[1, 0, 0, 2, 0])
    assert "has at least 2 records" in text(equilag.explain(few, effort=0.01))
    idle = equilag.explain(group_of([2], [[]]), effort=0.01)
    assert "No member reads a partition." in text(idle)
    group = group_of([3], [[0]] * 2, owners=[0, 0, 1], lags=[5, 5, 5])
    by_assignor = explanation_of(group, equilag.assign(group, "round-robin"), budget_of(group, 1.0))
    assert "nothing is proved about it" in text(by_assignor)


def test_what_a_plan_leaves_is_said_with_its_setting() -> None:
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=[60, 50, 55, 40, 50, 45])
    costly = equilag.explain(group, effort=0.2, move_cost=30, tolerance=0.0)
    assert "each further move would save less than the 30 of --move-cost" in text(costly)
    quick = equilag.explain(group, equilag.solve(group, time_limit=0), effort=0.05)
    assert "the time limit allowed no search" in text(quick)
    plan = by_hand(group, *group.owner.tolist())
    page = text(explanation_of(group, plan, budget_of(group, 1)))
    assert "a longer --time-limit may find" in page
    loose = equilag.explain(group, effort=0.05, tolerance=60.0)
    assert "--tolerance 60 accepts up to 60 records more" in ExplanationReport(loose).why[-1]


def test_moves_are_grouped_under_whom_they_serve() -> None:
    lags = [90, 10, 1, 30, 5, 5]
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 2, 2], lags=lags)
    plan = by_hand(group, 1, 0, 0, 2, 1, 2)
    relief, room = served_facts(plan)
    assert (relief.kind, relief.member, relief.reason.before, relief.reason.after) == (
        "relief", "m00", 100, 11,
    )  # fmt: skip
    assert [move.lag for move in relief.moves] == [90, 1]
    assert (room.kind, room.member) == ("makes-room", "m01")
    (table,) = sections(ExplanationReport(explanation_of(group, plan, budget_of(group, 0))))[
        "Moves"
    ]
    assert isinstance(table, Table)
    assert table.rows == (
        ("relieve m00", (100, 11), (2, 2), 2, "t00-0 (90)"),
        ("m01 makes room for what it takes", (31, 95), (2, 2), 2, "t00-3 (30)"),
    )


def test_moves_that_serve_no_one_member() -> None:
    snapshot: dict[str, Any] = {
        "format": "equilag/snapshot/1", "group": "g", "topics": {"a": 2, "b": 2},
        "members": [
            {"id": "x", "subscription": ["a", "b"], "owned": {"a": [0, 1], "b": [0, 1]}},
            {"id": "y", "subscription": ["a", "b"]},
        ],
        "co_partitioned": [["a", "b"]], "lags": {"a": [5, 5], "b": [3, 3]},
    }  # fmt: skip
    extended = equilag.load_snapshot(snapshot)
    (served,) = served_facts(equilag.solve(extended, effort=0.01))
    assert (served.kind, len(served.moves)) == ("relief", 2)  # one unit of two
    settings: Any = {"pin": ["a-0=y"], "co_partition": "none", "balance": "none"}
    pinned = equilag.explain(extended, effort=0.01, **settings)
    assert "owners that may not keep them - - 1 a-0 (5)" in " ".join(text(pinned).split())


def test_a_solvers_word_is_no_proof() -> None:
    for kind in ("sums", "moves"):
        found = BoundCause(kind, "spread", 150.0, "counts", "solver", "claim", max_moves=3)
        assert "by the solver's word no plan has" in cause_words(found, WORDS)
        assert "solver" not in cause(kind, "spread", "counts")
    group = group_of([4], [[0]] * 2, [0, 0, 1, 1], [5, 4, 3, 2])
    plan = equilag.solve(group, effort=0.05, time_limit=20.0)
    bound = plan.loads.spread_lower_bound
    words = LoadWords("records", 7.0, "records")
    assert "it is proved that no plan" in state_words(plan, True, words)[-1]
    claimed = replace(plan, claims=(Claim("spread_at_least", bound + 1, "search", {}, "solver"),))
    last = state_words(claimed, True, words)[-1]
    assert last.endswith(": by the solver's word no plan of these settings has less.")
