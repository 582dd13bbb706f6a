"""Every kind of malformed snapshot: the error names the place and says what is wrong."""

from __future__ import annotations

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


def test_offsets_whose_lags_add_up_to_too_much() -> None:
    log = {"log_start": [0] * 513, "log_end": [2**53 - 1] * 513, "committed": [0] * 513}
    snapshot = {"format": "equilag/snapshot/1", "group": "g", "topics": {"t": 513}, "members": []}
    error = refused({**snapshot, "offsets": {"t": log}})
    assert (error.place, "2^62 or more" in error.problem) == ("offsets", True)


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
