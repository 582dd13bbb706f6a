"""Moves with a weight, against all assignments of tiny groups."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from support.extended_groups import FIELDS, ExtendedShape, extended_snapshot
from support.groups import snapshot_of
from support.oracle_optima import all_optima
from support.oracle_snapshots import HEAVY, give_move_weights, read_group

import equilag

MIXTURES = [frozenset({"subscriptions", name}) for name in FIELDS] + [frozenset(FIELDS)]
EFFORT: dict[str, Any] = {"effort": 0.2, "time_limit": 60}


def weighed(**fields: Any) -> dict[str, Any]:
    """One member owns all of what two are to share."""
    given = {"move_weights": {"t00": [7, 0, 2, 9]}, "rates": {"t00": [0.25, 3, 0.5, None]}}
    return snapshot_of([4], [[0], [0]], [0] * 4, [5, 4, 3, 20]) | given | fields


def check_limits(snapshot: dict[str, Any], settings: dict[str, Any]) -> None:
    """Limits on the moved weight, and the front, against all assignments."""
    oracle = read_group(snapshot)
    counted = settings.get("balance") != "none"
    optima = all_optima(oracle, settings.get("rack_aware", False), counted)
    if optima is None:
        return
    group, settings = equilag.load_snapshot(snapshot), {**settings, **EFFORT}
    weights = [price // HEAVY for price, _ in optima.front]
    if weights[0]:
        with pytest.raises(equilag.InputError, match=f"moved weight of {weights[0]} that"):
            equilag.solve(group, max_move_weight=weights[0] - 1, **settings)
    for limit in {weights[0], weights[-1]}:
        plan = equilag.solve(group, tolerance=0, max_move_weight=limit, **settings)
        best = min(spread for price, spread in optima.front if price // HEAVY <= limit)
        assert oracle.figures(oracle.placed(plan.assignment)).spread == best
        assert (plan.moves_weight or 0) <= limit
        assert equilag.verify(group, plan) == []
    points = equilag.frontier(group, **settings)
    assert [(p.move_weight, p.moves) for p in points] == [
        divmod(price, HEAVY) for price, _ in optima.front
    ]
    # Loads are per unit of capacity only where members differ in it.
    unit = oracle.capacity[0] if len({*oracle.capacity}) == 1 else 1
    spreads = [float(spread * unit) for _, spread in optima.front]
    assert [p.spread for p in points] == pytest.approx(spreads)


@pytest.mark.parametrize("number", [1, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("mixture", MIXTURES, ids=lambda fields: "-".join(sorted(fields)))
def test_limits_and_the_front(mixture: frozenset[str], number: int) -> None:
    rng = Random(f"{sorted(mixture)}")
    for turn in range(number):
        snapshot = extended_snapshot(rng, ExtendedShape(4, 6, mixture))
        settings = ({"rack_aware": True}, {"balance": "none"}, {})[turn % 3]
        check_limits(give_move_weights(rng, snapshot), settings)


@pytest.mark.parametrize(
    ("settings", "weight", "count"),
    [({}, 2, 2), ({"move_weight": "count"}, 2, 2), ({"move_weight": "lag"}, 7, 2),
     ({"move_weight": "rate"}, 0.75, 2)],
)  # fmt: skip
def test_what_moves_weigh(settings: dict[str, Any], weight: float, count: int) -> None:
    group = equilag.load_snapshot(weighed())
    plan = equilag.solve(group, "fair-yet-sticky", weight="lag", **EFFORT, **settings)
    moves = plan.to_dict()["moves"]
    assert (moves["weight"], moves["weight_lower_bound"], moves["count"]) == (weight, weight, count)
    assert sum(one["weight"] for one in moves["partitions"]) == weight
    assert (plan.status, equilag.verify(group, plan)) == ("optimal", [])


def drawn_by_topic(rng: Random) -> tuple[dict[str, Any], tuple[int, int], str]:
    """A group, the least moved weight with the fewest moves of all assignments, and the balance."""
    sizes = rng.choice([[3, 3], [1, 2, 4], [5, 2], [2, 2, 2]])
    topic_of = [topic for topic, size in enumerate(sizes) for _ in range(size)]
    members = rng.choice([2, 3])
    reads = [sorted(rng.sample(range(len(sizes)), rng.randint(1, len(sizes)))) for _ in range(2)]
    reads = [[*range(len(sizes))], *reads][:members]
    able = [[m for m in range(members) if topic in reads[m]] for topic in topic_of]
    owners = [rng.choice(may) if rng.random() < 0.85 else -1 for may in able]
    weights = [rng.choice([0, 1, 2, 5, 9, 30]) for _ in topic_of]
    lags = [rng.randint(0, 50) for _ in topic_of]
    snapshot = snapshot_of(sizes, reads, owners, lags)
    left = iter(weights)
    snapshot["move_weights"] = {
        name: [next(left) for _ in range(size)]
        for name, size in zip(sorted(snapshot["topics"]), sizes, strict=True)
    }
    balance = rng.choice(["per-topic", "both", "total-then-topics"])
    rows = []
    for assigned in product(*able):
        total = sum(n * n for n in Counter(assigned).values())
        by_topic = sum(n * n for n in Counter(zip(topic_of, assigned, strict=True)).values())
        pairs = zip(owners, assigned, weights, strict=True)
        moved = [weight for owner, member, weight in pairs if owner not in (-1, member)]
        goals = (total, by_topic) if balance == "total-then-topics" else (by_topic, total)
        rows.append((goals[: 1 if balance == "per-topic" else 2], sum(moved), len(moved)))
    return snapshot, min(rows)[1:], balance


@pytest.mark.parametrize("number", [12, pytest.param(300, marks=pytest.mark.long)])
def test_the_least_moved_weight_where_topics_count(number: int) -> None:
    rng = Random(3)
    for _ in range(number):
        snapshot, least, balance = drawn_by_topic(rng)
        group = equilag.load_snapshot(snapshot)
        plan = equilag.solve(group, "fair-yet-sticky", balance=balance, effort=0.05, time_limit=60)
        moves = plan.to_dict()["moves"]
        assert (moves["weight"], moves["count"]) == least
        assert (moves["weight_lower_bound"], plan.status) == (least[0], "optimal")
        assert equilag.verify(group, plan) == []


def test_potentials_of_any_size_prove_nothing_that_is_not_true() -> None:
    """Sums of large ones pass 63 bits."""
    rng, forged = Random(5), 0
    while forged < 24:
        snapshot, _, balance = drawn_by_topic(rng)
        group = equilag.load_snapshot(snapshot)
        plan = equilag.solve(group, balance=balance, tolerance=0, effort=0.02, time_limit=60)
        document = plan.to_dict()
        if plan.moves_weight == plan.moves_weight_lower_bound:
            continue  # the plan itself is an example of less
        claims = document["certificate"]["claims"]
        claim = next(one for one in claims if one["claim"] == "least_move_price")
        claim["value"] += 1
        for size in (2**59, 2**60, 2**61):
            claim["data"] = {
                part: {name: size * rng.choice([-1, 0, 1]) for name in names}
                for part, names in (("topics", snapshot["topics"]), ("members", plan.assignment))
            }
            assert equilag.verify(group, document)
            forged += 1


def test_a_limit_on_their_number_counts_partitions() -> None:
    """The lightest way is of three moves, the shortest of one."""
    snapshot = snapshot_of([2, 2], [[0], [0, 1], [1]], [0, 1, 1, 1], [1, 1, 1, 1])
    snapshot |= {"move_weights": {"t00": [0, 9], "t01": [50, 60]}}
    group = equilag.load_snapshot(snapshot)
    for most in (1, 2):
        plan = equilag.solve(group, "fair-yet-sticky", max_moves=most, **EFFORT)
        assert len(plan.moves) <= most
        assert equilag.verify(group, plan) == []
    with pytest.raises(equilag.InputError, match="0 is fewer than the 1 move that even counts"):
        equilag.solve(group, max_moves=0)


@pytest.mark.parametrize("number", [3, pytest.param(60, marks=pytest.mark.long)])
def test_the_most_even_plan_of_a_number_of_moves_with_weights(number: int) -> None:
    rng = Random(6)
    for _ in range(number):
        lags, owners = ([rng.choice(pool) for _ in range(5)] for pool in (range(30), range(3)))
        snapshot = snapshot_of([5], [[0]] * 3, owners, lags)
        snapshot["move_weights"] = {"t00": [rng.randint(0, 9) for _ in lags]}
        most = rng.randint(0, 3)
        spreads = []
        for assigned in product(range(3), repeat=5):
            loads = Counter(dict.fromkeys(range(3), 0))
            for lag, member in zip(lags, assigned, strict=True):
                loads[member] += lag
            if sum(a != b for a, b in zip(owners, assigned, strict=True)) <= most:
                spreads.append(max(loads.values()) - min(loads.values()))
        group = equilag.load_snapshot(snapshot)
        plan = equilag.solve(group, balance="none", tolerance=0, max_moves=most, **EFFORT)
        assert (plan.lag.spread, equilag.verify(group, plan)) == (min(spreads), [])


def test_a_group_without_weights_has_the_plan_that_it_had() -> None:
    plain = weighed(move_weights=None, rates=None)
    plain = {name: value for name, value in plain.items() if value is not None}
    plan = equilag.solve(equilag.load_snapshot(plain), **EFFORT).to_dict()
    assert not {"weight", "weight_lower_bound"} & plan["moves"].keys()
    assert "weight" not in plan["moves"]["partitions"][0]
    group = equilag.load_snapshot(weighed(rates={}))
    counted = equilag.solve(group, move_weight="count", **EFFORT).to_dict()
    assert counted["assignment"] == plan["assignment"]
    assert counted["certificate"] == plan["certificate"]


@pytest.mark.parametrize(
    ("fields", "settings", "problem"),
    [
        ({"move_weights": {"t00": [1, 2, 3]}}, {}, "move_weights.t00"),
        ({"move_weights": {"t00": [1, 2, 3, -1]}}, {}, "move_weights.t00"),
        ({"rates": {}}, {"move_weight": "rate"}, "^move_weight: no partition's rate is known"),
        ({"move_weights": {"t00": [2**53 - 1] * 4}}, {"max_move_weight": 3}, "^max_move_weight"),
        ({"move_weights": {"t00": [3] * 4}}, {"fresh": True, "max_move_weight": 3}, "no owners"),
    ],
)
def test_what_is_refused(fields: Any, settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(equilag.InputError, match=problem):
        equilag.solve(equilag.load_snapshot(weighed(**fields)), **settings)
    plain = equilag.load_snapshot(snapshot_of([1], [[0]], [0], [1]))
    with pytest.raises(equilag.InputError, match="the group has no move_weights"):
        equilag.solve(plain, move_weight="given")
