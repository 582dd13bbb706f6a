"""A limit on moves below what is forced is refused, and the cause is named."""

from __future__ import annotations

from typing import Any

import pytest

import equilag
from equilag.domain.errors import InputError

SNAPSHOT: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "topics": {"a": 6, "b": 6},
    "members": [
        {"id": "m0", "subscription": ["a", "b"], "rack": "x",
         "owned": {"a": list(range(6)), "b": list(range(6))}},
        {"id": "m1", "subscription": ["a", "b"], "rack": "y"},
    ],
}  # fmt: skip
RACKS = {"racks": {"a": [["x"]] * 6, "b": [["y"]] * 6}}
HINT = "; with balance none fewer may do"
TWO = "2 of them from owners that may not keep theirs"
READS = "the fewest reads across racks"
ALLOWED = {"allowed": {"a": {"3": ["m1"], "4": ["m1"]}}}


@pytest.mark.parametrize(
    ("fields", "settings", "problem"),
    [
        ({}, {}, f"6 moves that even counts force{HINT}"),
        (RACKS, {"rack_aware": True}, f"6 moves that even counts and {READS} force{HINT}"),
        ({}, {"rack_aware": True}, f"6 moves that even counts force{HINT}"),
        (ALLOWED, {}, f"6 moves that even counts and restrictions force ({TWO}){HINT}"),
        (ALLOWED, {"balance": "none"}, f"2 moves that restrictions force ({TWO})"),
        (
            ALLOWED,
            {"policy": "sticky-yet-fair"},
            "2 moves that owners that may not keep theirs force",
        ),
        ({}, {"max_partitions": 10, "balance": "none"}, "2 moves that room forces"),
    ],
)
def test_the_cause_is_named(fields, settings, problem: str) -> None:
    group = equilag.load_snapshot({**SNAPSHOT, **fields})
    with pytest.raises(InputError) as caught:
        equilag.solve(group, max_moves=1, effort=0.01, time_limit=60, **settings)
    assert str(caught.value) == f"max_moves: 1 is fewer than the {problem}"
