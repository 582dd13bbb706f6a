"""Each constraint family of the CP-SAT model alone, with something it allows and something not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from ortools.sat.python import cp_model
from support.groups import problem_of

from equilag.certificate.exhaustive.small_problem import ReadsAcross, SmallProblem
from equilag.domain.constraint import InstanceSums
from equilag.solver.cpsat import constraint_families as families
from equilag.solver.cpsat.model import CpSatLimits, parameters
from equilag.solver.cpsat.variables import Variables, scaled

LIMITS: Final = CpSatLimits(wall=20.0, deterministic=5.0)


def variables_of(problem: SmallProblem) -> Variables:
    return Variables.of(problem, scaled(problem.lag, problem.base, problem.factor))


def solvable(v: Variables, *fixed: tuple[int, int]) -> bool:
    """Has the model a solution with item i at member j, for each (i, j) of `fixed`."""
    for i, j in fixed:
        v.model.add(v.gets[i][j] == 1)
    solver = cp_model.CpSolver()
    for name, value in parameters(LIMITS).items():
        setattr(solver.parameters, name, value)
    return solver.solve(v.model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)


@pytest.mark.parametrize(
    ("fixed", "possible"), [([(0, 1), (1, 0)], True), ([(0, 0), (0, 1)], False)]
)
def test_each_once(fixed: list[tuple[int, int]], possible: bool) -> None:
    v = variables_of(problem_of([1, 2], 2, 0, 2))
    families.each_once(v)
    assert solvable(v, *fixed) == possible


def test_each_once_leaves_nothing_out() -> None:
    v = variables_of(problem_of([1], 2, 0, 1))
    families.each_once(v)
    for variable in v.gets[0].values():
        v.model.add(variable == 0)
    assert not solvable(v)


@pytest.mark.parametrize(
    ("lo", "hi", "possible"), [(0, 2, True), (2, 2, True), (3, 3, False), (0, 1, False)]
)
def test_member_counts(lo: int, hi: int, possible: bool) -> None:
    v = variables_of(problem_of([1, 1], 1, lo, hi))
    families.member_counts(v)
    assert solvable(v, (0, 0), (1, 0)) == possible


@pytest.mark.parametrize(
    ("fixed", "possible"),
    [([(0, 0), (1, 1)], True), ([(0, 0), (1, 0)], False), ([(0, 0), (2, 0)], True)],
)
def test_topic_counts(fixed: list[tuple[int, int]], possible: bool) -> None:
    # Items 0 and 1 are of one topic, one each; item 2 of another one.
    one_each = np.array([[1, 1], [0, 0]])
    problem = problem_of(
        [1, 1, 1], 2, 0, 3,
        topic=np.array([0, 0, 1]), topic_lo=one_each, topic_hi=np.ones((2, 2), np.int64),
    )  # fmt: skip
    v = variables_of(problem)
    families.topic_counts(v)
    assert solvable(v, *fixed) == possible


def test_topic_counts_adds_nothing_where_topics_do_not_count() -> None:
    v = variables_of(problem_of([1, 1], 2, 0, 2))
    families.topic_counts(v)
    assert not v.model.proto.constraints


@pytest.mark.parametrize(
    ("highest", "lowest", "possible"),
    [(8, 3, True), (7, 3, False), (8, 4, False), (11, 0, True)],
)
def test_load_extremes(highest: int, lowest: int, possible: bool) -> None:
    v = variables_of(problem_of([8, 3], 2, 0, 2))
    families.each_once(v)
    families.load_extremes(v)
    v.model.add(v.highest == highest)
    v.model.add(v.lowest == lowest)
    assert solvable(v, (0, 0), (1, 1)) == possible


@pytest.mark.parametrize(("budget", "possible"), [(None, True), (2, True), (1, False), (3, True)])
def test_move_limit(budget: int | None, possible: bool) -> None:
    # Item 0 stays, item 1 moves, item 2 comes from outside, item 3 is nobody's.
    problem = problem_of([1] * 4, 2, 0, 4, owner=np.array([0, 0, -2, -1]))
    v = variables_of(problem)
    families.each_once(v)
    families.move_limit(v, budget)
    assert solvable(v, (0, 0), (1, 1), (2, 0), (3, 1)) == possible


@pytest.mark.parametrize(
    ("fixed", "possible"),
    [([(2, 0)], True), ([(2, 1)], False), ([(1, 1)], True), ([(1, 2)], False), ([(0, 2)], True)],
)
def test_alike_members_take_the_heaviest_in_order(
    fixed: list[tuple[int, int]], possible: bool
) -> None:
    v = variables_of(problem_of([1, 5, 9], 3, 1, 1))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, *fixed) == possible


@pytest.mark.parametrize(
    "difference",
    [
        {"base": np.array([0, 1])},
        {"lo": np.array([0, 1])},
        {"hi": np.array([2, 1])},
        {"owner": np.array([1, -1])},
        {"allowed": np.array([[True, True], [True, False]])},
    ],
    ids=lambda d: next(iter(d)),
)
def test_members_that_differ_are_not_alike(difference: dict[str, Any]) -> None:
    v = variables_of(problem_of([9, 1], 2, 0, 2, **difference))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, (0, 1))


def test_what_others_may_take_too_is_not_ordered() -> None:
    # m2 may take only item 0, so that m0 and m1 are alike but share it with him.
    allowed = np.array([[True, True, True], [True, True, False]])
    v = variables_of(problem_of([9, 5], 3, 0, 2, allowed=allowed))
    families.alike_members(v, moves_matter=True)
    assert solvable(v, (0, 1))


@pytest.mark.parametrize(("member", "possible"), [(0, False), (1, True)])
def test_load_extremes_by_capacity(member: int, possible: bool) -> None:
    # 10 records are a load of 30 with the first member, and of 20 with the second.
    v = variables_of(replace(problem_of([10], 2, 0, 1), factor=np.array([3, 2])))
    families.each_once(v)
    families.load_extremes(v)
    v.model.add(v.highest <= 20)
    assert solvable(v, (0, member)) == possible


@pytest.mark.parametrize(("room", "possible"), [(2, True), (1, False)])
def test_room_is_the_end_of_an_interval(room: int, possible: bool) -> None:
    problem = replace(problem_of([1, 1, 1], 2, 0, 3), hi=np.array([1, room]))
    v = variables_of(problem)
    families.each_once(v)
    families.member_counts(v)
    assert solvable(v) == possible


@pytest.mark.parametrize(
    ("fixed", "possible"),
    [([(0, 0), (1, 2)], True), ([(0, 0), (1, 1)], False), ([(0, 2), (1, 2)], False)],
)
def test_instance_sums(fixed: list[tuple[int, int]], possible: bool) -> None:
    # Members 0 and 1 are one instance, member 2 another one; each takes one item.
    sums = InstanceSums(np.array([0, 0, 1]), np.array([1, 1]), np.array([1, 1]))
    v = variables_of(replace(problem_of([1, 1], 3, 0, 2), sums=sums))
    families.each_once(v)
    families.instance_sums(v)
    assert solvable(v, *fixed) == possible


@pytest.mark.parametrize(
    ("fixed", "possible"),
    [([(0, 0), (1, 0)], True), ([(0, 0), (1, 1)], True), ([(0, 1), (1, 1)], False)],
)
def test_reads_across(fixed: list[tuple[int, int]], possible: bool) -> None:
    reads = ReadsAcross(np.array([[0, 2], [0, 1]]), 2)
    v = variables_of(replace(problem_of([1, 1], 2, 0, 2), reads=reads))
    families.each_once(v)
    families.reads_across(v)
    assert solvable(v, *fixed) == possible


@pytest.mark.parametrize(
    ("fixed", "limit", "possible"),
    [((0, 0), 1, True), ((0, 1), 2, True), ((0, 1), 1, False), ((0, 2), 2, False)],
)
def test_moves_of_units_count_the_partitions_that_change_hands(
    fixed: tuple[int, int], limit: int, possible: bool
) -> None:
    # Of three partitions of the unit, the first member owns two, the second one.
    problem = replace(problem_of([1], 3, 0, 1), stakes=np.array([[2, 1, 0]]))
    v = variables_of(problem)
    families.each_once(v)
    families.move_limit(v, limit)
    assert solvable(v, fixed) == possible
    assert problem.moves(np.array([fixed[1]])) == 3 - [2, 1, 0][fixed[1]]


def test_forced_moves_count() -> None:
    problem = replace(problem_of([1], 2, 0, 1, owner=np.array([0])), forced_moves=2)
    for limit, possible in ((2, True), (1, False)):
        v = variables_of(problem)
        families.each_once(v)
        families.move_limit(v, limit)
        assert solvable(v, (0, 0)) == possible
