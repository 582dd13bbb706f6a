"""Capacities as given, and the loads that they make comparable, against plain fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag.domain.group.member_capacities import Load, MemberCapacities, decimal

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
