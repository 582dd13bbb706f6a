"""What members give to one another."""

from __future__ import annotations

import numpy as np
import pytest
from support.groups import group_of
from support.orders_service import orders_group

from equilag.domain.plan.move import Move
from equilag.planner.assign import assign
from equilag.planner.facts.moves import (
    FlowFacts,
    flows_by_pair,
    flows_that_say_most,
    partition_columns,
    sorted_moves,
)
from equilag.planner.solve import solve


def moves_of(n: int, members: int) -> tuple[Move, ...]:
    """Of a plan in which nearly every partition changes hands."""
    group = group_of([n], [[0]] * members, owners=np.arange(n) % members, lags=np.arange(n))
    plan = solve(group, time_limit=0)
    return type(plan)(plan.group, None, "fallback", "by hand", np.roll(group.owner, 1)).moves


@pytest.mark.parametrize("members", [2, 30])
def test_every_move_is_in_one_flow_the_largest_lag_first(members: int) -> None:
    moves = moves_of(60, members)
    flows = flows_by_pair(moves)
    assert sum(flow.partitions for flow in flows) == len(moves)
    assert sum(flow.lag for flow in flows) == sum(move.lag for move in moves)
    assert [flow.lag for flow in flows] == sorted((flow.lag for flow in flows), reverse=True)
    assert {(f.source, f.target) for f in flows} == {(m.source, m.target) for m in moves}


def test_flows_between_many_pairs_are_by_the_member_that_gives() -> None:
    group = orders_group()
    moves = assign(group, "range").moves
    assert len(moves) < 2 * len(flows_by_pair(moves))
    flows = flows_that_say_most(moves)
    assert len({flow.source for flow in flows}) == len(flows)
    first = flows[0]
    mine = [move for move in moves if move.source == first.source]
    targets = {move.target for move in mine}
    target = f"{len(targets)} members" if len(targets) > 1 else next(iter(targets))
    lag = sum(move.lag for move in mine)
    assert first == FlowFacts(first.source, target, len(mine), lag)
    two = moves_of(60, 2)
    assert flows_that_say_most(two) == flows_by_pair(two)
    assert flows_that_say_most([]) == ()


def test_columns_of_partitions() -> None:
    plan = assign(orders_group(), "range")
    found = partition_columns(plan)
    assert (found.topics, found.members) == (("orders", "payments"), ("a", "b", "c"))
    assert [found.topics[one] for one in found.topic].count("orders") == 5
    assert sorted_moves(plan)[0].lag == max(move.lag for move in plan.moves)
