"""Every kind of malformed snapshot: the error names the place and says what is wrong."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from support.json_schemas import replaced, without

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

HERE = Path(__file__).parent
VALID: dict[str, Any] = json.loads((HERE / "every_field.json").read_text("utf-8"))
HUGE = 10**5000


def steps(path: str) -> tuple[str | int, ...]:
    """`members/0/owned` as keys and positions."""
    return tuple(int(step) if step.isdigit() else step for step in path.split("/"))


def put(path: str, value: object) -> object:
    return replaced(VALID, steps(path), value)


def refused(snapshot: object) -> InputError:
    with pytest.raises(InputError) as caught:
        load_snapshot(snapshot)  # type: ignore[arg-type]
    assert caught.value.source is None
    assert "\n" not in str(caught.value)
    return caught.value


CASES: list[list[Any]] = [
    *map(json.loads, (HERE / "malformed.jsonl").read_text("utf-8").splitlines()),
    ["topics/orders", HUGE, "topics.orders", "an integer of 16610 bits"],
    ["members/1/capacity", HUGE, "members[1].capacity", "an integer of 16610"],
    ["lags/orders", [1, HUGE, 1], "lags.orders[1]", "16610 bits"],
    ["unknown_lags", {"orders": [HUGE]}, "unknown_lags.orders[0]", "64 bits"],
]
"""Path, the value to put there, the place that the error names, and its problem."""


@pytest.mark.parametrize(
    ("path", "value", "place", "problem"),
    [pytest.param(*case, id=f"{case[2]} {case[3]}") for case in CASES],
)
def test_refused(path: str, value: object, place: str, problem: str) -> None:
    removed = value == "<removed>"
    error = refused(without(VALID, steps(path)) if removed else put(path, value))
    assert error.place == place
    assert problem in error.problem


def test_offsets_are_checked_even_where_lags_win() -> None:
    snapshot = copy.deepcopy(VALID)
    snapshot["lags"]["orders"] = [1, 2, 3]
    snapshot["offsets"]["orders"]["log_end"][2] = 1
    assert refused(snapshot).place == "offsets.orders.log_end[2]"


def test_the_entry_to_blame_is_counted_within_its_topic() -> None:
    offsets = {"log_start": [0, 8], "log_end": [9, 7], "committed": [None, 7]}
    assert refused(put("offsets/we ird", offsets)).place == 'offsets["we ird"].log_end[1]'


@pytest.mark.parametrize("field", ["lags", "offsets"])
def test_lags_that_add_up_to_too_much(field: str) -> None:
    size, top = 513, 2**53 - 1
    snapshot = {"format": "equilag/snapshot/1", "group": "g", "topics": {"t": size}, "members": []}
    offsets = {"log_start": [0] * size, "log_end": [top] * size, "committed": [0] * size}
    snapshot[field] = {"t": [top] * size if field == "lags" else offsets}
    with pytest.raises(InputError) as caught:
        load_snapshot(snapshot)
    assert caught.value.place == field
    assert "2^62 or more" in caught.value.problem


def test_values_of_python_that_json_has_not() -> None:
    assert refused(put("members/0/owned", {None: [1]})).place == "members[0].owned"
    error = refused(put("topics", {1: 1}))
    assert (error.place, error.problem[:19]) == ("topics", "an integer as a key")
    assert refused(put("lags/orders", [1, 2, b"3"])).problem.startswith("a Python bytes")
    assert refused(put("lags/orders", (1, 2, 3))).problem.startswith("a Python tuple")


def test_long_values_and_names_are_cut_and_stay_on_one_line() -> None:
    error = refused(put("auto_offset_reset", "x" * 10_000))
    assert len(error.problem) < 120
    error = refused(put("members/0/owned", {"y" * 10_000: ["z" * 10_000]}))
    assert len(str(error)) < 250
    assert error.place.startswith("members[0].owned.yyy")
    error = refused(put("auto_offset_reset", "a\nb\u2028c"))
    assert error.problem.startswith('"a\\nb\\u2028c" is none of')


@pytest.mark.parametrize("value", [[], "x", 3, None, True])
def test_a_group_that_is_no_object_in_a_field_of_objects(value: object) -> None:
    for field in ("topics", "offsets", "lags", "racks", "subscriptions"):
        assert refused(put(field, value)).place == field
