"""Loads of all members, exactly, and as they are written."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.domain.group.loads import MemberLoads, excess, in_unit, load_from, roughly, written
from equilag.domain.group.member_capacities import MemberCapacities

CAPACITIES = st.sampled_from(["1", "3", "0.1", "2.35", "12345.678"]).map(Fraction)
MEMBERS = st.lists(st.tuples(CAPACITIES, st.integers(0, 2**55), st.booleans()), max_size=6)


@given(MEMBERS)
def test_figures_are_those_of_fractions(members: list[tuple[Fraction, int, bool]]) -> None:
    given, weights, busy = [list(row) for row in zip(*members, strict=True)] or [[], [], []]
    active = [m for m, one in enumerate(busy) if one]
    found = MemberLoads(
        np.array(weights, np.int64), MemberCapacities.of(given), np.array(active, np.int32)
    )
    top = max(given, default=Fraction(1))
    loads = [weights[m] * top / given[m] for m in active]
    assert (found.max, found.min) == (max(loads, default=0), min(loads, default=0))
    assert found.spread == found.max - found.min
    total = sum(weights[m] for m in active)
    assert not active or found.fair == total * top / sum(given[m] for m in active)
    above = sum((max(Fraction(0), load - found.fair) for load in loads), Fraction(0))
    assert found.excess == pytest.approx(float(above), rel=1e-9, abs=1e-9 * float(found.max))
    if found.capacities.are_equal:
        assert found.most_excess == above // 1
    else:
        assert above <= found.most_excess <= above + Fraction(len(loads), 2**40)
    assert found.column.tolist() == pytest.approx([float(w * top / c) for c, w, _ in members])


def test_integers_stay_integers() -> None:
    loads = MemberLoads(
        np.array([2**61, 5]), MemberCapacities.equal(2), np.arange(2, dtype=np.int32)
    )
    assert loads.column is loads.weight
    assert [type(one) for one in (loads.max, loads.min, loads.spread)] == [int, int, int]
    assert (loads.fair, loads.most_excess) == (Fraction(2**61 + 5, 2), (2**61 - 5) // 2)


def test_excess_beyond_what_sums_hold() -> None:
    loads = np.array([2**61, 0, 0])
    assert excess(loads) == 2**62 / 3
    assert excess(loads, Fraction(2**61 - 1)) == 1.0


@pytest.mark.parametrize("load", [0, 7, 2**80, Fraction(7, 3), Fraction(10**40, 3), Fraction(4)])
def test_what_is_written_is_read(load: int | Fraction) -> None:
    assert load_from(written(load)) == load


def test_a_fraction_that_is_whole_is_written_as_one() -> None:
    assert (written(Fraction(4)), written(Fraction(7, 3))) == (4, "7/3")


@pytest.mark.parametrize(
    "value", [-1, 1.5, True, None, "7", "14/6", "7/1", "-7/3", "0/3", "7/0", "07/3", "7 / 3",
              "7/3\n", "٧/٣", f"{'1' * 1001}/3", ["7/3"]],
)  # fmt: skip
def test_nothing_else_is_a_load(value: object) -> None:
    assert load_from(value) is None


@given(st.fractions(0, 10**20))
def test_limits_for_floats_let_the_load_itself_pass(load: Fraction) -> None:
    assert float(load) <= roughly(load) <= float(load) * (1 + 1e-11)
    assert roughly(2**70) == 2**70


def test_loads_for_people() -> None:
    assert (in_unit(7, None), type(in_unit(7, None))) == (7, int)
    assert (in_unit(Fraction(7, 2), None), in_unit(Fraction(7, 2), 2.0)) == (3.5, 1.75)
