"""The fields of extended groups: their meaning, from Python and from a snapshot; what is wrong."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

import numpy as np
import pytest
from support.json_schemas import replaced

from equilag import Group, InputError, Member, load_snapshot
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.building.group_input import GroupInput

SNAPSHOT: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"a": 3, "b": 3, "c": 1, "d": 0},
    "members": [
        {"id": "m2", "subscription": ["a", "b"], "rack": "r", "instance": "p", "capacity": 2.5},
        {"id": "m0", "subscription": ["a", "b", "c"], "capacity": None, "max_partitions": 0},
        {"id": "m1", "subscription": ["b", "a"], "rack": "r", "instance": "p", "capacity": 7},
    ],
    "rates": {"b": [0.5, None, 7], "c": [None]},
    "weights": {"a": [1, 0, 9]},
    "allowed": {"b": {"0": ["m2", "m0", "m2"], "2": ["m1"]}, "c": {}},
    "co_partitioned": [["b", "a"], ["c"]],
}
GIVEN: GroupInput = {
    "name": "g",
    "topics": SNAPSHOT["topics"],
    "members": [
        Member("m2", rack="r", instance="p", capacity=2.5),
        Member("m0", max_partitions=0),
        Member("m1", rack="r", instance="p", capacity=7),
    ],
    "subscriptions": {entry["id"]: entry["subscription"] for entry in SNAPSHOT["members"]},
    "rates": SNAPSHOT["rates"],
    "weights": SNAPSHOT["weights"],
    "allowed": {"b": {0: ["m2", "m0", "m2"], 2: ("m1",)}, "c": {}},
    "co_partitioned": [("b", "a"), ["c"]],
}


def check(group: Group) -> None:
    assert [member.capacity for member in group.members] == [None, 7, 2.5]
    assert [member.max_partitions for member in group.members] == [0, None, None]
    assert [member.instance for member in group.members] == [None, "p", "p"]
    nan = np.nan
    np.testing.assert_array_equal(group.rates, [nan, nan, nan, 0.5, nan, 7, nan])
    assert group.weights.tolist() == [1, 0, 9, 0, 0, 0, 0]
    assert group.allowed == {3: (0, 2), 5: (1,)}
    assert group.co_partitioned == ((1, 0),)


def test_fields_of_a_snapshot() -> None:
    check(load_snapshot(copy.deepcopy(SNAPSHOT)))
    check(load_snapshot(io.StringIO(json.dumps(SNAPSHOT))))


def test_fields_from_python_and_back_from_the_snapshot_that_is_written() -> None:
    check(Group.build(**GIVEN))
    document = snapshot_document(GIVEN)
    check(load_snapshot(json.loads(json.dumps(document))))
    assert document["allowed"]["b"] == {"0": ["m2", "m0", "m2"], "2": ["m1"]}


def test_a_group_without_them_has_none() -> None:
    plain = {name: SNAPSHOT[name] for name in ("format", "group", "topics")}
    group = load_snapshot({**plain, "members": [{"id": "m", "subscription": ["a"]}]})
    assert (group.rates, group.weights, group.allowed, group.co_partitioned) == (
        None, None, None, (),
    )  # fmt: skip
    assert group.members == (Member("m"),)
    assert {"rates", "weights", "allowed", "co_partitioned"}.isdisjoint(
        snapshot_document({**GIVEN, "rates": None, "weights": None, "allowed": {},  # type: ignore[typeddict-item]
                           "co_partitioned": []})
    )  # fmt: skip


def test_rates_and_weights_as_columns() -> None:
    floats = np.array([np.nan, 1, 2.5, 0, 0, 0, 0])
    for rates, expected in ((floats, floats), (np.array([-1, 1, 2, 3, 4, 5, 6]), None)):
        group = Group.build(**{**GIVEN, "rates": rates, "weights": np.arange(7)})
        wanted = np.array([np.nan, 1, 2, 3, 4, 5, 6]) if expected is None else expected
        np.testing.assert_array_equal(group.rates, wanted)
        assert group.weights.tolist() == [*range(7)]


def test_long_lists_are_read_the_same() -> None:
    numbers = [*range(100, 150)]
    document = {
        "format": "equilag/snapshot/1", "group": "g", "topics": {"t": 50}, "members": [],
        "weights": {"t": numbers}, "rates": {"t": [None, *numbers[1:]]},
    }  # fmt: skip
    group = load_snapshot(io.StringIO(json.dumps(document)))
    assert group.weights.tolist() == numbers
    np.testing.assert_array_equal(group.rates, [np.nan, *numbers[1:]])
    document["weights"] = {"t": [*numbers[:-1], None]}
    with pytest.raises(InputError, match=r"weights\.t\[49\]: null, not an integer"):
        load_snapshot(io.StringIO(json.dumps(document)))


WRONG: list[tuple[str, Any, str, str]] = [
    ("members/0/capacity", 0, "members[0].capacity", "0 is not a finite number above 0"),
    ("members/0/capacity", 5e-324, "members[0].capacity", "5e-324 is not between 1e-100 and"),
    ("members/0/capacity", 1e300, "members[0].capacity", "1e+300 is not between"),
    ("members/1/max_partitions", -1, "members[1].max_partitions", "-1 is below 0"),
    ("members/1/max_partitions", None, "members[1].max_partitions", "null, not an integer"),
    ("members/0/instance", "", "members[0].instance", "empty"),
    ("members/1/instance", "p", "members[1].instance", "members[0] has the same one and another s"),
    ("members/2/rack", "s", "members[2].instance", "another rack"),
    ("rates", [1], "rates", "a list, not an object"),
    ("rates/x", [1], "rates.x", '"x" is not in topics'),
    ("rates/b", [1], "rates.b", "1 entries for 3 partitions"),
    ("rates/b/1", -0.5, "rates.b[1]", "-0.5 is not a finite number, 0 or more"),
    ("rates/b/1", 5e-324, "rates.b[1]", "5e-324 is not 0, or 1e-100 to 1e+100"),
    ("rates/b/1", 1e300, "rates.b[1]", "1e+300 is not 0, or 1e-100 to 1e+100"),
    ("rates/b/2", True, "rates.b[2]", "true is a boolean, not a number"),
    ("rates/c/0", "1", "rates.c[0]", '"1" is a string, not a number'),
    ("rates/c/0", float("nan"), "rates.c[0]", "NaN is not a finite number"),
    ("rates/c/0", float("inf"), "rates.c[0]", "Infinity is not a finite number"),
    ("rates/c/0", 10**400, "rates.c[0]", "is not a finite number"),
    ("weights", None, "weights", "null, not an object"),
    ("weights/a/1", None, "weights.a[1]", "null, not an integer"),
    ("weights/a/1", 1.0, "weights.a[1]", "1.0 is a float"),
    ("weights/a/2", 2**53, "weights.a[2]", "is 2^53 or more"),
    ("allowed", [], "allowed", "a list, not an object"),
    ("allowed/x", {}, "allowed.x", '"x" is not in topics'),
    ("allowed/b", [], "allowed.b", "a list, not an object"),
    ("allowed/b/3", ["m0"], "allowed.b", "there is no partition 3; the topic has 3"),
    ("allowed/b/01", ["m0"], "allowed.b", '"01" is not the number of a partition'),
    ("allowed/b/0", "m0", "allowed.b.0", '"m0" is a string, not a list'),
    ("allowed/b/0", [], "allowed.b.0", "empty; nobody may read this partition"),
    ("allowed/b/0", ["m0", 1], "allowed.b.0[1]", "1 is an integer, not a string"),
    ("allowed/b/0", ["m0", "n1"], "allowed.b.0[1]", 'no member has the id "n1"'),
    ("allowed/c/0", ["m0", "m1"], "allowed.c.0[1]", '"m1" does not subscribe to "c"'),
    ("co_partitioned", {}, "co_partitioned", "an object, not a list"),
    ("co_partitioned", None, "co_partitioned", "null, not a list"),
    ("co_partitioned/0", "ab", "co_partitioned[0]", '"ab" is a string, not a list'),
    ("co_partitioned/0/1", 7, "co_partitioned[0][1]", "7 is an integer, not a string"),
    ("co_partitioned/0/1", "aa", "co_partitioned[0][1]", '"aa" is not in topics, did you mean "a"'),
    ("co_partitioned/0/1", "b", "co_partitioned[0][1]", '"b" is in this list already'),
    ("co_partitioned/1/0", "a", "co_partitioned[1][0]", '"a" is in another list as well'),
    ("co_partitioned/0/1", "d", "co_partitioned[0][1]", '"d" has 0 partitions, "b" 3'),
]  # fmt: skip


@pytest.mark.parametrize("field", ["members", "allowed", "co_partitioned", "rates", "weights"])
def test_what_is_wrong_is_named(field: str) -> None:
    """All cases of a field in one test, as they are many and quick."""
    cases = [case for case in WRONG if case[0].split("/")[0] == field]
    assert len(cases) > 3
    for path, value, place, problem in cases:
        keys = [
            int(key) if key.isdigit() and field != "allowed" else key for key in path.split("/")
        ]
        with pytest.raises(InputError) as caught:
            load_snapshot(replaced(SNAPSHOT, tuple(keys), value))
        assert (caught.value.place, problem in caught.value.problem) == (place, True), caught.value


def test_the_same_partition_twice() -> None:
    with pytest.raises(InputError, match=r"allowed\.b\.0: another entry has the same partition"):
        Group.build(**{**GIVEN, "allowed": {"b": {0: ["m0"], "0": ["m1"]}}})  # type: ignore[typeddict-item]


def test_weights_that_add_up_to_too_much() -> None:
    weights = np.full(600, 2**53 - 1)
    with pytest.raises(InputError, match=r"weights: the weights add up to \d+, which is 2\^62"):
        Group.build(name="g", topics={"t": 600}, members=[], subscriptions={}, weights=weights)
