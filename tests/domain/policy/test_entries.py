"""Overrides: every way to write them, there and back, and what is wrong with them."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag import InputError, Policy
from equilag.domain.policy.entries import NO_LISTS
from equilag.domain.policy.policy import SETTINGS
from equilag.domain.policy.setting import OVERRIDES

OVERRIDDEN = [one.name for one in SETTINGS.values() if one.family in OVERRIDES]
NAMES = st.text("ab-=1,.", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"capacity": {"c-*": 2, "c-1": 0.5}}, Policy(capacity=(("c-*", 2.0), ("c-1", 0.5)))),
        ({"capacity": ["c-*=2", "c-1=.5"]}, Policy(capacity=(("c-*", 2.0), ("c-1", 0.5)))),
        ({"capacity": ["a=b=2", "d=1", "a=b=3"]}, Policy(capacity=(("d", 1.0), ("a=b", 3.0)))),
        ({"max_partitions": 0}, Policy(max_partitions=(("*", 0),))),
        ({"max_partitions": ["9", "c-*=2"]}, Policy(max_partitions={"*": 9, "c-*": 2})),
        ({"instances": "client-id"}, Policy(instances="client-id")),
        ({"co_partition": ["a,b", ["c", "d", "e"]]}, Policy(co_partition=(("a", "b"),
                                                                            ("c", "d", "e")))),
        ({"co_partition": "none"}, Policy(co_partition=NO_LISTS)),
        ({"co_partition": ["none"]}, Policy(co_partition=NO_LISTS)),
        ({"pin": {("orders", 1): "c-1"}}, Policy(pin=(("orders", 1, "c-1"),))),
        ({"pin": ["or-ders-2-10=c-1", "or-ders-2-10=c-1"]}, Policy(pin=(("or-ders-2", 10,
                                                                           "c-1"),))),
        ({"pin": ["t-0=x=1-2=y"]}, Policy(pin=(("t", 0, "x=1-2=y"),))),
        ({"keep": ["b", "a", "b"]}, Policy(keep=("b", "a"))),
        ({"keep": None, "capacity": None}, Policy()),
        ({"keep": [], "capacity": {}, "pin": ()}, Policy()),
    ],
)  # fmt: skip
def test_every_way_to_give_them(given: Any, expected: Policy) -> None:
    assert Policy(**given) == expected


@given(
    st.dictionaries(NAMES, st.floats(1e-100, 1e100)),
    st.dictionaries(st.tuples(NAMES, st.integers(0, 12)), NAMES),
    st.lists(st.lists(NAMES, min_size=2, unique=True)) | st.just("none"),
    st.lists(NAMES, unique=True),
    st.dictionaries(NAMES | st.just("*"), st.integers(0, 9), min_size=1),
)
def test_there_and_back_as_json(
    capacity: Any, pin: Any, co_partition: Any, keep: Any, most: Any
) -> None:
    policy = Policy(
        capacity=capacity, pin=pin, co_partition=co_partition, keep=keep, instances="host",
        rack_aware=True, max_cross_rack=3, max_partitions=most,
    )  # fmt: skip
    again = Policy(**json.loads(json.dumps(policy.to_dict())))
    assert again == policy
    assert hash(again) == hash(policy)
    assert pickle.loads(pickle.dumps(policy)) == policy


def test_only_what_is_in_force_is_written() -> None:
    assert Policy().to_dict().keys().isdisjoint(OVERRIDDEN)
    policy = Policy(capacity={"c-*": 2}, pin={("orders", 1): "c-1"}, max_partitions=0)
    written = {name: policy.to_dict().get(name) for name in OVERRIDDEN}
    in_force = {"capacity": ["c-*=2"], "max_partitions": 0, "pin": ["orders-1=c-1"]}
    assert written == dict.fromkeys(OVERRIDDEN) | in_force


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"capacity": "c=1"}, '"c=1" is a string, not a list'),
        ({"capacity": ["c-1"]}, '"c-1" is not ID=N'),
        ({"capacity": ["=1"]}, '"" is no member\'s id or pattern'),
        ({"capacity": [1]}, "1 is an integer, not ID=N"),
        ({"capacity": ["c=fast"]}, 'the capacity of "c" is "fast", not a finite number above 0'),
        ({"capacity": {"c": 0}}, 'the capacity of "c" is 0, not'),
        ({"capacity": ["c=nan"]}, "NaN, not a finite"),
        ({"capacity": {"c": True}}, "is true, not a finite"),
        ({"capacity": {"c": 10**400}}, "not a finite number above 0"),
        ({"capacity": ["c=1e-300"]}, 'the capacity of "c" is 1e-300, not between 1e-100 and'),
        ({"max_partitions": -1}, "-1 is not a whole number, 0 or more"),
        ({"max_partitions": True}, "true is not a whole number"),
        ({"max_partitions": ["c-*=1.5"]}, '"1.5" is not a whole number'),
        ({"max_partitions": {"": 1}}, '"" is no member\'s id or pattern'),
        ({"instances": "pod"}, "unknown instances 'pod'; one of host, client-id, none"),
        ({"co_partition": "a,b"}, "a string, not a list"),
        ({"co_partition": ["a"]}, '"a" is not TOPIC1,TOPIC2'),
        ({"co_partition": ["a,b", "none"]}, "none does not go with another value"),
        ({"co_partition": ["a,"]}, '"" is no topic'),
        ({"co_partition": [["a", 1]]}, "1 is no topic"),
        ({"co_partition": [7]}, "7 is an integer, not a list"),
        ({"pin": ["orders=c-1"]}, '"orders=c-1" is not TOPIC-PARTITION=ID'),
        ({"pin": ["-1=c-1"]}, "is not TOPIC-PARTITION=ID"),
        ({"pin": {"orders-1": "c-1"}}, "not a topic, a partition and an id"),
        ({"pin": [("orders", -1, "c")]}, "not a topic, a partition and an id"),
        ({"pin": {("orders", True): "c"}}, "not a topic, a partition and an id"),
        ({"pin": ["t-1=a", "t-1=b"]}, 't-1 is pinned to "a" and to "b"'),
        ({"keep": "orders"}, '"orders" is a string, not a list'),
        ({"keep": [""]}, '"" is no topic'),
    ],
)
def test_what_is_wrong(given: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Policy(**given)
    assert caught.value.place == next(iter(given))
    assert problem in caught.value.problem


def test_a_setting_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'pins'"):
        Policy(pins=["a-1=b"])  # type: ignore[call-arg]
