"""Moves by the members that they are between."""

from __future__ import annotations

from equilag.report.facts.plans.partition_columns import (
    MoveGroupFacts,
    moves_by_pair,
    moves_by_source,
)
from support.orders_service import orders_group

from equilag.domain.plan.plan import Plan
from equilag.planner.assign import assign


def plan() -> Plan:
    return assign(orders_group(), "range")


def test_moves_by_pair_have_every_move_once_and_the_largest_lag_first() -> None:
    moves = plan().moves
    groups = moves_by_pair(moves)
    assert sum(group.moves for group in groups) == len(moves)
    assert [group.lag for group in groups] == sorted((g.lag for g in groups), reverse=True)
    assert {(g.source, *g.targets) for g in groups} == {(m.source, m.target) for m in moves}


def test_moves_by_source_name_their_targets() -> None:
    moves = plan().moves
    groups = moves_by_source(moves)
    first = groups[0]
    mine = [move for move in moves if move.source == first.source]
    targets = tuple(sorted({move.target for move in mine}))
    lag = sum(move.lag for move in mine)
    assert first == MoveGroupFacts(first.source, targets, len(mine), lag)
    assert moves_by_source([]) == ()
