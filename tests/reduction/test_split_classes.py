"""Who may take what: units that nobody may take are named by their partitions."""

from __future__ import annotations

from typing import Any

import pytest

from equilag import Group, InputError, Policy
from equilag.overrides.shape import shape_group
from equilag.reduction.reduce import reduce_group

GROUP = Group.build(
    name="g",
    topics={"a": 2, "b": 2},
    members=["m0", "m1", "n"],
    subscriptions={"m0": ["a", "b"], "m1": ["a", "b"], "n": ["a"]},
    owned={"m0": {"a": [1]}, "m1": {"b": [1]}},
    co_partitioned=[["a", "b"]],
)


@pytest.mark.parametrize(
    ("settings", "number"),
    [
        ({"pin": ["a-0=m0", "b-0=m1"]}, 0),
        ({"pin": ["a-0=n"]}, 0),
        ({"keep": ["a", "b"]}, 1),
    ],
)
def test_a_unit_that_nobody_may_take(settings: Any, number: int) -> None:
    policy = Policy(**settings)
    with pytest.raises(InputError) as caught:
        reduce_group(shape_group(GROUP, policy.overrides), policy)
    assert caught.value.place == "co_partitioned"
    assert caught.value.problem == f"no member may take a-{number}, b-{number} together"
