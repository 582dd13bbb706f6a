"""Input as other libraries have it, and what it is accepted with although it may be a mistake."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from equilag import Group, InputError
from equilag.domain.building.group_input import (
    MAX_EXAMPLES,
    ClaimColumns,
    InputDoubt,
    PartitionOffsets,
)
from equilag.domain.group.group import Member

GIVEN: Final[dict[str, Any]] = {
    "name": "g",
    "topics": {"a": 3, "b": 2},
    "members": ["x", "y"],
    "subscriptions": {"x": ["a", "b"], "y": ["a"]},
    "owned": {"x": {"a": [0, 1]}, "y": {"a": [2]}},
    "lags": {"a": [1, None, 3], "b": [5, 6]},
    "rates": {"a": [1.5, 2, None], "b": [1, 1]},
    "weights": {"a": [1, 2, 3]},
}
TABLE: Final = pd.DataFrame(
    {"t": [*"aaabb"], "lag": [1, None, 3, 5, 6], "rate": [1.5, 2, None, 1, 1]}
)


def by_topic(column: str) -> dict[str, Any]:
    return {str(topic): rows[column] for topic, rows in TABLE.groupby("t")}


@pytest.mark.parametrize(
    "columns",
    [
        {"lags": {"a": np.array([1.0, np.nan, 3.0]), "b": np.array([5, 6])}},
        {"lags": by_topic("lag")},
        {"lags": TABLE["lag"]},
        {"lags": TABLE["lag"].to_numpy()},
        {"lags": TABLE["lag"].astype("Int64")},
        {"lags": {"a": [np.int64(1), None, np.int64(3)], "b": [5, 6]}},
        {"topics": TABLE.groupby("t").size()},
        {"topics": {"a": np.int64(3), "b": np.int64(2)}},
        {"members": pd.Series(["x", "y"])},
        {"members": np.array(["x", "y"])},
        {"subscriptions": {"x": np.array(["a", "b"]), "y": pd.Series(["a"])}},
        {"owned": {"x": {"a": pd.Series([0, 1])}, "y": {"a": np.array([2.0])}}},
        {"rates": TABLE["rate"]},
        {"rates": by_topic("rate")},
        {"weights": {"a": pd.Series([1.0, 2.0, 3.0])}},
        {"weights": {"a": [*pd.Series([1, 2, 3])]}},
    ],
)
def test_a_column_is_the_list_of_its_values(columns: dict[str, Any]) -> None:
    assert Group.build(**{**GIVEN, **columns}) == Group.build(**GIVEN)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"lags": {"a": np.array([1.5, 2, 3])}}, r"lags.a\[0\]: 1.5 is a float, not an integer"),
        ({"lags": {"a": [1.0, 2, 3]}}, r"lags.a\[0\]: 1.0 is a float, not an integer"),
        ({"lags": {"a": pd.Series(["1", "2", "3"])}}, r'lags.a\[0\]: "1" is a string'),
        ({"weights": {"a": np.array([1.0, np.nan, 3])}}, r"weights.a\[1\]: NaN is a float"),
        ({"weights": {"a": pd.Series([1, None, 3])}}, r"weights.a\[1\]: NaN is a float"),
        ({"lags": {"a": np.array([1e300, 2, 3])}}, r"lags.a\[0\]: 1e\+300 is a float"),
        ({"members": 5}, "members: 5 is an integer, not a list of members"),
    ],
)
def test_what_is_no_integer_is_refused_at_its_place(columns: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Group.build(**{**GIVEN, **columns})


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
