"""The verdict on a plan: what to do, in one line."""

from __future__ import annotations

from typing import Any

import pytest

import equilag
from equilag import Group
from equilag.domain.group.member import Member
from equilag.domain.plan.verdict import VerdictFacts


def verdict(
    lags: list[int],
    owner: str,
    members: int = 2,
    topic: dict[str, Any] | None = None,
    **settings: Any,
) -> VerdictFacts:
    """The verdict on a plan for one topic; `owner` names each partition's member by its digit."""
    ids = [f"m{n}" for n in range(members)]
    group = Group.build(
        name="g",
        topics={"t": len(lags)},
        **{
            "members": [Member(name) for name in ids],
            "subscriptions": {name: ["t"] for name in ids},
            **(topic or {}),
        },
        lags={"t": lags},
        owned={name: {"t": [p for p, m in enumerate(owner) if m == name[1]]} for name in ids},
    )
    found = equilag.solve(group, **{"effort": 0.05, **settings}).verdict
    assert found is not None
    return found


CAUGHT_UP = "Leave it: the group has caught up, and its counts are even"
NO_GROUP = {"subscriptions": {"m0": [], "m1": []}}
RELIEVED = (
    "Move 2 of 4 partitions: heaviest member 8,000 → 7,000 records (33 % → 17 % above the mean)"
)


@pytest.mark.parametrize(
    ("lags", "owner", "settings", "action", "headline"),
    [
        ([6_000, 2_000, 3_000, 1_000], "0011", {}, "move", RELIEVED),
        ([50, 50, 50, 50], "", {}, "assign", "Assign 4 partitions: 100 records per member"),
        (
            [100, 100, 104, 98], "0110", {}, "leave",
            ("Leave it: the heaviest member is 1.5 % above the mean;"
            " no assignment relieves a member by 10 % of a fair share"),
        ),
        (
            [1, 1, 1, 1, 900, 1], "001122", {"members": 3}, "leave",
            "Leave it: t-4 alone is 3 × a fair share; no assignment helps",
        ),
        (
            [1, 1, 1, 1, 9_000, 1], "001122", {"members": 3}, "look",
            "Look first: t-4, which m2 reads, has 99.9 % of the lag, 9,000 of 9,005 records",
        ),
        (
            [600, 200, 300, 100], "0011", {}, "leave",
            ("Leave it: the heaviest member is 33 % above the mean; no assignment relieves a member"
            " by 10 % of a fair share and 1,000 records"),
        ),
        (
            [90_000] * 6, "001122", {"members": 3}, "look",
            "Look first: 540,000 records wait, 90,000 per partition, at all 3 members",
        ),
        ([12, 0, 1, 0, 2, 9], "001122", {"members": 3}, "leave", CAUGHT_UP),
        ([0, 0, 1, 0], "0011", {}, "leave", CAUGHT_UP),
        (
            [0] * 6, "000001", {}, "leave",
            "Leave it: the group has caught up; its members have 1 to 5 partitions",
        ),
        (
            [4, 4], "", {"members": 0}, "start-members",
            "Nobody reads it: the group has no members, and 8 records wait",
        ),
        (
            [0, 0], "", {"members": 0}, "leave",
            "Leave it: the group has no members, and no record waits",
        ),
        ([], "", {}, "leave", "Leave it: there is no partition to read"),
        (
            [4, 4], "", {"topic": NO_GROUP}, "start-members",
            "Nobody reads it: no member subscribes to its topics, and 8 records wait",
        ),
        (
            [5_000] * 6, "000000", {"policy": "sticky-yet-fair"}, "leave",
            ("Leave it: the heaviest member is 100 % above the mean; this plan relieves no member"
            " by 10 % of a fair share under these settings; equilag explain says why"),
        ),
        (
            [1_000_000, 1_000_000, *[0] * 8], "0011223344", {"members": 5}, "look",
            ("Look first: m0 may be slow or stuck: both of its partitions lag at least 1,000,000"
            " records each, the 8 partitions of other members at most 0"),
        ),
    ],
)  # fmt: skip
def test_what_to_do_and_its_headline(
    lags: list[int], owner: str, settings: dict[str, Any], action: str, headline: str
) -> None:
    found = verdict(lags, owner, **settings)
    assert found.action == action
    assert found.worth_it == (action != "leave")
    assert found.headline == headline
    if "t-4 alone" in headline:
        assert [(one.topic, one.partition) for one in found.hot] == [("t", 4)]
    if settings.get("members") == 0:
        assert found.heaviest is None


def test_many_hot_partitions_are_counted() -> None:
    found = verdict([900] * 5 + [1] * 7, "012345678956", 10)
    assert len(found.hot) == 5
    assert found.details[-1] == "1 more partition is above a fair share as well."
    assert len(found.details) == 4


def test_a_plan_that_may_not_move_enough() -> None:
    found = verdict([6_000, 2_000, 3_000, 1_000, 3_000, 3_000], "000111", max_moves=0)
    assert not found.worth_it
    assert "; no assignment" not in found.headline
    assert "relieves no member by 10 % of a fair share" in found.headline


def test_without_time_a_plan_that_does_not_help_decides_nothing() -> None:
    lags = [900 + 7 * n for n in range(40)]
    owner = "0123456789" * 4
    found = verdict(lags, owner, 10, time_limit=0)
    assert found.action in ("undecided", "leave")
    uneven = verdict([9_000, 9_000, 10, 10] * 2 + [10] * 8, "0000222211113333", 4, time_limit=0)
    assert (uneven.action, uneven.worth_it) == ("undecided", True)
    assert uneven.headline.startswith("Undecided: the heaviest member is ")


def test_a_rule_that_the_current_assignment_breaks() -> None:
    allowed = {"t": {"0": ["m1"]}}
    found = verdict([10, 10, 10, 10], "0101", topic={"allowed": allowed})
    assert (found.action, found.worth_it) == ("move", True)
    assert "1 rule is broken by the current assignment." in found.details


def test_a_member_that_may_be_stuck_is_named() -> None:
    lags = [24_000, 31_000, 58_000, 44_000, *([100, 300, 250] * 4)]
    found = verdict(lags, "0000111122223333", 4)
    assert [one.member for one in found.suspects] == ["m0"]
    assert found.headline.startswith("Look first: m0 may be slow or stuck: all 4 of its partitions")
    assert found.details[-1].startswith("Only after that, if still needed: Move ")
    assert verdict(lags, "0123012301230123", 4).suspects == ()


def test_a_pause_that_costs_more_than_it_saves() -> None:
    rates = {"t": [1_000.0, 1_000.0, 800.0, 790.0]}
    found = verdict([30_000, 20_000, 12_000, 12_000], "0011", topic={"rates": rates}, horizon=1)
    assert not found.worth_it
    assert found.headline.endswith("record-seconds, costs 1,284,537")


def test_equal_capacities_leave_loads_in_records() -> None:
    members = [Member("m0", capacity=1000.0), Member("m1", capacity=1000.0)]
    found = verdict([6_000, 2_000, 3_000, 1_000], "0011", topic={"members": members})
    assert found.headline == RELIEVED
    assert (found.unit, found.heaviest.load_before, found.heaviest.load) == ("records", 8000, 7000)
    hot = verdict([900, 200, 300, 100], "0011", topic={"members": members}).hot
    assert [one.load for one in hot] == [900]
    assert verdict([1] * 4, "", topic={"members": members}).unit == "partitions"
