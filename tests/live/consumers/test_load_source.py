"""When a source of load knows something of a group."""

from __future__ import annotations

from equilag.live.consumers.lag_source import ObservedLoad, SampledLags
from equilag.live.tracking.topic_columns import ObservedOffsets

SIZES = {"t": 2, "u": 1}


def test_only_topics_as_they_were_observed_are_known() -> None:
    load = ObservedLoad("earliest")
    assert load.measured({"t": 2}, []) is None
    offsets = ObservedOffsets(0.0, {"t": [0, 10]}, {"t": [100, 60], "u": [7]}, {"t": [40, None]})
    load.add(offsets, SIZES, 0.0, {})
    found = load.measured({"t": 2}, ["m"])
    assert found is not None
    assert (found.lags["t"], found.rates, found.capacities) == ([60, 50], {"t": [None] * 2}, {})
    assert found.age > 0
    assert load.measured({"t": 3}, []) is None
    assert load.measured({"t": 2, "v": 1}, []) is None


def test_the_newest_lags_of_a_function_are_known_with_their_age() -> None:
    load = SampledLags()
    assert load.measured({"t": 2}, []) is None
    load.add({"t": [1, 2]}, SIZES, 0.0, {})
    load.add({"t": [3, 4]}, SIZES, 1.0, {})
    found = load.measured({"t": 2}, [])
    assert found is not None
    assert (found.lags, found.rates) == ({"t": [3, 4]}, {})
    assert found.age > 0
    assert load.measured({"t": 3}, []) is None
    assert load.measured({"v": 1}, []) is None
