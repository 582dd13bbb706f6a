"""Bounds from a folded list of lags: never beyond the truth, exact where all read the same."""

from __future__ import annotations

import numpy as np
import pytest
from support.constraints import constraint_for, counting_of
from support.groups import group_of
from support.oracles import Assignments

from equilag.certificate.bounds.heaviest import folded
from equilag.certificate.checks.claim_checks import check_claim
from equilag.certificate.ledger import Ledger, Refuted
from equilag.certificate.verify import verify
from equilag.domain.policy.policy import Policy
from equilag.planner.solve import solve
from equilag.solver.lower_bounds.load_bounds import load_bounds


def test_exact_where_all_may_take_everything() -> None:
    rng = np.random.default_rng(6)
    for _ in range(16):
        members = int(rng.integers(2, 5))
        lags = rng.integers(0, 100, int(rng.integers(members, 2 * members + 1)))
        group = group_of([len(lags)], [[0]] * members, lags=lags)
        truth = Assignments.all(group).balanced("total")
        found = folded(counting_of(group, Policy()), ~group.idle)
        assert found == (truth.highest.min(), truth.lowest.max())


def test_bounds_and_plans_rest_on_it() -> None:
    rng = np.random.default_rng(7)
    lags = np.sort(rng.lognormal(6, 2, 240).astype(np.int64))
    group = group_of([240], [[0]] * 125, lags=lags)
    places = np.concatenate((lags[::-1], np.zeros(10, np.int64)))
    found = load_bounds(counting_of(group, Policy()), lambda: False)
    assert found.lowest.kind == "folding"
    assert found.lowest.value == int((places[:125] + places[:124:-1]).min())
    plan = solve(group, effort=0.5)
    assert {"folding"} <= {claim.kind for claim in plan.claims}
    assert not verify(group, plan)


@pytest.mark.parametrize(("name", "value"), [("min_load_at_most", 109), ("max_load_at_least", 301)])
def test_a_refusal_says_what_the_folded_list_proves(name: str, value: int) -> None:
    for sizes, finding in (([5], r"prove no \w+ than"), ([7], "prove nothing")):
        lags = [1, 10, 100, 200, 300, 0, 0][: sizes[0]]
        group = group_of(sizes, [[0]] * 3, lags=lags)
        ledger = Ledger(group, group, Policy(), constraint_for(group, Policy()), True, None)
        with pytest.raises(Refuted, match=finding):
            check_claim(ledger, (name, "folding"), value, {"members": "all"})
