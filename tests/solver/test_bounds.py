"""The search for the best counting bounds: valid always, tight where the answer is known."""

from __future__ import annotations

import pytest
from builders import ODD, group_of, groups, small_groups
from hypothesis import given
from hypothesis import strategies as st
from oracles import Assignments

from equilag.certificate.bounds import Counting
from equilag.counts import constraint_of
from equilag.group import Group
from equilag.policy import BALANCES, Policy
from equilag.solver.balance import balanced_assignment
from equilag.solver.bounds import LoadBounds, difference, load_bounds


def bounds_of(group: Group, policy: Policy, stopped: bool = False) -> LoadBounds | None:
    constraint = constraint_of(group, policy, balanced_assignment(group, policy))
    return load_bounds(Counting(group, constraint), lambda: stopped)


def below_the_truth(group: Group, policy: Policy) -> tuple[int, int]:
    """Checks them; how many bounds there were, and how many of them are the truth itself."""
    found = bounds_of(group, policy)
    truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced(policy.balance)
    if found is None:
        assert not truth.active
        return 0, 0
    highest, lowest = int(truth.highest.min()), int(truth.lowest.max())
    assert found.highest.value <= highest
    assert lowest <= found.lowest.value
    assert found.spread <= truth.spread.min()
    assert difference(found).value == found.spread
    return 2, int(found.highest.value == highest) + int(found.lowest.value == lowest)


@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_below_the_truth_and_often_equal_to_it(name: str) -> None:
    number = tight = 0
    for group in small_groups(seed=41, n=100):
        for balance in BALANCES:
            made, exact = below_the_truth(group, Policy.of(name, balance))
            number, tight = number + made, tight + exact
    assert tight > number / 2


@given(groups(limit=200), st.sampled_from(BALANCES))
def test_below_the_truth_on_odd_shapes(group: Group, balance: str) -> None:
    below_the_truth(group, Policy.of(balance=balance))


@pytest.mark.parametrize("policy", [Policy.of(), Policy.of("kip-169")], ids=lambda p: p.name)
@pytest.mark.parametrize("name", ODD)
def test_a_bound_cut_short_is_the_average_of_all(name: str, policy: Policy) -> None:
    group = ODD[name]()
    whole, cut = bounds_of(group, policy), bounds_of(group, policy, stopped=True)
    if cut is None or whole is None:
        assert group.idle.all()
        return
    active = int((~group.idle).sum())
    total = int(group.lag[group.assignable].sum())
    assert cut.highest.data == cut.lowest.data == {"members": "all"}
    assert (cut.highest.value, cut.lowest.value) == (-(-total // active), total // active)
    assert whole.highest.value >= cut.highest.value
    assert whole.lowest.value <= cut.lowest.value


@pytest.mark.parametrize(
    ("group", "highest", "lowest", "kinds"),
    [
        (group_of([4], [[0]] * 2, lags=[100, 7, 5, 3]), 103, 12, ("heavy", "rest")),
        (group_of([4], [[0]] * 4, lags=[100, 90, 1, 2]), 100, 1, ("heavy", "rest")),
        (group_of([2, 2], [[0], [1]], lags=[5, 6, 1, 1]), 11, 2, ("average", "average")),
        (group_of([4], [[0]] * 2, lags=[5, 6, 4, 5]), 10, 10, ("average", "average")),
    ],
)
def test_tight_where_the_answer_is_plain(
    group: Group, highest: int, lowest: int, kinds: tuple[str, str]
) -> None:
    found = bounds_of(group, Policy.of())
    assert found is not None
    assert (found.highest.value, found.lowest.value) == (highest, lowest)
    assert (found.highest.kind, found.lowest.kind) == kinds
    truth = Assignments.all(group).balanced("total")
    assert (int(truth.highest.min()), int(truth.lowest.max())) == (highest, lowest)


def test_many_classes_of_members_stay_within_the_limit_of_sets() -> None:
    """More classes than sets that are tried: still valid, and about as many sets as allowed."""
    group = group_of([2] * 70, [[t, (t + 1) % 70] for t in range(70)], lags=[1, 3] * 70)
    found = bounds_of(group, Policy.of())
    assert found is not None
    assert found.highest.value >= 4
    assert found.lowest.value <= 4
