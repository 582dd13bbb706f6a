"""What a group's input is accepted with although it may be a mistake: counted, and by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from equilag.domain.building.group_input import (
    MAX_EXAMPLES,
    ClaimColumns,
    InputDoubt,
    PartitionOffsets,
)
from equilag.domain.group.group import Group, Member


def doubts(**given: Any) -> dict[str, InputDoubt]:
    group = Group.build(
        **{
            "name": "g",
            "topics": {"orders": 3, "payments": 2},
            "members": ["c-1", "c-2"],
            "subscriptions": {"c-1": ["orders"], "c-2": ["orders"]},
            **given,
        }
    )
    return {doubt.kind: doubt for doubt in group.doubts}


def test_an_ordinary_group_has_none() -> None:
    owned = {"c-1": {"orders": [0, 0]}, "c-2": {"orders": [1]}}
    assert not doubts(owned=owned, lags={"orders": [1, 2, 3]})


def test_two_claims_of_one_generation_void_each_other() -> None:
    owned = {"c-1": {"orders": [0, 1]}, "c-2": {"orders": [1]}, "c-3": {"orders": [1, 0]}}
    subscriptions = {key: ["orders"] for key in owned}
    members = [Member("c-1", generation=4), Member("c-2", generation=4), Member("c-3")]
    found = doubts(members=members, owned=owned, subscriptions=subscriptions)
    twice = InputDoubt("claimed_twice", 1, (("orders-1", "c-1", "c-2"),))
    assert found == {"claimed_twice": twice}


def test_dropped_claims_say_why() -> None:
    owned = {"c-1": {"gone": [2, 2], "orders": [0, 7], "payments": [1]}}
    dropped = doubts(owned=owned)["dropped_claim"]
    assert (dropped.count, set(dropped.examples)) == (3, {
        ("gone-2", "c-1", "no such topic"),
        ("orders-7", "c-1", "no such partition"),
        ("payments-1", "c-1", "not subscribed"),
    })  # fmt: skip
    columns = ClaimColumns(np.array([1, 1, 0]), np.array([4, 0, 3]))
    dropped = doubts(owned=columns)["dropped_claim"]
    assert dropped.examples == (
        ("payments-0", "c-1", "not subscribed"),
        ("payments-1", "c-2", "not subscribed"),
    )
    many = doubts(owned={"c-1": {"orders": list(range(3, 20))}})["dropped_claim"]
    assert (many.count, len(many.examples)) == (17, MAX_EXAMPLES)


def test_topics_that_do_not_exist() -> None:
    shared = ["orders", "audti", "audti", "gone"]
    found = doubts(subscriptions={"c-1": shared, "c-2": shared})
    names = (("c-1", "audti"), ("c-1", "gone"), ("c-2", "audti"), ("c-2", "gone"))
    assert found == {"missing_topic": InputDoubt("missing_topic", 4, names)}
    assert not doubts(topics={"orders": 3, "gone": 0, "audti": 0}, subscriptions={
        "c-1": shared, "c-2": [*shared],
    })  # fmt: skip
    many = {"c-1": [f"t{n}" for n in range(9)], "c-2": ["x"]}
    assert doubts(subscriptions=many)["missing_topic"].count == 10


def test_topics_with_lags_and_offsets() -> None:
    offsets = PartitionOffsets({"orders": [0] * 3}, {"orders": [9] * 3}, {"orders": [1] * 3})
    both = InputDoubt("lags_and_offsets", 1, (("orders",),))
    for lags in ({"orders": [1, 2, 3]}, np.arange(5)):
        assert doubts(lags=lags, offsets=offsets) == {"lags_and_offsets": both}
    assert not doubts(lags={"payments": [1, 2]}, offsets=offsets)
