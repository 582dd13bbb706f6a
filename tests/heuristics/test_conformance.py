"""The sample cases of the KIPs and of published test suites, assignor by assignor."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.claimed_groups import load_case, named
from support.paths import CONFORMANCE

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


@pytest.mark.parametrize("case", cases("range_roundrobin", "range_racks"))
def test_range_and_round_robin(case):
    group, name = load_case(case), case["algorithm"].replace("_", "-")
    wanted = {m: sorted(map(tuple, held)) for m, held in case["expect"]["assignment"].items()}
    assert named(group, run_assignor(get_assignor(name), group)) == wanted
