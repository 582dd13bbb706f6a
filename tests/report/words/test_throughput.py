"""What a plan says of members that fall behind, and of what it spreads."""

from __future__ import annotations

from typing import Any

from support.reports import words_of

import equilag
from equilag import Group
from equilag.domain.group.member import Member
from equilag.report.reports.plan import PlanReport


def page(
    rates: list[float | None],
    capacities: tuple[float | None, ...],
    owner: str = "",
    lags: list[int | None] | None = None,
    **settings: Any,
) -> str:
    """The page of a plan for one topic; `owner` names the member of each partition by its digit."""
    members = [Member(f"m{n}", capacity=capacity) for n, capacity in enumerate(capacities)]
    owned = {f"m{n}": {"t": [p for p, m in enumerate(owner) if m == n]} for n in "0123"}
    group = Group.build(
        name="g",
        topics={"t": len(rates)},
        members=members,
        subscriptions={member.id: ["t"] for member in members},
        rates={"t": rates},
        owned={member.id: owned[member.id] for member in members},
        **({} if lags is None else {"lags": {"t": lags}}),
    )
    return words_of(PlanReport(equilag.solve(group, effort=0.05, **settings)), 100)


def test_a_partition_that_no_assignment_helps_is_named() -> None:
    text = page([25, 1, 1, 1, 1, 1], (10, 20, 20), "001122")
    assert text.startswith("Overloaded: no assignment keeps up; "), text
    assert (
        "t-0 alone gets 25 records/s, and the fastest member that may take it reads 20: no"
        " assignment helps it; its records need 2 partitions or more" in text
    )


def test_only_some_hot_partitions_are_named() -> None:
    assert "and 2 more partitions like these" in page([25.0] * 7, (1, 2))


def test_a_plan_that_mends_what_falls_behind_says_so() -> None:
    text = page([8, 8, 2, 2], (10, 10), "0011")
    assert text.startswith("Move 2 of 4 partitions: heaviest member "), text
    assert (
        "Now 6 records/s short: m0 gets 160 % of what it can read."
        " With the plan the busiest member is at 100 % of its speed." in text
    )


def test_a_plan_that_does_not_keep_up_names_the_busiest() -> None:
    text = page([6, 6, 6], (10, 10, 1), "012", balance="total")
    assert text.startswith(
        "Overloaded: no assignment with the same balance of counts keeps up; 18 records/s are"
        " produced, and the members together read 21"
    ), text
    assert "More than 3 members would be needed" in text
    assert "2 records/s short: m0 gets 120 % of what it can read" in text, text


def test_a_plan_that_evens_out_the_lag_may_not_keep_up_while_another_one_does() -> None:
    text = page([9, 9, 1, 1], (10, 10), "0011", lags=[0, 0, 5_100, 0], tolerance=0)
    assert text.startswith(
        "Falls behind: this plan does not keep up, 8 records/s short: m0 gets 180 % of what it can"
        " read; another one does: equilag plan with --weight rate"
    ), text


def test_a_group_that_keeps_up_is_not_moved_into_falling_behind() -> None:
    text = page([9, 9, 1, 1], (10, 10), "0110", lags=[0, 0, 5_100, 0], tolerance=0)
    assert text.startswith(
        "Leave it: the current assignment keeps up, the busiest member is at 100 % of its speed,"
        " which leaves nothing for the lag"
    ), text
    assert "Falls behind: this plan does not keep up, 8 records/s short" in text


def test_a_limit_on_moves_may_be_why_a_plan_does_not_keep_up() -> None:
    text = page([8, 8, 2, 2], (10, 10), "0011", max_moves=0)
    assert text.startswith(
        "Falls behind: this plan does not keep up, 6 records/s short: m0 gets 160 % of what it can"
        " read; without its limits on moves, racks and owners another one does"
    ), text


def test_what_was_taken_for_unknown_is_said() -> None:
    text = page([None, 2, 4], (None, None), "001", [None, 5, 5])
    assert "weight work: lag + 5 min of the rate; 1 of 3 rates is unknown, and the mean" in text
    assert "1 of 3 lags is unknown and counts as 0" in text
    assert "no member's capacity is known, and all are taken to be equally fast" in text
    assert "Members (load: records of the lag and of 5 min to come)" in text
    none = page([None, None], (1, 2), "01", weight="work")
    assert "no rate is known, so it is the lag" in none


def test_loads_have_their_unit() -> None:
    assert "(load: seconds to read the lag and what comes in 1 min)" in page(
        [1, 2], (5, 5), "01", horizon=60
    )
    assert "(load: rate / capacity)" in page([1, 2], (5, 5), "01", weight="rate")
    assert "(load: records/s)" in page([1, 2], (None, None), "01", weight="rate")
    assert "20 % → 20 %" in page([1, 2], (5, 10), "01")
