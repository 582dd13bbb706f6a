"""The page of a plan, from plan to text."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.orders_service import orders_group

from equilag.domain.plan.claim import Claim
from equilag.domain.plan.plan import Choice, Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.assign import assign
from equilag.report.facts.plans.plan import plan_facts
from equilag.report.terminal import Screen
from equilag.report.text.tables.pages import text_for
from equilag.report.wording.reason_words import reason_words

UUID = "e9d00e9f-e0e0-4613-9bc2-97cee50c653a"


def plan_of(fields: dict[str, Any] | None = None, **changes: Any) -> Plan:
    """A plan with the assignment of range and everything else as a test wants it."""
    plan = assign(orders_group(**(fields or {})), "range")
    settings = {"claims": (), "policy": Policy(tolerance=0.0), "algorithm": "sweeps"}
    return replace(plan, **{**settings, **changes})


def text_of(plan: Plan, *, verbose: bool = False, **screen: Any) -> str:
    return text_for(plan_facts(plan, verbose=verbose), Screen(**{"width": 300, **screen}))


def test_the_header() -> None:
    lines = text_of(plan_of()).splitlines()
    assert (
        lines[lines.index("") + 1]
        == "orders-service: 3 members, 2 topics, 9 partitions, total lag 2,286"
    )


def test_doubtful_figures_are_counted() -> None:
    offsets = {"log_start": [5] * 5, "log_end": [9] * 5, "committed": [None, 10, 1, 9, None]}
    text = text_of(plan_of({"lags": {}, "offsets": {"orders": offsets}}))
    assert "2 partitions without a commit" in text
    assert "1 partition committed beyond the end" in text
    assert "1 partition committed below the start" in text
    assert "4 partitions of unknown lag" in text
    text = text_of(plan_of())
    assert "without a commit" not in text
    assert "dropped" not in text


def test_dropped_claims_are_counted() -> None:
    member = {"id": "a", "subscription": ["orders"], "owned": {"gone": [0], "payments": [1, 2]}}
    text = " ".join(text_of(plan_of({"members": [member]})).split())
    gone = "gone-0 of a (no such topic)"
    rest = [f"payments-{number} of a (not subscribed)" for number in (1, 2)]
    assert f"3 claims dropped: {', '.join([gone, *rest])}" in text


def test_topics_that_nobody_reads_are_named() -> None:
    topics = {"orders": 5, "payments": 4, "audit": 2, "log": 1, "empty": 0}
    text = text_of(plan_of({"topics": topics}))
    assert "no member subscribes: audit (2 partitions), log (1 partition)\n" in text
    many = {"orders": 5, "payments": 4} | {f"t{i:02}": 1 for i in range(13)}
    assert "and 3 more" in text_of(plan_of({"topics": many}))


def test_a_row_per_member() -> None:
    lines = text_of(plan_of()).splitlines()
    at = lines.index("Members")
    assert lines[at + 1].split() == ["member", "partitions", "lag", "before", "lag", "after"]
    rows = [line.split() for line in lines[at + 2 : at + 5]]
    assert [[*row[:5], row[6]] for row in rows] == [
        ["a", "3", "→", "4", "1,005", "1,069"],
        ["b", "2", "→", "3", "405", "1,203"],
        ["c", "4", "→", "2", "876", "14"],
    ]
    assert all(row[i].strip("█▏▎▍▌▋▊▉") == "" for row in rows for i in (5, 7))
    assert [row[7] for row in rows[1:]] == ["█" * 20, "▏"]


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


def test_idle_members_are_named_apart() -> None:
    members = [
        {"id": "busy", "subscription": ["orders"]},
        {"id": "idle", "subscription": ["not-yet"]},
    ]
    text = text_of(plan_of({"members": members}))
    assert "\n  1 idle member (no partition in its subscription): idle\n" in text


def test_members_without_a_partition_are_counted() -> None:
    members = [{"id": f"w-{i}", "subscription": ["orders"]} for i in range(12)]
    fields = {"members": members, "topics": {"orders": 2}, "lags": {}}
    assert "\n  10 members get no partition: w-" in text_of(plan_of(fields))
    fields["members"] = members[:3]
    assert "\n  1 member gets no partition: w-" in text_of(plan_of(fields))


def test_members_come_in_their_natural_order() -> None:
    members = [{"id": f"w-{i}", "subscription": ["orders"]} for i in range(12)]
    text = text_of(plan_of({"members": members, "topics": {"orders": 12}, "lags": {}}))
    shown = [line.split()[0] for line in text.splitlines() if line.startswith("  w-")]
    assert shown == [f"w-{i}" for i in range(12)]


def test_moves_come_heaviest_first() -> None:
    plan = plan_of()
    text = text_of(plan)
    lags = [
        int(line.split()[5].replace(",", ""))
        for line in text.partition("Moves")[2].partition("\n\n")[0].splitlines()[2:]
    ]
    assert lags == sorted((move.lag for move in plan.moves), reverse=True)
    assert f"Moves ({len(plan.moves)} of 9 owned partitions" in text


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


def test_an_interrupted_plan_says_when() -> None:
    plan = plan_of(status="feasible", claims=BOUND, wall_s=1.234, interrupted=True)
    assert "Plan  feasible, interrupted after 1.23 s: a valid plan" in text_of(plan)
    fallback = text_of(replace(plan, status="fallback"))
    assert "Plan  fallback, interrupted after 1.23 s: only a heuristic's plan" in fallback


def test_how_a_plan_was_found_is_for_those_who_ask() -> None:
    plan = plan_of(wall_s=0.25, time_limit=2.0)
    assert "found by      sweeps in 0.25 s of 2 s\n" in text_of(plan, verbose=True)
    assert "sweeps" not in text_of(plan)


def test_bound_and_gap() -> None:
    plan = plan_of(claims=BOUND, spread_lower_bound=40)
    gap, percent = plan.lag.gap, plan.lag.gap_percent_of_mean
    text = text_of(plan)
    assert (
        "proved bound  40: no plan with the same balance of counts has a smaller lag spread" in text
    )
    assert f"gap           {gap:,} ({percent:.0f} % of the mean)" in text
    exact = replace(plan, spread_lower_bound=plan.lag.spread)
    assert "gap           0: no smaller lag spread is possible" in text_of(exact)
    assert "proved bound" not in text_of(plan_of())


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


def test_what_rests_on_a_solver_is_named() -> None:
    assert "not checkable spread_at_least 1,040 (cp-sat): " in text_of(plan_of(claims=BY_SOLVER))
    assert "not checkable" not in text_of(plan_of(claims=BOUND))


def test_fewest_moves() -> None:
    claims = (Claim("fewest_moves", 1, "potentials"),)
    plan = plan_of(claims=claims, moves_lower_bound=1)
    count = len(plan.moves)
    assert f"moves         {count}; even counts alone need 1" in text_of(plan)
    least = replace(plan, moves_lower_bound=count)
    assert f"moves         {count}; the balance of counts allows no fewer" in text_of(least)
    assert f"moves         {count}\n" in text_of(plan_of())


def test_settings_are_told() -> None:
    policy = Policy("kip-169", "both", 7, 2.5, 3)
    text = text_of(plan_of(policy=policy))
    assert (
        "policy        kip-169, balance both, a move must save 7, tolerance 2.50 % of the mean,"
        " at most 3 moves\n" in text
    )
    assert "policy        lag-aware\n" in text_of(plan_of(policy=Policy()))
    exact = text_of(plan_of(policy=Policy(tolerance=0.0)))
    assert "policy        lag-aware, tolerance 0 % of the mean\n" in exact


def test_rebalances() -> None:
    plan = plan_of()
    text = text_of(plan)
    assert f"2 under a cooperative protocol; {len(plan.moves)} partitions pause in" in text
    still = replace(plan, assigned=plan.group.owner)
    assert "rebalances    none: every partition stays where it is" in text_of(still)


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


def test_the_spread_before_is_that_of_what_is_owned() -> None:
    assert "; was 600\n" in text_of(plan_of())  # 1,005, 405 and 876
    members = [{"id": "a", "subscription": ["orders"], "owned": {"orders": [1, 2]}}]
    assert "; was 0 among the owned partitions\n" in text_of(plan_of({"members": members}))


def test_notes_are_shown() -> None:
    assert "note          sweeps failed (x\\ny)" in text_of(
        plan_of(notes=("sweeps failed (x\ny)",))
    )


def test_choices() -> None:
    plan = plan_of()
    here = Choice("most even", len(plan.moves), plan.lag.spread, 1000.0)
    rows = (Choice("fewest moves", 1, plan.lag.spread + 300, 2000.0), here)
    plan = replace(plan, excess_lower_bound=1000)  # more than the current assignment has
    text = text_of(replace(plan, choices=rows))
    block = text.partition("Choices")[2].splitlines()
    assert "saved, from fewest moves to the proved bound)" in block[0]
    assert block[1].split() == ["choice", "moves", "lag", "spread", "gain"]
    row = f"fewest moves 1 {plan.lag.spread + 300:,} 0 % --max-moves 1"
    assert block[2].split() == row.split()
    assert block[3].endswith(" 100 %  this plan")
    sticky = replace(plan, choices=rows, policy=Policy("fair-yet-sticky"))
    assert "--policy lag-aware --max-moves 1" in text_of(sticky)
    assert "Choices" not in text_of(replace(plan, choices=(here,)))


def test_the_gain_is_counted_from_the_current_assignment_where_there_is_one() -> None:
    plan = plan_of()
    rows = (
        Choice("fewest moves", 1, 370, 230.0), Choice("knee", 2, 200, 68.0),
        Choice("most even", 4, 140, 30.0),
    )  # fmt: skip
    lags = {"orders": [340, 0, 0, 0, 0], "payments": [0, 0, 0, 0]}
    even = plan_of({"lags": lags}, choices=rows)
    text = text_of(even)  # a has 340, the others nothing
    assert "from the current assignment to the proved" in text
    assert " 70.0 %" in text
    free = replace(plan, group=replace(plan.group, owner=np.full(9, -1, np.int32)), choices=rows)
    assert "from fewest moves to the proved" in text_of(free)


def test_long_names_keep_their_front() -> None:
    members = [
        {"id": f"indexer-{i}-{UUID}", "subscription": ["orders"]} for i in range(3)
    ] + [{"id": "x" * 70 + str(i), "subscription": ["orders"]} for i in range(2)]  # fmt: skip
    text = text_of(plan_of({"members": members}), width=100)
    assert "\n  indexer-1-e9d0… " in text
    assert UUID not in text
    for last in (0, 1):
        assert f"xxxxx…{'x' * 15}{last}  " in text


def test_names_that_do_not_fit_still_differ() -> None:
    front = "consumer-billing-settlement-reconciliation-worker"
    members = [
        {"id": f"{front}-{i}-{UUID[:-1]}{i}", "subscription": ["orders"], "owned": {"orders": [i]}}
        for i in range(3)
    ]
    lags = {"orders": [10**12 * i for i in range(5)]}
    text = text_of(plan_of({"members": members, "lags": lags}), width=80)
    assert max(map(len, text.splitlines())) <= 80
    at = text.splitlines().index("Members")
    rows = [line.split() for line in text.splitlines()[at + 2 : at + 5]]
    assert len({row[0] for row in rows}) == 3
    assert rows[1][4] == "1.00T"  # a figure is shortened, not cut


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


@pytest.mark.parametrize("width", [60, 80, 120])
def test_text_keeps_to_the_width(width) -> None:
    fields = {"topics": {f"topic-number-{i}": 3 for i in range(20)} | {"orders": 5, "payments": 4}}
    text = text_of(plan_of(fields, claims=BOUND, notes=("words " * 40,)), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_ascii_only() -> None:
    plan = plan_of(choices=(Choice("fewest moves", 0, 9), Choice("most even", 1, 8)))
    assert text_of(plan, ascii=True).isascii()
    assert not text_of(plan).isascii()


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


def test_colours() -> None:
    plan = plan_of(status="optimal")
    assert "\x1b[32moptimal" in text_of(plan, colour=True)
    assert "\x1b" not in text_of(plan)
