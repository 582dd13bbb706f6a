"""Patterns against all of them, and packings against every assignment."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from support.oracle_optima import least_heaviest

from equilag.solver.packing.pack_alike import ROUNDS, Packing, PackingRounds, pack_alike
from equilag.solver.packing.pattern_program import PatternProgram
from equilag.solver.packing.priced_patterns import Priced, filled_up


def packed(weights: list[int], members: int, most: int | None = None, unit: int = 1) -> Packing:
    """What is found with time enough, from the simplest bounds."""
    least = max(max(weights), -(-sum(weights) // members))
    most = sum(weights) if most is None else most
    rng = np.random.default_rng(1)
    steps = iter(range(400))
    return pack_alike(
        np.array(weights), members, least, most, unit, rng, lambda: next(steps, None) is None
    )


def heaviest(found: Packing, weights: list[int], members: int) -> int:
    assert found.assigned is not None
    assert found.assigned.min() >= 0
    return int(np.bincount(found.assigned, weights, members).max())


def test_patterns_are_the_most_valuable() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        lengths = np.sort(rng.choice(np.arange(1, 15), 4, replace=False))[::-1]
        demand, price = rng.integers(1, 4, 4), rng.integers(0, 20, 4)
        priced = Priced.of(lengths, demand, price, 25)
        every = np.array([*product(*(range(n + 1) for n in demand.tolist()))])
        for capacity in range(26):
            best = (every[every @ lengths <= capacity] @ price).max()
            pattern = priced.pattern(capacity)
            assert priced.value[capacity] == best == pattern @ price
            assert (pattern <= demand).all()
            assert pattern @ lengths <= capacity


def test_a_pattern_is_filled_with_the_longest_that_fit() -> None:
    lengths, demand = np.array([7, 4, 1]), np.array([2, 2, 1])
    assert filled_up(np.array([1, 0, 0]), lengths, demand, 12).tolist() == [1, 1, 1]
    assert filled_up(np.array([0, 2, 1]), lengths, demand, 12).tolist() == [0, 2, 1]


def test_prices_prove_capacities_too_small() -> None:
    """Three pairs of 5 need a capacity of 10 on three members; by their sum 8 would do."""
    program = PatternProgram(np.array([5, 1]), np.array([4, 4]), 8)
    program.solve()
    price = program.prices()
    priced = Priced.of(program.lengths, program.demand, price, 12)
    assert program.too_small(price, priced, 3) == 9


@pytest.mark.parametrize("top", [9, 60, 1000])
def test_small_lists_are_solved(top: int) -> None:
    rng = np.random.default_rng(top)
    solved = 0
    for _ in range(12):
        members = int(rng.integers(2, 5))
        weights = rng.integers(1, top + 1, int(rng.integers(members + 1, 9))).tolist()
        best = int(least_heaviest(weights, [1] * members, False))
        found = packed(weights, members, best + 1)
        assert found.at_least <= best
        if found.assigned is not None:
            assert heaviest(found, weights, members) == best
            solved += found.at_least == best
    assert solved >= 10


def planted(members: int, held: int, load: int, seed: int) -> list[int]:
    """Lengths that fill so many members exactly."""
    rng = np.random.default_rng(seed)
    cuts = (np.sort(rng.choice(load - 1, held - 1, replace=False) + 1) for _ in range(members))
    lengths = [np.diff(np.concatenate(([0], cut, [load]))) for cut in cuts]
    return [int(length) for length in rng.permutation(np.concatenate(lengths))]


def test_a_perfect_packing_is_found() -> None:
    for seed in range(3):
        weights = planted(12, 3, 200, seed)
        found = packed(weights, 12, 240)
        assert found.at_least == 200
        assert heaviest(found, weights, 12) == 200


def test_a_bound_that_only_patterns_prove() -> None:
    """Nineteen of 30 on six members: one of them has four, though the mean is below 100."""
    weights = [30] * 19 + [1] * 6
    found = packed(weights, 6, 200)
    assert found.at_least == 120
    assert heaviest(found, weights, 6) == 120


def test_long_partitions_are_bounded_in_a_larger_unit() -> None:
    weights = [10**7 + n for n in range(5)]
    found = packed(weights, 2, 4 * 10**7, unit=10**4)
    best = least_heaviest(weights, [1, 1], False)
    assert 0.999 * best <= found.at_least <= best <= heaviest(found, weights, 2) <= 1.001 * best


def test_the_unit_follows_from_the_time() -> None:
    weights, most = np.arange(1, 101), 100_000
    fine = PackingRounds.within(60.0, weights, most)
    assert fine.unit == 1
    coarse = PackingRounds.within(0.5, weights, most)
    assert coarse.unit > 1
    assert ROUNDS * coarse.seconds <= 0.5
    assert PackingRounds.within(0.05, weights, most) is None


def test_partitions_without_weight_go_anywhere() -> None:
    weights = [0, 4, 0, 4, 3, 3, 2, 2]
    found = packed(weights, 2, 10)
    assert heaviest(found, weights, 2) == found.at_least == 9


def test_no_time_leaves_the_bound_that_was_given() -> None:
    rng = np.random.default_rng(0)
    found = pack_alike(np.array([5, 5, 5, 5]), 3, 7, 11, 1, rng, lambda: True)
    assert found == Packing(7, None)
