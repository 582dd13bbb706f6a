"""Settings: each declared once, and all that is made of that; lists of entries."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from functools import partial
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equilag import InputError, Policy
from equilag.domain.policy.entries import NO_LISTS
from equilag.domain.policy.policy import ALWAYS, SETTINGS
from equilag.domain.policy.policy_settings import BALANCES, POLICIES
from equilag.domain.policy.setting import OVERRIDES, Setting
from equilag.planner.solving.run_settings import PolicySettings

VALUES: dict[str, Any] = {
    "name": "kip-169", "balance": "none", "move_cost": 7, "tolerance": 0.25, "max_moves": 3,
    "fresh": True, "move_weight": "lag", "max_move_weight": 8, "weight": "rate", "horizon": 90.5,
    "rack_aware": True, "max_cross_rack": 2,
    "capacity": {"c-*": 2.5}, "max_partitions": 4, "instances": "host",
    "co_partition": [["a", "b"]], "pin": {("t", 1): "-c"}, "keep": ["t"], "add_members": 5,
}  # fmt: skip
"""A value of each setting that is not its default."""


def with_value(name: str) -> Policy:
    return Policy(**{name: VALUES[name]})


def test_the_keywords_of_the_library_are_the_settings() -> None:
    assert PolicySettings.__annotations__.keys() == SETTINGS.keys() - {"name"}
    assert VALUES.keys() == SETTINGS.keys()


@pytest.mark.parametrize("declared", SETTINGS.values(), ids=lambda one: one.name)
def test_a_setting(declared: Setting) -> None:
    policy = with_value(declared.name)
    own = {declared.name, *(["balance"] if declared.name == "name" else [])}
    assert own >= policy.in_force().keys() == {declared.name}
    assert policy.has(declared.family)
    assert declared.name not in policy.without(declared.family).in_force()
    assert policy.only(declared.family) == policy
    assert declared.option in " ".join(policy.option_words())
    assert declared.help
    assert Policy(**{declared.name: None}) == Policy()
    if declared.shown_with is None:
        assert Policy(**json.loads(json.dumps(policy.to_dict()))) == policy
        jsonschema.validate(policy.to_dict()[declared.name], declared.form.schema())
    for make in (Policy, partial(replace, Policy())):
        with pytest.raises(InputError) as caught:
            make(**{declared.name: object()})
        assert caught.value.place == declared.place


def test_what_stands_in_a_plan() -> None:
    assert ALWAYS == ("name", "balance", "move_cost", "tolerance", "max_moves", "fresh")
    assert tuple(Policy().to_dict()) == ALWAYS
    assert "horizon" not in with_value("horizon").to_dict()
    assert Policy(weight="work").to_dict()["horizon"] == 300.0


def test_a_command_refuses_what_it_cannot_take() -> None:
    policy = Policy(max_moves=1, max_partitions=2)
    with pytest.raises(InputError, match="max_moves"):
        policy.check_for("size")
    assert policy.fit_for("size") == Policy(max_partitions=2)
    policy.fit_for("size").check_for("size")


def test_words_name_what_is_not_a_default() -> None:
    assert Policy().words() == ["lag-aware"]
    policy = Policy("kip-169", "none", 1500, 12.5, max_cross_rack=1)
    assert policy.words() == [
        "kip-169", "balance none", "a move must save 1,500", "tolerance 12.5 % of the mean",
        "at most 1 read across racks",
    ]  # fmt: skip


@pytest.mark.parametrize("name", POLICIES)
def test_a_policys_own_balance(name: str) -> None:
    assert Policy(name).balance == ("per-topic" if name == "kip-169" else "total")
    assert Policy(name).moves_first == ("sticky" in name)
    for balance in BALANCES:
        assert Policy(name, balance).balance == balance


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
