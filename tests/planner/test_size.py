"""`size` against every assignment of tiny groups, on groups that users ask about, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from threading import Event
from typing import Any

import numpy as np
import pytest
from support.groups import group_of
from support.oracle_optima import least_heaviest
from support.orders_service import rated_group

import equilag
from equilag import InputError

TINY = 8
"""Random groups of each sort: some 0.2 s."""


def members_of_size(capacities: Sequence[float], size: int) -> list[float]:
    """The capacities of a group of this size: the slowest stay, new ones have the median."""
    return [*sorted(capacities), *[median(capacities)] * size][:size]


@pytest.mark.parametrize("balance", ["total", "none"])
@pytest.mark.parametrize("capacities", [[1, 1], [1, 2, 4], [3, 1]])
def test_rows_are_the_best_of_all_assignments(balance: str, capacities: list[float]) -> None:
    rng = np.random.default_rng(len(capacities))
    proved = rows = 0
    for _ in range(TINY):
        weights = [int(w) for w in rng.integers(0, int(rng.choice([4, 900])), rng.integers(2, 6))]
        weights[0] = max(1, weights[0])
        sizing = equilag.size(
            rated_group([float(w) for w in weights], capacities),
            balance=balance, members=(1, 5), tolerance=0,
        )  # fmt: skip
        reached = np.inf
        for found in sizing.rows:
            members = members_of_size(capacities, found.size)
            best = least_heaviest(weights, members, balance == "total")
            assert found.load_at_least <= best + 1e-9
            assert found.load >= best - 1e-9
            rows += 1
            proved += found.proved
            if found.proved:
                assert found.load == pytest.approx(best)
                assert found.keeps_up is (best <= 1)
            assert found.helps is (found.load < reached)
            reached = min(reached, found.load)
    assert proved == rows


def test_one_hot_partition_of_64() -> None:
    """KEDA 2908: whatever the number of members, one of them reads the hot partition."""
    rest = 100.0
    sizing = equilag.size(rated_group([63 * rest * 9, *[rest] * 63], [8 * 63 * rest] * 4))
    assert all(row.proved for row in sizing.rows)
    assert [row.size for row in sizing.rows] == list(range(1, 65))
    assert (sizing.heaviest.topic, sizing.heaviest.partition) == ("orders", 0)
    assert sizing.heaviest.share == 9 / 8
    assert [unit.pieces for unit in sizing.hot] == [2]
    assert sizing.least_keeping_up == (65, None)
    last = sizing.helping[-1]
    assert last.load <= sizing.rows[-1].load / 0.99
    assert last.size < 16


def test_126_even_partitions() -> None:
    """KEDA 7517: only these sizes are any better than the next smaller one."""
    sizing = equilag.size(rated_group([10.0] * 126, [100.0] * 6), tolerance=0)
    assert all(row.proved for row in sizing.rows)
    falls = [k for k in range(1, 127) if k == 1 or -(-126 // k) < -(-126 // (k - 1))]
    assert [row.size for row in sizing.helping] == falls
    assert falls[-3:] == [42, 63, 126]
    assert sizing.least_keeping_up == (13, 13)  # ten partitions each


def test_24_partitions_and_4_threads() -> None:
    """KEDA 7577: pods of four threads; from six pods on each thread has one partition."""
    sizing = equilag.size(rated_group([10.0] * 24, [25.0] * 8), threads=4)
    assert [row.size for row in sizing.rows] == [1, 2, 3, 4, 5, 6]
    assert [row.members for row in sizing.rows] == [4, 8, 12, 16, 20, 24]
    assert [row.size for row in sizing.helping] == [1, 2, 3, 6]
    assert sizing.basis.present == 2
    assert sizing.least_keeping_up == (3, 3)
    assert all(row.proved for row in sizing.rows)


def test_the_times_to_catch_up() -> None:
    """Ten records a second to spare of each member, and no plan is quicker than the hot one."""
    sizing = equilag.size(rated_group([10.0] * 4, [30.0] * 2, [1000, 0, 0, 0]), catch_up=60)
    times = {row.size: row.catch_up_s for row in sizing.rows}
    assert times[1] == np.inf
    assert times[2] == pytest.approx(100)  # two partitions: 30 − 20 to spare
    assert sizing.row(4).catch_up_s == pytest.approx(50)
    assert sizing.row(4).catch_up_at_least_s == pytest.approx(50, rel=0.01)
    assert sizing.least_keeping_up == (2, 2)
    assert sizing.least_catching_up == (3, 3)
    assert [row.catches_up for row in sizing.rows] == [False, False, True, True]


def test_a_member_without_lag_may_be_busy_all_the_time() -> None:
    """Two partitions of 5 fill one member: rounded work must not say that it falls behind."""
    rates, lags = [8.0, 4.0, 5.0, 8.0, 5.0], [144, 1196, 0, 281, 0]
    sizing = equilag.size(rated_group(rates, [10.0], lags), members=(4, 4), catch_up=250)
    assert sizing.least_catching_up == (4, 4)
    at_least = sizing.row(4).catch_up_at_least_s
    assert at_least <= 1196 / 6 + 1e-6  # each other partition by itself


def test_work_counts_the_lag_in_the_horizon() -> None:
    group = rated_group([10.0, 10.0], [20.0], [300, 0])
    sizing = equilag.size(group, weight="work", horizon=60.0)
    assert (sizing.basis.kind, sizing.basis.limit) == ("work", 60.0)
    assert sizing.row(1).load == pytest.approx((300 + 20 * 60) / 20)
    assert sizing.row(1).keeps_up is True
    assert sizing.row(2).load == pytest.approx((300 + 10 * 60) / 20)


def test_room_leaves_out_the_sizes_without_enough() -> None:
    group = rated_group([10.0] * 6, [20.0])
    sizing = equilag.size(group, max_partitions=2)
    assert [row.size for row in sizing.rows] == [3, 4, 5, 6]
    with pytest.raises(InputError, match="room"):
        equilag.size(group, max_partitions=2, members=(1, 2))


def test_the_document() -> None:
    sizing = equilag.size(rated_group([10.0, 30.0], [20.0], [7, 0]), catch_up=5.0, members=(1, 2))
    document = sizing.to_dict()
    assert document["format"] == "equilag/size/1"
    assert document["basis"]["kind"] == "rate"
    assert document["keeps_up"] == {"at_least": 3, "at_most": None, "proved": False}
    assert document["hot"] == [
        {"topic": "orders", "partition": 1, "weight": 30.0, "share": 1.5, "pieces": 2}
    ]
    assert [entry["size"] for entry in document["rows"]] == [1, 2]
    assert document["rows"][0]["catch_up_s"] is None  # never, which JSON has no number for
    assert "interrupted" not in document


def test_an_interrupted_run_has_the_rows_so_far() -> None:
    stop = Event()
    stop.set()
    sizing = equilag.size(rated_group([10.0] * 40, [20.0] * 2), stop=stop)
    assert sizing.interrupted
    assert sizing.to_dict()["interrupted"] is True


@pytest.mark.parametrize("balance", ["total", "none"])
@pytest.mark.parametrize("seed", range(4))
def test_no_plan_of_the_same_effort_has_a_smaller_heaviest_load(seed: int, balance: str) -> None:
    rng = np.random.default_rng(seed)
    members, size = int(rng.integers(3, 12)), int(rng.integers(20, 60))
    subscriptions = [[0, 1], [0]] if seed % 2 else [[0, 1]]
    group = group_of(
        [size, size // 2],
        [subscriptions[m % len(subscriptions)] for m in range(members)],
        lags=rng.lognormal(4, 1, size + size // 2).astype(int).tolist(),
    )
    capacity = {f"m{m:02}": 1 + m % 3 for m in range(members)} if seed > 1 else {}
    plan = equilag.solve(group, balance=balance, effort=0.3, time_limit=60, capacity=capacity)
    sizing = equilag.size(
        group, balance=balance, effort=0.3, time_limit=60, capacity=capacity,
        members=(members, members),
    )  # fmt: skip
    heaviest = plan.loads.max if capacity else plan.lag.max
    assert sizing.rows[0].load <= heaviest * (1 + 1e-9)


def test_the_time_that_is_given_is_shared_by_what_is_open() -> None:
    rng = np.random.default_rng(7)
    group = rated_group([float(n) for n in rng.integers(10**9, 10**10, 60)], [None] * 7)
    sizing = equilag.size(group, balance="none", members=(5, 9), effort=0.5, time_limit=60)
    shares = [row.share for row in sizing.rows]
    assert 0.9 < sum(shares) < 1.25  # what comes beside the engine is on top of the last ones
    assert all(row.proved or row.share > 0.05 for row in sizing.rows)
    assert [row["share"] for row in sizing.to_dict()["rows"]] == shares


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "sticky-yet-fair"}, "policy: sticky-yet-fair leaves"),
        ({"add_members": 1}, "add_members: size looks at every number"),
        ({"max_moves": 1}, "max_moves: in a group of another size"),
        ({"fresh": True}, "fresh: in a group of another size all partitions are planned anew"),
        ({"move_cost": 3}, "move_cost: in a group of another size all partitions"),
        ({"rack_aware": True}, "rack_aware: the racks of new members"),
        ({"max_cross_rack": 1}, "max_cross_rack: the racks of new members"),
        ({"keep": ["t00"]}, "keep: in a group of another size"),
        ({"pin": ["t00-0=m00"]}, "pin: in a group of another size"),
        ({"members": (0, 3)}, "members: .0, 3. is not a first and a last"),
        ({"members": 3}, "members: 3 is not a first and a last"),
        ({"members": (4, 3)}, "members: the first number, 4, is above the last one, 3"),
        ({"threads": 0}, "threads: 0 is not a whole number from 1"),
        ({"threads": 2}, "threads: 3 members do not make processes of 2 threads"),
        ({"catch_up": -1}, "catch_up: -1 is not more than 0"),
        ({"catch_up": 1e10}, "catch_up: 10000000000.0 is not more than 0 and at most 10.9 seconds"),
        ({"capacity": ["c-*=2"]}, "capacity: no member's id is"),
    ],
)
def test_refused(settings: dict[str, Any], message: str) -> None:
    group = group_of([4], [[0]] * 3, lags=[1, 2, 3, 4])
    with pytest.raises(InputError, match=message):
        equilag.size(group, **settings)


def test_a_group_that_reads_nothing() -> None:
    with pytest.raises(InputError, match=r"^no member reads a partition"):
        equilag.size(group_of([4], [[]], lags=[1, 2, 3, 4]))
