"""The sample cases of the KIPs and of published test suites, assignor by assignor."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from support.claimed_groups import load_case, named
from support.paths import CONFORMANCE

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.assignment import first_phase
from equilag.domain.plan.metrics import count_moves, member_counts
from equilag.domain.reduction.split_classes import RackReads
from equilag.heuristics import get_assignor, run_assignor


def cases(*families: str, having: str = "expect") -> list[Any]:
    found = [
        pytest.param(case, id=case["id"])
        for family in families
        for case in json.loads((CONFORMANCE / f"{family}.json").read_text())["cases"]
        if having in case or having in case["expect"]
    ]
    assert found
    return found


def one_subscription(params: list[Any]) -> list[Any]:
    """Those in which all members read the same; elsewhere only KIP-54's own rule is promised."""
    return [p for p in params if len({frozenset(s) for s in p.values[0]["members"].values()}) <= 1]


def expected(case):
    wanted = case["expect"]
    if "by_rule" in wanted:
        wanted = {**wanted, **wanted["by_rule"]["kafka4_newest_claim_wins_per_partition"]}
    return wanted


def sorted_counts(group, assigned):
    return sorted(member_counts(assigned, group.n_members).tolist(), reverse=True)


@pytest.mark.parametrize("case", cases("kip169_lag", having="kind"))
def test_lag_that_the_assignor_sees(case):
    group = load_case(case)
    wanted = [lag for topic in group.topics for lag in case["expect"]["lags"][topic]]
    assert group.lag.tolist() == wanted


@pytest.mark.parametrize("case", cases("range_roundrobin", having="rack_mismatches"))
def test_range_reads_across_racks_as_seldom_as_kafkas(case):
    group = load_case(case)
    reads = RackReads.of(group)
    assigned = run_assignor(get_assignor("range"), group)
    assert reads.count(assigned) == case["expect"]["rack_mismatches"]


@pytest.mark.parametrize("name", ["sticky", "constrained-sticky"])
@pytest.mark.parametrize("case", cases("kip54_sticky", "kip615", "exact_small"))
def test_sticky_is_balanced_by_its_own_definition(case, name):
    group = load_case(case)
    assigned = run_assignor(get_assignor(name), group)
    counts = member_counts(assigned, group.n_members)
    for partition in np.flatnonzero(assigned != NOBODY):
        readers = group.subscribers(int(group.topic_of[partition]))
        assert counts[readers].min() + 1 >= counts[assigned[partition]]


@pytest.mark.parametrize("name", ["sticky", "constrained-sticky"])
@pytest.mark.parametrize("case", one_subscription(cases("kip54_sticky", "kip615")))
def test_one_subscription_gets_the_best_counts_with_the_fewest_moves(case, name):
    group = load_case(case)
    assigned = run_assignor(get_assignor(name), group)
    assert sorted_counts(group, assigned) == expected(case)["counts_sorted"]
    assert count_moves(group, assigned) == expected(case).get("min_moves", 0)


@pytest.mark.parametrize("case", cases("kip615", having="first_phase"))
def test_first_phase_withholds_what_changes_hands(case):
    group = load_case(case)
    assigned = run_assignor(get_assignor("constrained-sticky"), group)
    first = first_phase(group, assigned)
    wanted = case["expect"]["first_phase"]
    assert np.count_nonzero(assigned != first) == wanted["withheld"]
    assert np.count_nonzero(first != NOBODY) == wanted["assigned_total"]


@pytest.mark.parametrize("case", cases("range_roundrobin", "range_racks"))
def test_range_and_round_robin(case):
    group, name = load_case(case), case["algorithm"].replace("_", "-")
    wanted = {m: sorted(map(tuple, held)) for m, held in case["expect"]["assignment"].items()}
    assert named(group, run_assignor(get_assignor(name), group)) == wanted
