"""Who may take what: units that nobody may take are named by their partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from equilag import Group, InputError, Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import reduce_group

GROUP = Group.build(
    name="g",
    topics={"a": 2, "b": 2},
    members=["m0", "m1", "n"],
    subscriptions={"m0": ["a", "b"], "m1": ["a", "b"], "n": ["a"]},
    owned={"m0": {"a": [1]}, "m1": {"b": [1]}},
    co_partitioned=[["a", "b"]],
)


@pytest.mark.parametrize(
    ("settings", "number", "whose"),
    [
        ({"pin": ["a-0=m0", "b-0=m1"]}, 0, "a-0 is for m0 only, b-0 is for m1 only"),
        ({"pin": ["a-0=n"]}, 0, "a-0 is for n only"),
        ({"keep": ["a", "b"]}, 1, "a-1 is for m0 only, b-1 is for m1 only"),
    ],
)
def test_a_unit_that_nobody_may_take(settings: Any, number: int, whose: str) -> None:
    policy = Policy(**settings)
    with pytest.raises(InputError) as caught:
        reduce_group(shape_group(GROUP, policy), policy)
    assert caught.value.place == "co_partitioned"
    unit = f"a-{number} and b-{number} are one unit"
    assert caught.value.problem == f"{unit}, but no member may take both: {whose}"


def test_a_list_that_nobody_reads_as_a_whole() -> None:
    group = Group.build(
        name="g",
        topics={"a": 2, "b": 2, "c": 2, "d": 2},
        members=["m0", "m1"],
        subscriptions={"m0": ["a", "d"], "m1": ["a", "b", "d"]},
        co_partitioned=[["a", "b", "c"]],
    )
    problem = "no member subscribes to all of a, b, c; m1 subscribes to a and b only"
    for group_, policy, place in (
        (group, Policy(), "co_partitioned"),
        (replace(group, co_partitioned=()), Policy(co_partition=["c,a,b"]), "co_partition"),
    ):
        with pytest.raises(InputError) as caught:
            reduce_group(shape_group(group_, policy), policy)
        assert (caught.value.place, caught.value.problem) == (place, problem)
