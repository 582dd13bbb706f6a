"""Assignors that are given as objects: what they are called, and what is refused."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from support.groups import group_of

import equilag
from equilag import Group, InputError
from equilag.heuristics.registry import given_assignor

GROUP = group_of([4], [[0], [0]], [0, 0, 0, 0], [9, 8, 7, 1])


class Named:
    name = "mine"

    def assign(self, group: Group) -> Any:
        group.owner[:] = -1  # it has a copy
        return np.zeros(group.n_partitions, dtype=np.int32)


class Nameless:
    def assign(self, group: Group) -> Any:
        return [1] * group.n_partitions


class NeedsArgument(Named):
    def __init__(self, argument: int) -> None:
        self.argument = argument


def all_to_last(group: Group) -> Any:
    group.owner[:] = -1
    return [group.n_members - 1] * group.n_partitions


GIVEN = {
    "mine": Named(),
    "Named class": Named,
    "Nameless": Nameless(),
    "all_to_last": all_to_last,
    "partial": partial(all_to_last),
}


@pytest.mark.parametrize("what", GIVEN)
def test_what_an_assignor_may_be(what: str) -> None:
    assignor: Any = GIVEN[what]
    plan = equilag.assign(GROUP, assignor)
    assert plan.algorithm == what.replace("Named class", "mine")
    assert set(plan.assigned.tolist()) == ({0} if assignor in (Named, GIVEN["mine"]) else {1})
    assert GROUP.owner.tolist() == [0, 0, 0, 0]
    assert equilag.verify(GROUP, plan.to_dict()) == []


def test_a_name_stands_for_the_assignor_of_that_name() -> None:
    assert given_assignor("range").assignor.name == "range"


@pytest.mark.parametrize("wrong", [3, None, NeedsArgument, object()])
def test_what_is_no_assignor(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"assignor: .* is no assignor"):
        equilag.assign(GROUP, wrong)


def test_a_comparison_has_a_row_for_each() -> None:
    found = equilag.compare(GROUP, assignors=[Named(), all_to_last, "range"], effort=0.05)
    rows = {row.assignor: row for row in found.rows}
    assert [row.assignor for row in found.rows][-3:] == ["mine", "all_to_last", "equilag"]
    assert (rows["mine"].moves, rows["all_to_last"].moves) == (0, 4)
    assert rows["mine"].status == "heuristic"


@pytest.mark.parametrize("name", ["range", "current", "equilag", "mine"])
def test_a_row_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(InputError, match=f"another row is called '{name}'"):
        equilag.compare(GROUP, assignors=[Named(), partial_named(name, [0, 0, 0, 0])])


def test_an_object_that_fails_ends_the_comparison() -> None:
    with pytest.raises(InputError, match="'short' returned shape"):
        equilag.compare(GROUP, assignors=[partial_named("short", [0])])


def partial_named(name: str, answer: list[int]) -> Any:
    """A function called `name` that returns `answer`."""

    def answering(_: Group) -> list[int]:
        return answer

    answering.__name__ = name
    return answering
