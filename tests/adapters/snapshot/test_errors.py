"""Every kind of malformed snapshot: the error names the place and says what is wrong."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

Snapshot = dict[str, Any]


def valid() -> Snapshot:
    return {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"orders": 3, "we ird": 2},
        "subscriptions": {"all": ["orders", "we ird"]},
        "members": [
            {"id": "b", "subscription": "all", "owned": {"orders": [0, 1], "we ird": [1]}},
            {"id": "a", "subscription": ["orders"], "owned": {"orders": [2]}, "capacity": 1.0},
        ],
        "generation": 4,
        "offsets": {
            "orders": {"log_start": [0, 0, 5], "log_end": [9, 9, 9], "committed": [1, None, 9]}
        },
        "lags": {"we ird": [1, 2]},
        "auto_offset_reset": "latest",
        "racks": {"orders": [["r1"], [], ["r1", "r2"]]},
    }


def put(path: str, value: object) -> Callable[[Snapshot], None]:
    """Sets the field at a path such as `members.0.owned`."""

    def change(snapshot: Snapshot) -> None:
        *parents, last = path.split("/")
        spot: Any = snapshot
        for key in parents:
            spot = spot[int(key)] if isinstance(spot, list) else spot[key]
        if isinstance(spot, list):
            spot[int(last)] = value
        else:
            spot[last] = value

    return change


def remove(path: str) -> Callable[[Snapshot], None]:
    def change(snapshot: Snapshot) -> None:
        *parents, last = path.split("/")
        spot: Any = snapshot
        for key in parents:
            spot = spot[int(key)] if isinstance(spot, list) else spot[key]
        del spot[last]

    return change


def refused(change: Callable[[Snapshot], None]) -> InputError:
    snapshot = copy.deepcopy(valid())
    change(snapshot)
    with pytest.raises(InputError) as caught:
        load_snapshot(snapshot)
    assert caught.value.source is None
    assert "\n" not in str(caught.value)
    return caught.value


BIG = 2**53
HUGE = 10**5000

CASES: list[tuple[str, Callable[[Snapshot], None], str, str]] = [
    # the top level
    ("unknown field", put("lag", {}), "lag", 'unknown field, did you mean "lags"?'),
    ("unknown odd field", put("o dd", 1), '["o dd"]', "unknown field"),
    ("no format", remove("format"), "format", "missing"),
    ("no group", remove("group"), "group", "missing"),
    ("no topics", remove("topics"), "topics", "missing"),
    ("no members", remove("members"), "members", "missing"),
    (
        "other format",
        put("format", "equilag/plan/1"),
        "format",
        '"equilag/plan/1" is not',
    ),
    ("format number", put("format", 1), "format", "1 is an integer, not a string"),
    ("group number", put("group", 7), "group", "7 is an integer, not a string"),
    ("group half a pair", put("group", "x\ud800"), "group", "not valid Unicode"),
    # taken_at
    ("time number", put("taken_at", 1.5), "taken_at", "1.5 is a float, not a string"),
    ("no zone", put("taken_at", "2026-11-21T09:00:00"), "taken_at", "RFC 3339"),
    ("no such day", put("taken_at", "2026-02-30T09:00:00Z"), "taken_at", "RFC 3339"),
    ("line end", put("taken_at", "2026-11-21T09:00:00Z\n"), "taken_at", "RFC 3339"),
    ("other digits", put("taken_at", "२०२६-11-21T09:00:00Z"), "taken_at", "RFC 3339"),
    # generation
    ("generation bool", put("generation", True), "generation", "true is a boolean"),
    ("generation low", put("generation", -2), "generation", "-2 is below -1"),
    ("generation big", put("generation", 2**63), "generation", "does not fit 64 bits"),
    # topics
    ("topics list", put("topics", ["orders"]), "topics", "a list, not an object"),
    ("count negative", put("topics/orders", -1), "topics.orders", "-1 is below 0"),
    ("count bool", put("topics/orders", True), "topics.orders", "true is a boolean"),
    ("count 64 bits", put("topics/orders", 2**63), "topics.orders", "does not fit 64 bits"),
    ("count digits", put("topics/orders", HUGE), "topics.orders", "an integer of 16610 bits"),
    ("too many", put("topics/orders", 10**7), "topics", "10000002 partitions, more than 10000000"),
    ("topic half a pair", put("topics/\udfff", 0), 'topics["\\udfff"]', "not valid Unicode"),
    # subscriptions
    ("subs list", put("subscriptions", []), "subscriptions", "a list, not an object"),
    ("sub number", put("subscriptions/all/1", 5), "subscriptions.all[1]", "5 is an integer"),
    # members
    ("members object", put("members", {}), "members", "an object, not a list"),
    ("member string", put("members/1", "c"), "members[1]", '"c" is a string, not an object'),
    ("member field", put("members/1/own", {}), "members[1].own", 'did you mean "owned"?'),
    ("no id", remove("members/1/id"), "members[1].id", "missing"),
    ("no subscription", remove("members/1/subscription"), "members[1].subscription", "missing"),
    ("id number", put("members/1/id", 3), "members[1].id", "3 is an integer, not a string"),
    ("id empty", put("members/0/id", ""), "members[0].id", "empty"),
    ("id twice", put("members/1/id", "b"), "members[1].id", '"b" is the id of members[0]'),
    ("id half a pair", put("members/1/id", "\ud83d"), "members[1].id", "not valid Unicode"),
    ("instance", put("members/0/instance_id", 1), "members[0].instance_id", "1 is an integer"),
    ("client empty", put("members/1/client_id", ""), "members[1].client_id", "empty"),
    ("host empty", put("members/0/host", ""), "members[0].host", "empty"),
    ("rack", put("members/0/rack", ["r"]), "members[0].rack", "a list, not a string"),
    ("generation low", put("members/1/generation", -2), "members[1].generation", "below -1"),
    # subscription of a member
    ("named", put("members/0/subscription", "al"), "members[0].subscription", 'mean "all"?'),
    ("in it", put("members/1/subscription/0", True), "members[1].subscription[0]", "true is"),
    # capacity
    ("zero", put("members/1/capacity", 0), "members[1].capacity", "0 is not a finite number above"),
    ("nan", put("members/1/capacity", math.nan), "members[1].capacity", "NaN is not"),
    ("overflow", put("members/1/capacity", HUGE), "members[1].capacity", "an integer of 16610"),
    ("bool", put("members/1/capacity", True), "members[1].capacity", "true is a boolean"),
    ("string", put("members/1/capacity", "2"), "members[1].capacity", "not a number"),
    # owned
    ("owned list", put("members/0/owned", [0]), "members[0].owned", "a list, not an object"),
    ("owned row", put("members/0/owned/orders", 1), "members[0].owned.orders", "not a list"),
    ("negative", put("members/0/owned/orders/1", -1), "members[0].owned.orders[1]", "below 0"),
    ("quoted", put("members/0/owned/we ird/0", "1"), 'members[0].owned["we ird"][0]', '"1" is'),
    ("null", put("members/0/owned/orders/0", None), "members[0].owned.orders[0]", "null"),
    ("big", put("members/0/owned/orders/0", 2**63), "members[0].owned.orders[0]", "64 bits"),
    ("gone topic", put("members/0/owned/gone", ["x"]), "members[0].owned.gone[0]", '"x" is'),
    # lags
    ("lags list", put("lags", []), "lags", "a list, not an object"),
    ("unknown topic", put("lags/order", [1]), "lags.order", 'did you mean "orders"?'),
    ("short", put("lags/orders", [1, 2]), "lags.orders", "2 entries for 3 partitions"),
    ("negative", put("lags/orders", [0, -1, 0]), "lags.orders[1]", "-1 is below 0"),
    ("large", put("lags/orders", [0, 0, BIG]), "lags.orders[2]", f"{BIG} is 2^53 or more"),
    ("null", put("lags/orders", [0, None, 1]), "lags.orders[1]", "null, not an integer"),
    ("nan", put("lags/orders", [1, math.nan, 1]), "lags.orders[1]", "NaN is a float"),
    ("digits", put("lags/orders", [1, HUGE, 1]), "lags.orders[1]", "16610 bits"),
    # unknown_lags
    ("untold list", put("unknown_lags", []), "unknown_lags", "a list, not an object"),
    ("untold topic", put("unknown_lags", {"order": []}), "unknown_lags.order", "did you mean"),
    (
        "untold below",
        put("unknown_lags", {"orders": [-1]}),
        "unknown_lags.orders[0]",
        "-1 is below",
    ),
    ("untold huge", put("unknown_lags", {"orders": [HUGE]}), "unknown_lags.orders[0]", "64 bits"),
    (
        "untold beyond",
        put("unknown_lags", {"orders": [0, 1], "we ird": [1, 0, 2]}),
        'unknown_lags["we ird"][2]',
        "there is no partition 2; the topic has 2",
    ),
    # offsets
    ("offsets null", put("offsets", None), "offsets", "null, not an object"),
    ("unknown topic", put("offsets/x", {}), "offsets.x", '"x" is not in topics'),
    ("field", put("offsets/orders/end", []), "offsets.orders.end", "unknown field"),
    ("no start", remove("offsets/orders/log_start"), "offsets.orders.log_start", "missing"),
    ("all null", put("offsets/orders/committed", None), "offsets.orders.committed", "null"),
    ("long", put("offsets/orders/log_end", [1] * 4), "offsets.orders.log_end", "4 entries for 3"),
    ("null", put("offsets/orders/log_end/1", None), "offsets.orders.log_end[1]", "null"),
    ("float", put("offsets/orders/committed/0", 1.0), "offsets.orders.committed[0]", "1.0 is"),
    ("low", put("offsets/orders/committed/2", -1), "offsets.orders.committed[2]", "below 0"),
    ("big", put("offsets/orders/log_end/2", 2**63), "offsets.orders.log_end[2]", "64 bits"),
    ("order", put("offsets/orders/log_end/2", 4), "offsets.orders.log_end[2]", "below log_start"),
    ("lag", put("offsets/orders/log_end/0", BIG + 1), "offsets.orders.log_end[0]", f"lag {BIG} is"),
    # auto_offset_reset
    ("reset", put("auto_offset_reset", "newest"), "auto_offset_reset", '"newest" is none of'),
    # racks
    ("unknown topic", put("racks/x", []), "racks.x", '"x" is not in topics'),
    ("short", put("racks/orders", [[]]), "racks.orders", "1 entries for 3 partitions"),
    ("flat", put("racks/orders", ["r"] * 3), "racks.orders[0]", '"r" is a string, not a list'),
    ("number", put("racks/orders/2/1", 2), "racks.orders[2][1]", "2 is an integer, not a string"),
]


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [pytest.param(*case[1:], id=f"{case[2]} {case[0]}") for case in CASES],
)
def test_refused(change: Callable[[Snapshot], None], place: str, problem: str) -> None:
    error = refused(change)
    assert error.place == place
    assert problem in error.problem


def test_offsets_are_checked_even_where_lags_win() -> None:
    def change(snapshot: Snapshot) -> None:
        snapshot["lags"]["orders"] = [1, 2, 3]
        snapshot["offsets"]["orders"]["log_end"][2] = 1

    assert refused(change).place == "offsets.orders.log_end[2]"


def test_the_entry_to_blame_is_counted_within_its_topic() -> None:
    def change(snapshot: Snapshot) -> None:
        offsets = {"log_start": [0, 8], "log_end": [9, 7], "committed": [None, 7]}
        snapshot["offsets"]["we ird"] = offsets

    assert refused(change).place == 'offsets["we ird"].log_end[1]'


@pytest.mark.parametrize("field", ["lags", "offsets"])
def test_lags_that_add_up_to_too_much(field: str) -> None:
    size, top = 513, 2**53 - 1
    snapshot = {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"t": size},
        "members": [],
    }
    offsets = {"log_start": [0] * size, "log_end": [top] * size, "committed": [0] * size}
    snapshot[field] = {"t": [top] * size if field == "lags" else offsets}
    with pytest.raises(InputError) as caught:
        load_snapshot(snapshot)
    assert caught.value.place == field
    assert "2^62 or more" in caught.value.problem


def test_keys_that_are_no_strings() -> None:
    numbered: dict[Any, Any] = {5: 1}
    error = refused(lambda snapshot: snapshot.update(numbered))
    assert error.problem.startswith("an integer as a key")
    error = refused(put("members/0/owned", {None: [1]}))
    assert error.place == "members[0].owned"
    assert refused(put("topics", {1: 1})).place == "topics"


def test_other_python_types_are_named() -> None:
    assert refused(put("lags/orders", [1, 2, b"3"])).problem.startswith("a Python bytes")
    assert refused(put("lags/orders", (1, 2, 3))).problem.startswith("a Python tuple")


def test_long_values_and_names_are_cut() -> None:
    error = refused(put("auto_offset_reset", "x" * 10_000))
    assert len(error.problem) < 120
    error = refused(put("members/0/owned", {"y" * 10_000: ["z" * 10_000]}))
    assert len(str(error)) < 250
    assert error.place.startswith("members[0].owned.yyy")


def test_values_on_several_lines_stay_on_one() -> None:
    error = refused(put("auto_offset_reset", "a\nb\u2028c"))
    assert error.problem.startswith('"a\\nb\\u2028c" is none of')


@pytest.mark.parametrize("value", [[], "x", 3, None, True])
def test_a_group_that_is_no_object_in_a_field_of_objects(value: object) -> None:
    for field in ("topics", "offsets", "lags", "racks", "subscriptions"):
        assert refused(put(field, value)).place == field
