"""What holds for all built-in assignors on any group; sample cases of KIPs and published suites."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load, load_case, named, snapshots
from support.paths import CONFORMANCE

from equilag.domain.reduction.split_classes import RackReads
from equilag.heuristics import assignor_names, get_assignor, run_assignor

NAMES = assignor_names()


@given(data=st.data())
def test_every_partition_goes_to_one_subscriber(data):
    snapshot = data.draw(snapshots())
    group = load(snapshot)
    subscriptions = {m["id"]: set(m["subscription"]) for m in snapshot["members"]}
    read = set().union(*subscriptions.values())
    wanted = [(t, p) for t, n in snapshot["topics"].items() if t in read for p in range(n)]
    for name in NAMES:
        assigned = get_assignor(name).assign(group)
        assert assigned.dtype == np.int32
        held = named(group, assigned)
        assert held.keys() == subscriptions.keys()
        assert all(topic in subscriptions[m] for m, mine in held.items() for topic, _ in mine)
        assert sorted(pair for mine in held.values() for pair in mine) == sorted(wanted), name


@given(data=st.data())
def test_the_order_of_the_listing_decides_nothing(data):
    snapshot = data.draw(snapshots())
    shuffled = copy.deepcopy(snapshot)
    shuffled["members"] = data.draw(st.permutations(shuffled["members"]))
    shuffled["topics"] = dict(data.draw(st.permutations(list(snapshot["topics"].items()))))
    for member in shuffled["members"]:
        member["subscription"] = data.draw(st.permutations(member["subscription"]))
    first, second = load(snapshot), load(shuffled)
    for name in NAMES:
        assign = get_assignor(name).assign
        assert named(first, assign(first)) == named(second, assign(second)), name


@given(group=groups())
def test_the_group_is_left_as_it_was(group):
    columns = ("topic_start", "class_of", "lag", "claim_member", "claim_partition", "owner")
    frozen = replace(group, **{column: getattr(group, column).copy() for column in columns})
    for column in columns:
        getattr(frozen, column).setflags(write=False)
    for name in NAMES:
        assigned = get_assignor(name).assign(frozen)
        assert assigned.tolist() == get_assignor(name).assign(group).tolist(), name
        assert not np.shares_memory(assigned, frozen.owner)


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
