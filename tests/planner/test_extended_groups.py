"""Plans of extended groups against an oracle that knows nothing of equilag's ways.

Larger groups are held to a min-cost flow over single partitions, tiny ones to all assignments.
"""

from __future__ import annotations

from itertools import cycle
from random import Random
from typing import Final

import pytest
from support.extended_groups import FIELDS, ExtendedShape, extended_snapshot
from support.groups import snapshot_of
from support.oracle_groups import cheapest_assignment
from support.oracle_optima import Settings, all_optima, flow_differences, spread_differences
from support.oracle_snapshots import Snapshot, give_move_weights, read_group

MIXTURES: Final = {name: frozenset({name, "subscriptions"}) for name in FIELDS} | {
    "all": frozenset(FIELDS),
    "all but instances": frozenset(FIELDS) - {"instance"},
    "all but subscriptions": frozenset(FIELDS) - {"subscriptions"},
    "capacity, room, instance": frozenset({"capacity", "room", "instance"}),
    "rack, co_partitioned, allowed": frozenset({"rack", "co_partitioned", "allowed"}),
}
"""What the fields of a group are drawn from, by name of the case."""
SETTINGS: Final[tuple[Settings, ...]] = (
    {"rack_aware": True},
    {"rack_aware": True, "balance": "none"},
    {},
)
"""The settings of a case take turns."""

MANY: Final = 1_000
"""Groups of 8 × 30 in the long test, and the figure in docs/benchmark.md."""
MANY_WEIGHED: Final = 2_000
"""Groups whose moves have weights in the long test."""
MANY_TINY: Final = 300

THEN_TOPICS: Final = {"balance": "total-then-topics"}
"""Beside what it refuses: instances."""
TOPIC_MIXTURES: Final = [name for name, it in MIXTURES.items() if "instance" not in it]

mixtures = pytest.mark.parametrize("mixture", MIXTURES)


def snapshots(mixture: str, number: int, members: int, units: int) -> list[Snapshot]:
    rng = Random(mixture)
    shape = ExtendedShape(members, units, MIXTURES[mixture])
    return [extended_snapshot(rng, shape) for _ in range(number)]


@mixtures
def test_the_flow_finds_what_all_assignments_show(mixture: str) -> None:
    for snapshot in snapshots(mixture, 2, members=3, units=7):
        group = read_group(snapshot)
        for rack_aware, counted in ((True, True), (False, True), (True, False)):
            placed = cheapest_assignment(group, rack_aware, counted)
            optima = all_optima(group, rack_aware, counted)
            assert (placed is None) == (optima is None)
            if placed is not None and optima is not None:
                flow, best = group.figures(placed), optima.figures
                assert flow.moves == best.moves
                assert not counted or (flow.instances, flow.members) == (
                    best.instances,
                    best.members,
                )
                assert not rack_aware or flow.cross == best.cross


@mixtures
@pytest.mark.parametrize(
    ("number", "members", "units"),
    [
        (2, 5, 15),
        pytest.param(MANY // len(MIXTURES) + 1, 8, 30, marks=pytest.mark.long),
        pytest.param(3, 24, 120, marks=pytest.mark.long),
    ],
)
def test_counts_racks_and_moves_are_those_of_a_flow(
    number: int, members: int, units: int, mixture: str
) -> None:
    many = snapshots(mixture, number, members, units)
    for snapshot, settings in zip(many, cycle(SETTINGS), strict=False):
        assert flow_differences(snapshot, settings) == []


@mixtures
@pytest.mark.parametrize(
    ("number", "members", "units"),
    [(3, 4, 10), pytest.param(MANY_WEIGHED // len(MIXTURES) + 1, 6, 16, marks=pytest.mark.long)],
)
def test_the_moved_weight_is_that_of_a_flow(
    number: int, members: int, units: int, mixture: str
) -> None:
    rng = Random(f"weights of {mixture}")
    many = snapshots(mixture, number, members, units)
    for snapshot, settings in zip(many, cycle(SETTINGS), strict=False):
        assert flow_differences(give_move_weights(rng, snapshot), settings) == []


@mixtures
@pytest.mark.parametrize(
    ("number", "units", "effort"),
    [(1, 7, 0.1), pytest.param(MANY_TINY // len(MIXTURES) + 1, 10, 0.5, marks=pytest.mark.long)],
)
def test_tiny_groups_are_as_even_as_any_assignment(
    number: int, units: int, effort: float, mixture: str
) -> None:
    first = [*MIXTURES].index(mixture)
    for turn, snapshot in enumerate(snapshots(mixture, number, 4, units), first):
        if read_group(snapshot).n_assignments <= 4**9:
            settings = SETTINGS[turn % len(SETTINGS)]
            assert spread_differences(snapshot, settings, effort) == []


@pytest.mark.parametrize("mixture", TOPIC_MIXTURES)
@pytest.mark.parametrize(
    ("number", "members", "units"),
    [(3, 5, 15), *(pytest.param(200, 4 + n, 16, marks=pytest.mark.long) for n in range(2))],
)
def test_totals_then_topics_racks_and_moves_are_those_of_a_flow(
    number: int, members: int, units: int, mixture: str
) -> None:
    for turn, snapshot in enumerate(snapshots(mixture, number, members, units)):
        settings = {**THEN_TOPICS, "rack_aware": turn % 3 > 0}
        assert flow_differences(snapshot, settings) == [], turn


@pytest.mark.parametrize("mixture", TOPIC_MIXTURES)
@pytest.mark.parametrize(("number", "units"), [(1, 6), pytest.param(60, 9, marks=pytest.mark.long)])
def test_totals_then_topics_of_tiny_groups(number: int, units: int, mixture: str) -> None:
    for snapshot in snapshots(mixture, number, 4, units):
        if read_group(snapshot).n_assignments <= 4**8:
            assert spread_differences(snapshot, {**THEN_TOPICS, "rack_aware": True}, 0.5) == []


def test_the_bound_on_moves_has_those_that_nothing_avoids() -> None:
    snapshot = snapshot_of([1], [[0], [0]], [1], [1])
    assert flow_differences(snapshot | {"allowed": {"t00": {"0": ["m00"]}}}, {}) == []
