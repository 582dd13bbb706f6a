"""Figures of an assignment: counts, loads, moves, validity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from support.groups import first_valid, group_of, groups
from support.orders_service import rated_group

from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.metrics import alike, is_valid, member_loads, spread
from equilag.domain.policy.policy import Policy
from equilag.domain.reduction.reduce import reduce_group


def assigned(*members: int) -> Index:
    return np.array(members, dtype=np.int32)


@given(groups())
def test_figures_as_from_a_list(group: Group) -> None:
    column = first_valid(group)
    loads = [0] * group.n_members
    for partition, member in enumerate(column.tolist()):
        if member != NOBODY:
            loads[member] += int(group.lag[partition])
    active = [load for load, idle in zip(loads, group.idle.tolist(), strict=True) if not idle]
    figures = alike(member_loads(column, group.lag, group.n_members), group.idle)
    assert figures.weight.tolist() == loads
    assert (figures.max, figures.min) == (max(active, default=0), min(active, default=0))
    assert figures.mean == (sum(active) / len(active) if active else 0.0)
    assert figures.spread == spread(np.array(loads, np.int64), group.idle)


@pytest.mark.parametrize(
    ("members", "valid"),
    [((0, 1, NOBODY), True), ((1, 1, NOBODY), True), ((0, NOBODY, NOBODY), False),
     ((0, 1, 0), False), ((0, 3, NOBODY), False), ((0, -2, NOBODY), False),
     ((2, 1, NOBODY), False)],
)  # fmt: skip
def test_is_valid(members: tuple[int, ...], valid: bool) -> None:
    group = group_of([2, 1, 0], [[0], [0], [2]])
    assert is_valid(group, assigned(*members)) == valid


@pytest.mark.parametrize("slow", [500, 400, 401, 7])
def test_a_record_of_move_cost_is_one_at_the_largest_capacity(slow: int) -> None:
    planned = reduce_group(rated_group(None, [1000, slow], [0, 0]), Policy()).group
    divisor = planned.extended.load_divisor
    assert planned.extended.move_cost_scale / divisor == pytest.approx(1 / 1000)
