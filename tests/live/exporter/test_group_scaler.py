"""How many processes a group is given over random histories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equilag.domain.budget import Budget
from equilag.domain.group.group import Group, Member
from equilag.domain.policy.policy import Policy
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.planner.sizes.scaling import ScaleSettings
from equilag.planner.sizes.size_run import least_members

ROUND_S = 15.0
WINDOW_S = 300.0
PARTITIONS = 6


def group_of(members: int, draw: np.random.Generator, total: float | None, speed: bool) -> Group:
    """The lag is that of a moment; `total` records per second, None where they are not known."""
    ids = [f"c-{number}" for number in range(members)]
    shares = draw.dirichlet(np.full(PARTITIONS, 1e4))
    return Group.build(
        name="g", topics={"t": PARTITIONS},
        members=[Member(one, capacity=1_000.0 if speed else None) for one in ids],
        subscriptions={one: ["t"] for one in ids}, owned={},
        lags={"t": (draw.integers(0, 2, PARTITIONS) * draw.integers(0, 500, PARTITIONS)).tolist()},
        rates=None if total is None else {"t": (total * shares).round(3).tolist()},
    )  # fmt: skip


def check_history(seed: int) -> int:
    """Production pauses, rates and speeds come and go, the members restart all at once, and so does
    who asks. What runs follows the number within a round. Returns how many falls were taken back.
    """
    draw = np.random.default_rng(seed)
    present, since, turned, fell = int(draw.integers(1, 9)), 0.0, -np.inf, False
    scaler, total, speed = GroupScaler(ScaleSettings()), 3_000.0, True
    numbers, turns = [present], 0
    for step in range(400):
        now = step * ROUND_S
        if draw.random() < 0.05:
            total = draw.choice(np.array([None, 0.0, *draw.uniform(100, 9_000, 3)], dtype=object))
        if draw.random() < 0.1:
            speed = bool(draw.random() < 0.9)
        if draw.random() < 0.01:
            scaler, since = GroupScaler(ScaleSettings()), now
        all_away = now > since and draw.random() < 0.05
        group = group_of(0 if all_away else present, draw, total, speed)
        if group.n_members and scaler.staleness(group, now) >= 1:
            scaler.size(group, now)
        found = scaler.facts(group, now)
        assert found is not None, scaler.problem
        numbers.append(number := found.replicas)
        if total is None or not speed or all_away:
            assert (found.need, number) == (None, numbers[-2])
        assert now > since + WINDOW_S or number >= present
        if number > numbers[-2] and fell:
            assert now > turned + WINDOW_S
            turned, fell, turns = now, False, turns + 1
        fell |= number < numbers[-2]
        present = number
    return turns


def test_pauses_unknown_rates_and_restarts_do_not_make_it_flap() -> None:
    assert sum(check_history(seed) for seed in range(4)) > 4


def test_without_rates_as_many_help_as_counts_allow_whatever_the_lag_is() -> None:
    """With one lagging partition or none, too."""
    draw = np.random.default_rng(1)
    for total in (None, 0.0):
        for _ in range(3):
            group, scaler = group_of(6, draw, total, False), GroupScaler(ScaleSettings())
            scaler.size(group, 0.0)
            found = scaler.facts(group, 0.0)
            assert found is not None
            assert (found.helps, found.replicas) == ((1, 2, 3, 6), 6)


def test_proportions_stay_while_production_pauses() -> None:
    draw = np.random.default_rng(1)
    scaler = GroupScaler(ScaleSettings())
    scaler.size(group_of(6, draw, 100.0, False), 0.0)
    assert scaler.staleness(group_of(6, draw, 0.0, False), 1e5) == 0
    assert scaler.staleness(group_of(6, draw, None, False), 1e5) == 0


def test_speeds_that_vary_are_no_reason_to_size_again_and_count_at_once() -> None:
    """Measured ones are others at every look."""
    draw = np.random.default_rng(1)
    scaler = GroupScaler(ScaleSettings(window_s=0))
    group = group_of(6, draw, 4_000.0, True)
    scaler.size(group, 0.0)
    for factor, need in ((1.0, 6), (1.1, 6), (2.0, 3)):
        speeds = factor * draw.uniform(0.98, 1.02, 6)
        members = [replace(one, capacity=1e3 * speeds[n]) for n, one in enumerate(group.members)]
        other = replace(group, members=tuple(members))
        assert scaler.staleness(other, 1.0) < 1
        found = scaler.facts(other, 1.0)
        assert found is not None
        assert found.need == need
    slow = replace(group, members=(replace(members[0], capacity=100.0), *members[1:]))
    assert scaler.staleness(slow, 1.0) >= 1
    assert scaler.staleness(group_of(6, draw, 4_000.0, False), 1.0) >= 1
    assert scaler.staleness(group_of(5, draw, 4_000.0, True), 1.0) >= 1


def test_how_many_keep_up_is_told_by_the_sizes() -> None:
    draw = np.random.default_rng(1)
    scaler = GroupScaler(ScaleSettings())
    for members, total in ((2, 4_400.0), (2, 1_000.0), (4, 4_400.0), (6, 9_000.0)):
        group = group_of(members, draw, total, True)
        assert scaler.least(group_of(members, draw, None, True)) is None
        scaler.size(group, 0.0)
        searched = least_members(group, Policy(), Budget.of_run(10.0, 0.0, 0.25))
        found = scaler.least(group)
        assert found is not None
        assert searched is not None
        assert found.least.at_most == searched.least.at_most
        assert found.more == searched.more
        assert found.least.at_least <= searched.least.at_least
