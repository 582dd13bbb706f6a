"""Columns of NumPy and pandas as input: whole floats, missing cells, sizes by name."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from equilag import Group, InputError

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
