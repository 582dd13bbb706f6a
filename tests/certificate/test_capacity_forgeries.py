"""No claim about loads per unit of capacity is proved that all assignments together refute."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import equilag
from equilag.certificate.verify import check_plan
from equilag.domain.group.group import Group, Member
from equilag.domain.group.loads import written
from equilag.domain.plan.metrics import fair_load, has_capacities
from equilag.domain.plan.plan import Plan
from equilag.domain.reduction.reduce import reduce_group

NAMES = ("max_load_at_least", "min_load_at_most", "spread_at_least", "excess_at_least")


def random_plan(rng: np.random.Generator) -> tuple[Group, Plan, dict[str, Fraction]]:
    """The plan of a group of three members, and the truth about its loads by trying all."""
    size, capacity = int(rng.integers(5, 8)), rng.permutation([1, 1 + rng.integers(1, 4), 3])
    lags = rng.integers(0, 60, size)
    lags[0] *= int(rng.integers(1, 8))
    group = Group.build(
        name="test",
        topics={"t": size},
        members=[Member(f"m{n}", capacity=float(one)) for n, one in enumerate(capacity)],
        subscriptions={f"m{n}": ["t"] for n in range(3)},
        lags={"t": lags.tolist()},
    )
    plan = equilag.solve(group, effort=0.05, time_limit=60, tolerance=0)
    assert plan.policy is not None
    planned = reduce_group(plan.group, plan.policy).group
    assert has_capacities(planned)
    top = max(capacity.tolist())
    factor = np.array([Fraction(top, one) for one in capacity.tolist()], dtype=object)
    rows = np.array(list(product(range(3), repeat=size)))
    held = rows[:, :, None] == np.arange(3)
    squares = (held.sum(axis=1) ** 2 * factor).sum(axis=1)
    best = held[squares == squares.min()]
    loads = np.where(best, lags[None, :, None], 0).sum(axis=1).astype(object) * factor
    above = np.maximum(0, loads - fair_load(planned)).sum(axis=1)
    truth = {
        "max_load_at_least": loads.max(axis=1).min(),
        "min_load_at_most": loads.min(axis=1).max(),
        "spread_at_least": np.ptp(loads, axis=1).min(),
        "excess_at_least": above.min(),
    }
    return group, plan, truth


def forgeries(claim: dict[str, Any]) -> list[dict[str, Any]]:
    """The claim with other values and other data."""
    value, steps = Fraction(claim["value"]), (-9, -1, 1, 2, 9, Fraction(1, 10**9), Fraction(-1, 7))
    values = [{**claim, "value": written(max(Fraction(0), value + step))} for step in steps]
    data = claim["data"]
    others = [{**data, "members": [name]} for name in ("m0", "m2") if "members" in data]
    others += [{**data, "heaviest": k} for k in (1, 2, 3) if "heaviest" in data]
    return values + [{**claim, "data": other} for other in others]


def is_true(claim: dict[str, Any], truth: Fraction) -> bool:
    value = Fraction(claim["value"])
    return value >= truth if claim["claim"] == "min_load_at_most" else value <= truth


@pytest.mark.parametrize("number", [8, pytest.param(40, marks=pytest.mark.long)])
def test_plans_are_the_most_even_and_no_untrue_claim_is_proved(number: int) -> None:
    rng = np.random.default_rng(4)
    outcomes: Counter[tuple[str, bool]] = Counter()
    for _ in range(number):
        group, plan, truth = random_plan(rng)
        assert (plan.status, plan.evidence) == ("optimal", "checked")
        assert plan.spread_lower_bound == truth["spread_at_least"]
        document = plan.to_dict()
        claims = document["certificate"]["claims"]
        assert check_plan(group, document).findings == []
        for place, claim in enumerate(claims):
            if claim["claim"] not in NAMES:
                continue
            assert is_true(claim, truth[claim["claim"]])
            for forged in forgeries(claim):
                altered = copy.deepcopy(document)
                altered["certificate"]["claims"][place] = forged
                report = check_plan(group, altered)
                proved = any(f"claims[{place}]" in line for line in report.proved)
                assert not proved or is_true(forged, truth[forged["claim"]])
                outcomes[claim["claim"], proved] += 1
    assert all(outcomes[name, proved] > 1 for name in NAMES for proved in (True, False))
