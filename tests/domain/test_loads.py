"""Capacities as given, loads, exactly and as they are written, and figures of assignments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import group_of
from support.orders_service import rated_group

from equilag.domain.group.group import NOBODY, Index
from equilag.domain.group.loads import MemberLoads, excess, in_unit, load_from, roughly, written
from equilag.domain.group.member_capacities import Load, MemberCapacities, decimal
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group

SOME_CAPACITIES = st.sampled_from(["1", "3", "0.1", "2.35", "12345.678"]).map(Fraction)
MEMBERS = st.lists(st.tuples(SOME_CAPACITIES, st.integers(0, 2**55), st.booleans()), max_size=6)


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


VALUES = st.sampled_from(
    ["1", "2", "3", "0.1", "2.35", "0.001", "12345.678", "1000000", "1.0000001"]
)
CAPACITIES = st.lists(VALUES.map(Fraction), min_size=1, max_size=6)
WEIGHTS = st.integers(0, 2**61) | st.integers(0, 50)


def exact(given: list[Fraction], weights: list[int]) -> list[Fraction]:
    """The load of each member: its weight over its part of the largest capacity."""
    top = max(given)
    return [weight * top / one for weight, one in zip(weights, given, strict=True)]


@pytest.mark.parametrize(
    ("value", "number"),
    [(0.1, "1/10"), (2.35, "47/20"), (1e-3, "1/1000"), (12345.678, "6172839/500"), (7, "7"),
     (1e22, str(10**22)), (10**30 + 1, str(10**30 + 1)), (np.float64(0.3), "3/10")],
)  # fmt: skip
def test_a_decimal_is_what_is_written(value: float, number: str) -> None:
    assert decimal(value) == Fraction(number)


def test_whole_capacities_have_no_common_divisor() -> None:
    found = MemberCapacities.of([Fraction("0.5"), Fraction("1.5"), Fraction("0.5")])
    assert (found.whole, found.unit, found.kind_of.tolist()) == ((1, 3), Fraction(1, 2), [0, 1, 0])
    assert found.largest == Fraction("1.5")
    assert found.values.tolist() == [0.5, 1.5, 0.5]
    assert found.among(np.array([1])).load(4, 0) == 12
    assert MemberCapacities.of([]).are_equal


@given(CAPACITIES, st.data())
def test_extremes_and_order_are_exact(given: list[Fraction], data: st.DataObject) -> None:
    capacities, n = MemberCapacities.of(given), len(given)
    weights = data.draw(st.lists(WEIGHTS, min_size=n, max_size=n))
    if data.draw(st.booleans()):  # loads that floats cannot tell apart
        weights = [int(one * 10**12) + data.draw(st.integers(0, 1)) for one in given]
    loads, column = exact(given, weights), np.array(weights)
    for member, kind in enumerate(capacities.kind_of.tolist()):
        assert capacities.load(weights[member], kind) == loads[member]
    assert loads[capacities.heaviest(column, capacities.kind_of)] == max(loads)
    assert loads[capacities.lightest(column, capacities.kind_of)] == min(loads)
    order = capacities.order(column, capacities.kind_of)
    assert [loads[i] for i in order] == sorted(loads)


@given(CAPACITIES, st.fractions(0, 10**30) | st.integers(0, 100))
def test_weights_of_a_load(given: list[Fraction], load: Load) -> None:
    capacities, top = MemberCapacities.of(given), max(given)
    upto, from_ = capacities.weights_upto(load).tolist(), capacities.weights_from(load).tolist()
    for member, kind in enumerate(capacities.kind_of.tolist()):
        share = load * given[member] / top
        assert upto[kind] <= share < upto[kind] + 1
        assert from_[kind] - 1 < share <= from_[kind]


@given(CAPACITIES, st.integers(0, 60), st.data())
def test_the_first_load_from_which_something_holds(
    given: list[Fraction], weight: int, data: st.DataObject
) -> None:
    capacities, top = MemberCapacities.of(given), max(given)
    kinds = sorted(data.draw(st.sets(st.sampled_from(capacities.kind_of.tolist()), min_size=1)))
    members = [m for m, kind in enumerate(capacities.kind_of.tolist()) if kind in kinds]

    def holds(load: Any) -> bool:
        return sum(load * given[m] / top // 1 for m in members) >= weight

    found = capacities.first(holds, kinds, 0, weight * top / min(given) + 1)
    assert holds(found)
    before = capacities.before(found, kinds)
    assert before < found
    assert before < 0 or not holds(before)
    whole = [found * given[m] / top for m in members]
    assert any(one.denominator == 1 for one in map(Fraction, whole))
    assert all(
        before * given[m] / top < -(-one // 1) for m, one in zip(members, whole, strict=True)
    )


def assigned(*members: int) -> Index:
    return np.array(members, dtype=np.int32)


@pytest.mark.parametrize(
    ("members", "valid"),
    [((0, 1, NOBODY), True), ((1, 1, NOBODY), True), ((0, NOBODY, NOBODY), False),
     ((0, 1, 0), False), ((0, 3, NOBODY), False), ((0, -2, NOBODY), False),
     ((2, 1, NOBODY), False)],
)  # fmt: skip
def test_is_valid(members: tuple[int, ...], valid: bool) -> None:
    group = group_of([2, 1, 0], [[0], [0], [2]])
    assert is_valid(group, assigned(*members)) == valid


@pytest.mark.parametrize("slow", [500, 400, 401, 7])
def test_a_record_of_move_cost_is_one_at_the_largest_capacity(slow: int) -> None:
    planned = reduce_group(rated_group(None, [1000, slow], [0, 0]), Policy()).group
    divisor = planned.extended.load_divisor
    assert planned.extended.move_cost_scale / divisor == pytest.approx(1 / 1000)
