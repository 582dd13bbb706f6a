"""The page of a plan, from plan to text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.text.tables.pages import text_for
from equilag.report.wording.reason_words import reason_words
from support.orders_service import orders_group

from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.report.terminal import Screen


def plan_of(fields: dict[str, Any] | None = None, **changes: Any) -> Plan:
    """A plan with the assignment of range and everything else as a test wants it."""
    plan = assign(orders_group(**(fields or {})), "range")
    settings = {"claims": (), "policy": Policy(tolerance=0.0), "algorithm": "sweeps"}
    return replace(plan, **{**settings, **changes})


def text_of(plan: Plan, *, verbose: bool = False, **screen: Any) -> str:
    return text_for(plan_facts(plan, verbose=verbose), Screen(**{"width": 300, **screen}))


def test_many_members_are_cut_to_the_heaviest_and_the_lightest() -> None:
    members = [{"id": f"m{i:03}", "subscription": ["orders"]} for i in range(60)]
    fields = {"topics": {"orders": 60}, "lags": {"orders": list(range(60))}, "members": members}
    text = text_of(plan_of(fields))
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("  m0")]
    assert shown == [f"m{i:03}" for i in (*range(59, 49, -1), *range(4, -1, -1))]
    assert "Members, the 10 heaviest and the 5 lightest of 60\n" in text
    assert text.count("\n  …\n") == 1
    assert "\n  45 members are left out (--json lists all)\n" in text


def test_the_heaviest_before_and_after_are_both_shown() -> None:
    members = [
        {"id": f"m{i}", "subscription": ["orders"], "owned": {"orders": [(i + 30) % 60]}}
        for i in range(60)
    ]
    fields = {"topics": {"orders": 60}, "lags": {"orders": list(range(60))}, "members": members}
    plan = plan_of(fields)
    before = replace(plan, assigned=np.roll(plan.assigned, 5))
    text = text_of(before).partition("Members")[2].partition("\n\n")[0]
    assert text.startswith(", the 10 heaviest before and after and the 5 lightest of 60\n")
    sections = [part.splitlines() for part in text.split("\n  …\n")]
    assert [len(lines) for lines in sections] == [12, 10, 6]
    assert sections[0][2].split()[0] == "m29"  # owns partition 59
    largest = max(plan_facts(before).members, key=lambda member: member.load)
    assert sections[1][0].split()[0] == largest.id
    assert "35 members are left out" in text


def test_moves_have_a_reason_where_the_screen_is_wide_enough() -> None:
    plan = plan_of()
    (first, *_) = plan_facts(plan).moves.moves
    row = f"{first.topic} {first.partition} {first.source} → {first.target} {first.lag:,}"
    reason = reason_words(first)
    for width, rest in ((100, f" {reason}"), (50, "")):
        rows = [" ".join(line.split()) for line in text_of(plan, width=width).splitlines()]
        assert f"{row}{rest}" in rows


def test_many_moves_are_grouped_by_member() -> None:
    members = [
        {"id": "a", "subscription": ["orders"], "owned": {"orders": list(range(30, 60))}},
        {"id": "b", "subscription": ["orders"], "owned": {"orders": list(range(30))}},
    ]
    text = text_of(plan_of({"topics": {"orders": 60}, "lags": {}, "members": members}))
    title, *rows = text.partition("Moves ")[2].partition("\n\nPlan")[0].splitlines()
    assert title.startswith("(60 of 60 owned partitions, ")
    assert title.endswith(", the 10 with the largest lag and all by member")
    assert len(rows[: rows.index("")]) == 11
    assert [row.split() for row in rows[rows.index("") + 1 :]] == [
        ["from", "to", "moves", "lag"],
        ["a", "→", "b", "30", "0"],
        ["b", "→", "a", "30", "0"],
        ["--json", "lists", "every", "move"],
    ]


def test_moves_between_many_pairs_are_grouped_by_the_member_that_loses_them() -> None:
    members = [
        {
            "id": f"w-{i}",
            "subscription": ["orders"],
            "owned": {"orders": [*range(40 * i, 40 * i + 40)]},
        }
        for i in range(30)
    ]
    fields = {"topics": {"orders": 1200}, "lags": {"orders": [*range(1200)]}, "members": members}
    plan = plan_of(fields)
    spread_out = replace(plan, assigned=np.arange(1200, dtype=np.int32) % 30)
    rows = text_of(spread_out).partition("  from")[2].partition("\n\nPlan")[0].splitlines()[1:]
    rows = rows[rows.index("") + 2 :]
    assert len(rows) == 16
    assert rows[0].split()[:5] == ["w-29", "→", "29", "members", "38"]
    assert rows[-1].startswith("  … and ")
    assert rows[-1].endswith(" moves of 15 more members (--json lists all)")


def test_no_moves() -> None:
    plan = plan_of()
    assert "No moves: every partition stays" in text_of(replace(plan, assigned=plan.group.owner))
    members = [{"id": "a", "subscription": ["orders", "payments"]}]
    assert "No moves: nobody owned a partition; 9 partitions are assigned." in text_of(
        plan_of({"members": members})
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"members": []}, "No members: there is nobody"),
        ({"members": [], "topics": {}, "lags": {}}, "0 partitions"),
        ({"topics": {}, "lags": {}}, "3 idle members"),
        ({"members": [], "topics": {"orders": 5}, "lags": {}}, "unassigned"),
        ({"lags": {}}, "lag spread    0; 0 to 0 per member"),
    ],
)
def test_where_there_is_little_to_say(fields, words) -> None:
    text = text_of(plan_of(fields))
    assert words in text
    assert "nan" not in text
    assert "None" not in text


BOUND = (Claim("spread_at_least", 40, "difference"),)
BY_SOLVER = (Claim("spread_at_least", 1040, "cp-sat", {}, "solver"),)


def test_status_in_words() -> None:
    for status, words in {
        "optimal": "proved to be the best possible",
        "feasible": "the gap below",
        "fallback": "a heuristic's plan",
    }.items():
        text = text_of(plan_of(status=status, claims=BOUND))
        assert f"Plan  {status}: " in text
        assert words in text
    assert "not proved how even" in text_of(plan_of(status="feasible"))
    single = plan_of(policy=None, algorithm="range")
    assert "Plan  range: this assignor's own result, not optimised\n" in text_of(single)


def test_an_optimum_that_rests_on_a_solver_says_so() -> None:
    plan = plan_of(status="optimal", claims=BY_SOLVER)
    text = text_of(replace(plan, spread_lower_bound=plan.lag.spread))
    assert "Plan  optimal (solver): counts are proved;" in text
    assert "gap           0, on the solver's word\n" in text
    assert "solver bound  " in text
    feasible = plan_of(status="feasible", claims=BY_SOLVER, spread_lower_bound=1039)
    assert "Plan  feasible: " in text_of(feasible)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"policy": Policy("fair-yet-sticky")},
            "and the fewest moves has a smaller",
        ),
        (
            {"policy": Policy(max_moves=4)},
            "counts and at most 4 moves has a smaller",
        ),
        ({"policy": None}, "no assignment at all has a smaller"),
        ({"status": "fallback"}, "no assignment at all has a smaller"),
    ],
)
def test_the_bound_says_for_which_plans_it_holds(changes, words) -> None:
    assert words in text_of(plan_of(claims=BOUND, spread_lower_bound=40, **changes))


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (Policy(), "as even as possible\n"),
        (Policy("kip-169"), "as even as possible, topic by topic\n"),
        (Policy(balance="both"), "as even as possible, topic by topic\n"),
        (Policy("sticky-yet-fair"), "as even as possible without a voluntary move\n"),
    ],
)
def test_even_counts_say_in_what_way(policy, words) -> None:
    claims = (Claim("counts", 4, "residual"),)
    assert words in text_of(plan_of(claims=claims, policy=policy))
    assert "as even as" not in text_of(plan_of(policy=policy))


def test_markup_in_a_name_is_a_name() -> None:
    topics = {"[red]orders[/red]": 2, "[/]": 1, ":smile:": 1}
    member = {"id": "[bold]a", "subscription": list(topics), "owned": {}}
    other = {"id": "[link=x]b", "subscription": list(topics), "owned": {t: [0] for t in topics}}
    fields = {"group": "[blink]g", "topics": topics, "lags": {}, "members": [member, other]}
    plan = plan_of(fields)
    for colour in (False, True):
        text = text_of(plan, colour=colour)
        for name in ("[blink]g", "[bold]a", "[link=x]b"):
            assert name in text
        assert any(topic in text for topic in topics)


def test_names_beyond_ascii_keep_to_the_width_of_an_ascii_screen() -> None:
    members = [
        {"id": f"订单服务消费者🚀-{i}", "subscription": ["订单"], "owned": {"订单": [(i + 1) % 4]}}
        for i in range(4)
    ]
    fields = {"group": "注文" * 9, "topics": {"订单": 4}, "members": members, "lags": {}}
    text = text_of(plan_of(fields), width=80, ascii=True, colour=True)
    assert text.isascii()
    lines = [re.sub("\x1b[^m]*m", "", line) for line in text.splitlines()]
    assert max(map(len, lines)) <= 80
    rows = [line.split()[0] for line in lines if line.startswith("  \\u")]
    assert len(set(rows[:4])) == 4
