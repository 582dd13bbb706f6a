"""Where two JSON values differ: one line per place, and nothing for what is equal."""

from __future__ import annotations

from typing import Any

import pytest

from equilag.certificate.plan_document import differences


@pytest.mark.parametrize(
    ("want", "got", "lines"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["x.a: 2, should be 1"]),
        ({"a": 1}, {}, ["x.a: missing"]),
        ({}, {"a": 1}, ["x.a: unexpected"]),
        ({"a": {}}, {"a": []}, ["x.a: a list, not an object"]),
        ([], {}, ["x: an object, not a list"]),
        ([1, 2], [1, 2], []),
        ([1, 2], [1], ["x: length 1, should be 2"]),
        ([1, 2], [1, 3], ["x[1]: 3, should be 2"]),
        ([1, 2], [True, 2], ["x[0]: true, should be 1"]),
        ([1, 2], [1.0, 2], ["x[0]: 1.0, should be 1"]),
        ([{"a": "b"}], [{"a": "c"}], ['x[0].a: "c", should be "b"']),
        (0, False, ["x: false, should be 0"]),
        (0, None, ["x: null, should be 0"]),
        (0.5, 0.5 + 1e-12, []),
        (0.5, 0.6, ["x: 0.6, should be 0.5"]),
        (2.0, 2, []),
        (2.0, True, ["x: true, should be 2.0"]),
        (2.0, "2", ['x: "2", should be 2.0']),
        (2.0, 10**400, ["x: an integer of 1329 bits, should be 2.0"]),
        (1e30, 1e30, []),
        (1e30, 2e30, ["x: 2e+30, should be 1e+30"]),
        (2.0, float("nan"), ["x: NaN, should be 2.0"]),
        ({"a": 1, "b": 2}, {"a": 3, "b": 4}, ["x.a: 3, should be 1", "x.b: 4, should be 2"]),
    ],
    ids=str,
)
def test_one_line_for_each_place(want: Any, got: Any, lines: list[str]) -> None:
    assert list(differences(want, got, "x")) == lines
