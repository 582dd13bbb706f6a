"""The table of places: loads and holders follow every exchange, counts keep to their intervals."""

from __future__ import annotations

import numpy as np
from support.groups import random_group
from support.local_search import start

from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.policy import Policy
from equilag.solver.exchange.places import NOTHING, PlaceTable


def tables(seed: int, n: int) -> list[tuple[Group, CountConstraint, Index, PlaceTable]]:
    rng, made = np.random.default_rng(seed), []
    for number in range(n):
        group = random_group(rng, topics=6, members=9, size=8, reads=0.5, owned=0.3)
        policy = Policy(("lag-aware", "sticky-yet-fair")[number % 2])
        constraint, assigned = start(group, policy, keep=False)
        members = np.flatnonzero(~group.idle & (rng.random(group.n_members) < 0.8))
        made.append((group, constraint, assigned, PlaceTable(group, constraint, assigned, members)))
    return made


def check(group: Group, constraint: CountConstraint, assigned: Index, places: PlaceTable) -> None:
    found = places.assigned(assigned)
    assert constraint.admits(found)
    loads = member_loads(found, group.lag, group.n_members)[places.members]
    assert np.array_equal(places.loads, loads)
    for row, held in enumerate(places.table):
        mine = sorted(place for place in held.tolist() if place != NOTHING)
        assert mine == np.flatnonzero(places.holder == row).tolist()
    assert np.array_equal(places.table[places.holder, places.column], np.arange(len(places.lag)))


def test_a_table_is_the_assignment_of_its_members() -> None:
    for group, constraint, assigned, places in tables(seed=1, n=20):
        check(group, constraint, assigned, places)
        assert np.array_equal(places.assigned(assigned), assigned)
        least, most = constraint.counts_of(places.members)
        held = np.bincount(places.holder, minlength=len(places.members))
        fixed = assigned[~constraint.free & (assigned >= 0)]
        pinned = np.bincount(fixed, minlength=group.n_members)
        assert np.array_equal(held + pinned[places.members], most)
        assert np.array_equal(places.room, most - least)


def test_wide_intervals_make_no_wide_table() -> None:
    """Where counts do not matter, a member may give all that it holds, and gain one."""
    group = random_group(np.random.default_rng(4), topics=6, members=9, size=40, reads=0.5)
    constraint, assigned = start(group, Policy(balance="none"), keep=False)
    members = np.flatnonzero(~group.idle)
    places = PlaceTable(group, constraint, assigned, members)
    counts = np.bincount(assigned[assigned >= 0], minlength=group.n_members)[members]
    assert counts.max() < group.n_partitions - 1
    assert places.table.shape == (len(members), counts.max() + 1)
    assert np.array_equal(places.n_empty, np.ones(len(members)))
    assert np.array_equal(places.room, counts + 1)
    check(group, constraint, assigned, places)


def test_pairs_are_what_the_constraint_lets_members_take() -> None:
    for _, constraint, _, places in tables(seed=2, n=10):
        place, row = places.pairs
        found = set(zip(place.tolist(), row.tolist(), strict=True))
        for number in range(len(places.lag)):
            for taker, member in enumerate(places.members.tolist()):
                if number < places.n_partitions:
                    may = bool(constraint.may(int(places.partition[number]), member))
                else:
                    may = bool(places.room[taker])
                assert ((number, taker) in found) is may


def test_exchanges_keep_loads_and_counts() -> None:
    rng, done = np.random.default_rng(3), 0
    for group, constraint, assigned, places in tables(seed=3, n=30):
        for _ in range(8 if len(places.lag) else 0):
            one, other = rng.integers(len(places.lag), size=2).tolist()
            rows = int(places.holder[one]), int(places.holder[other])
            place, row = places.pairs
            able = set(zip(place.tolist(), row.tolist(), strict=True))
            real = max(one, other) < places.n_partitions
            if rows[0] != rows[1] and real and {(one, rows[1]), (other, rows[0])} <= able:
                places.rotate([one, other])
                assert (int(places.holder[one]), int(places.holder[other])) == rows[::-1]
                done += 1
            check(group, constraint, assigned, places)
    assert done > 10


def test_a_layer_is_dealt_anew_and_earlier_holders_can_be_taken_back() -> None:
    for group, constraint, assigned, places in tables(seed=4, n=10):
        before = places.holder.copy()
        rows = np.flatnonzero(np.bincount(places.holder, minlength=len(places.members)))
        if len(rows) < len(places.members):
            continue
        layer = places.table[:, 0].copy()
        places.permute(layer, np.roll(np.arange(len(layer)), 1))
        assert np.array_equal(places.holder[layer], np.roll(np.arange(len(layer)), 1))
        places.hold(before)
        check(group, constraint, assigned, places)
        assert np.array_equal(places.assigned(assigned), assigned)
