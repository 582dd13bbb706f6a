"""What holds for all built-in assignors on any group."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load, named, snapshots

from equilag.heuristics import assignor_names, get_assignor

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
