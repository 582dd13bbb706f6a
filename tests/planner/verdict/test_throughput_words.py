"""What a plan says of members that fall behind, and of what it spreads."""

from __future__ import annotations

from typing import Any

import pytest
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


BEHIND = "Falls behind: this plan does not keep up, "
TEN = (10, 10)


@pytest.mark.parametrize(
    ("rates", "capacities", "owner", "settings", "start", "more"),
    [
        (
            [25, 1, 1, 1, 1, 1], (10, 20, 20), "001122", {},
            "Overloaded: no assignment keeps up; ",
            ("t-0 alone gets 25 records/s, and the fastest member that may take it reads 20: no"
            " assignment helps it; its records need 2 partitions or more"),
        ),
        ([25] * 7, (1, 2), "", {}, "Overloaded: ", "and 2 more partitions like these"),
        (
            [8, 8, 2, 2], TEN, "0011", {}, "Move 2 of 4 partitions: heaviest member ",
            ("Now 6 records/s short: m0 gets 160 % of what it can read."
            " With the plan the busiest member is at 100 % of its speed."),
        ),
        (
            [6, 6, 6], (10, 10, 1), "012", {"balance": "total"},
            ("Overloaded: no assignment with the same balance of counts keeps up; 18 records/s are"
            " produced, and the members together read 21"),
            "2 records/s short: m0 gets 120 % of what it can read",
        ),
        (
            [6, 6, 6], (10, 10, 1), "012", {"balance": "total"}, "Overloaded: ",
            "More than 3 members would be needed",
        ),
        (
            [9, 9, 1, 1], TEN, "0011", {"lags": [0, 0, 5_100, 0], "tolerance": 0},
            "Move 2 of 4 partitions", "Now 8 records/s short: m0 gets 180 % of what it can read.",
        ),
        (
            [9, 9, 1, 1], TEN, "0110", {"lags": [0, 0, 5_100, 0], "tolerance": 0},
            "Leave it: the heaviest member is 46 % above", "the busiest member is at 100 % of its",
        ),
        (
            [8, 8, 2, 2], TEN, "0011", {"max_moves": 0},
            (f"{BEHIND}6 records/s short: m0 gets 160 % of what it can read; without its limits on"
            " moves, racks and owners another one does"), "",
        ),
    ],
)  # fmt: skip
def test_who_falls_behind_and_what_helps(
    rates: Any, capacities: Any, owner: str, settings: dict[str, Any], start: str, more: str
) -> None:
    text = page(rates, capacities, owner, **settings)
    assert text.startswith(start)
    assert more in text


def test_what_was_taken_for_unknown_is_said() -> None:
    text = page([None, 2, 4], (None, None), "001", [None, 5, 5])
    assert "weight lag and what comes in 5 min; 1 of 3 rates is unknown, and the mean" in text
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
