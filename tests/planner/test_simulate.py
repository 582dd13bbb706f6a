"""`simulate`: the current assignment beside a plan's."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from support.orders_service import even_assignment, slow_group, slow_snapshot

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Member
from equilag.domain.policy.policy import Policy
from equilag.planner.simulate import simulate
from equilag.planner.simulation_result import Simulation
from equilag.planner.solve import solve


def test_a_plan_that_is_given() -> None:
    found = simulate(slow_group(), even_assignment(), pause=2.0)
    assert found.plan is None
    assert found.changes == 3
    assert found.current.read_after == math.inf
    # The slow member gets 80 records per second and reads 60.
    assert found.current.falls_behind.tolist() == [0, 0, 20, 0]
    # a has 600 of partition 4, and 2 s of 80 per second from the pause; it gains 20 per second.
    assert found.planned.read_after == pytest.approx(2 + (600 + 2 * 80) / 20)
    assert found.planned.member_read_after == pytest.approx([40, 2 + (300 + 2 * 80) / 20, 3, 0])
    assert found.planned.falls_behind.tolist() == [0, 0, 0, 0]


def test_without_a_plan_one_is_made_by_work() -> None:
    found = simulate(slow_group(), time_limit=1.0)
    assert found.plan.settings["weight"] == "work"
    assert found.current.read_after == math.inf
    assert found.planned.read_after < math.inf
    again = simulate(slow_group(), found.plan)
    assert again.planned.curve.tolist() == found.planned.curve.tolist()
    assert simulate(slow_group(), found.plan.to_dict()).planned.read_after == (
        found.planned.read_after
    )


def test_sums_agree_with_each_other() -> None:
    found = simulate(slow_group(), even_assignment(), times=[0, 2.3, 7, 60])
    for course in (found.current, found.planned):
        assert course.by_member(3).sum(axis=1) == pytest.approx(course.total)
        assert course.oldest_by_member(3).max(axis=1) == pytest.approx(course.oldest)
        at = np.searchsorted(course.moments.curve, 60.0)
        assert course.curve[at] == pytest.approx(course.total[-1])
        assert course.total[0] == 900


def test_a_rebalance_of_slow_pollers_pays_only_where_lag_falls() -> None:
    """120 members × 1,200 partitions, polls of 5 s: a plan for even loads, and one for members that
    are too slow for what they have."""
    rng = np.random.default_rng(1)
    rates = rng.lognormal(0.0, 0.5, 1200)
    names = [f"m{number:03d}" for number in range(120)]

    def found(slow: float, poll: float | None) -> Simulation:
        speeds = [slow if number % 10 == 0 else 33.0 for number in range(120)]
        group = Group.build(
            name="g",
            topics={"t": 1200},
            members=[Member(m, capacity=c) for m, c in zip(names, speeds, strict=True)],
            subscriptions={name: ["t"] for name in names},
            owned={name: {"t": list(range(m, 1200, 120))} for m, name in enumerate(names)},
            lags={"t": [0] * 1200},
            rates={"t": (2.0 * rates / rates.mean()).tolist()},
        )
        how = {"protocol": "cooperative", "rounds": 4, "poll": poll, "duration": 300.0}
        policy = "lag-aware" if slow == 33.0 else "fair-yet-sticky"
        return simulate(group, policy=policy, effort=0.1, **how)

    even, slow = found(33.0, 5.0), found(12.0, 5.0)
    assert even.pace.pause_s == slow.pace.pause_s == 30.0
    assert (even.weighed.pays, slow.weighed.pays) == (False, True)
    for one in (even, slow):
        assert one.changes >= 40
        now, planned = (np.trapezoid(c.curve, c.moments.curve) for c in (one.current, one.planned))
        assert (planned < now) == one.weighed.pays
        # All but what is read twice, and a peak that does not come, is in the curves.
        gained = one.weighed.gain - one.weighed.price
        assert now - planned == pytest.approx(gained, abs=0.35 * one.weighed.price)
    assert found(33.0, None).weighed.price < even.weighed.price / 10


def test_how_long_it_looks() -> None:
    group = slow_group()
    assert simulate(group, even_assignment()).duration == 300  # twice 40 s: now it is never read
    still = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "slow": {"t": [4, 5]}}
    assert simulate(group, {**even_assignment(), "assignment": still}).duration == 3600
    assert simulate(group, even_assignment(), duration=90).current.moments.curve[-1] == 90
    assert simulate(group, even_assignment(), times=[20, 10]).duration == 20
    assert simulate(group, even_assignment(), times=[0]).duration == 1
    idle = slow_group(lags={"t": [0] * 6}, rates={"t": [0] * 6})
    assert simulate(idle, even_assignment()).duration == 60


def test_a_partition_without_an_owner_is_read_by_nobody() -> None:
    members = slow_snapshot()["members"]
    members[1]["owned"] = {"t": [2]}
    found = simulate(slow_group(members=members), even_assignment(), pause=0)
    assert found.current.falls_behind.tolist() == [0, 0, 20, 30]
    assert found.current.by_member(3)[-1, -1] == pytest.approx(30 * found.duration)
    assert found.planned.read_after == pytest.approx(30)


def test_what_stands_in_for_unknown_figures() -> None:
    members = slow_snapshot()["members"]
    del members[0]["capacity"]
    group = slow_group(members=members, rates={"t": [30, 20, None, 30, 50, 30]})
    found = simulate(group, even_assignment())
    assert found.assumed._asdict() == {
        "unknown_rates": 1, "unknown_capacities": 1, "usual_capacity": 80,
    }  # fmt: skip
    assert found.conditions.rate.tolist() == [30, 20, 32, 30, 50, 30]
    assert found.conditions.capacity.tolist() == [80, 100, 60]
    nothing = simulate(slow_group(rates={}), even_assignment())
    assert nothing.assumed.unknown_rates == 6
    assert nothing.current.read_after == 15


def test_capacities_that_are_given() -> None:
    members = [{k: v for k, v in m.items() if k != "capacity"} for m in slow_snapshot()["members"]]
    group = slow_group(members=members)
    with pytest.raises(InputError, match=r"^a simulation needs how fast.*--sample 30s"):
        simulate(group, even_assignment())
    for settings in ({"capacity": {"*": 50}}, {"policy": Policy(capacity={"*": 50})}):
        found = simulate(group, even_assignment(), **settings)
        assert found.conditions.capacity.tolist() == [50, 50, 50]
    plan = solve(group, capacity={"*": 70}, time_limit=0.5)
    assert simulate(group, plan).conditions.capacity.tolist() == [70, 70, 70]
    assert simulate(group, plan, capacity=["a=90"]).conditions.capacity.tolist() == [90, 70, 70]
    assert simulate(group, capacity=["*=60"], time_limit=0.5).plan is not None


def test_the_document() -> None:
    found = simulate(slow_group(), even_assignment(), pause=2.0, times=[0, 10, 60])
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["format"] == "equilag/simulation/1"
    assert document["times_s"] == [0, 10, 60]
    current, plan = document["current"], document["plan"]
    assert current["caught_up_after_s"] is None
    assert plan["caught_up_after_s"] == 40
    assert plan["members"]["slow"]["caught_up_after_s"] == 3
    assert current["members"]["slow"]["lag"] == [900, 1100, 2100]
    assert current["partitions"]["t"]["lag"][4] == [600, 800, 1800]
    assert current["partitions"]["t"]["oldest_unread_s"][4][0] == 12
    assert current["lag"] == [900, 1100, 2100]
    assert (document["produced_per_s"], document["capacity_per_s"]) == (180, 260)
    made = simulate(slow_group(), time_limit=0.5).to_dict()
    assert made["settings"]["policy"]["weight"] == "work"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": "equilag/plan/2"}, 'plan: format: "equilag/plan/2", not "equilag/plan/1"'),
        ({"group": "other"}, "does not fit the group: group: the plan is of group"),
        ({"assignment": {"a": {"t": [0]}}}, "does not fit the group: assignment: member 'b'"),
        ({"assignment": None}, "does not fit the group: assignment: "),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(changes, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        simulate(slow_group(), {**even_assignment(), **changes})
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"pause": -1}, "pause"),
        ({"poll": -1}, "poll"),
        ({"rounds": 1}, "rounds"),
        ({"protocol": "lazy"}, "protocol"),
        ({"duration": 0}, "duration"),
        ({"times": []}, "times"),
        ({"times": [math.nan]}, "times"),
        ({"capacity": {"z": 5}}, "capacity"),
    ],
)
def test_settings_that_make_no_sense(settings, place: str) -> None:
    with pytest.raises(InputError) as refused:
        simulate(slow_group(), even_assignment(), **settings)
    assert refused.value.place == place


def test_groups_without_members_or_partitions() -> None:
    nobody = slow_group(members=[])
    empty = {"format": "equilag/plan/1", "group": "clicks", "assignment": {}}
    found = simulate(nobody, empty)
    assert found.current.read_after == math.inf
    assert found.current.total[-1] == pytest.approx(900 + 180 * 3600)
    nothing = simulate(slow_group(topics={}, lags={}, rates={}, members=[]), empty)
    assert nothing.current.read_after == 0
    assert json.dumps(nothing.to_dict(), allow_nan=False)
