"""The schema of a snapshot and its reader agree, as far as a schema can say it."""

from __future__ import annotations

import copy
import io
import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.extended_groups import ExtendedShape, extended_snapshot
from support.groups import snapshots
from support.json_schemas import accepts, findings, places, replaced, value_at, without
from support.paths import SAMPLES

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.errors import InputError

FULL: dict[str, Any] = {
    "format": "equilag/snapshot/1",
    "group": "g",
    "taken_at": "2026-11-21T09:00:00.5+01:00",
    "topics": {"t": 2, "u": 2, "v": 1},
    "subscriptions": {"all": ["t", "u", "v"]},
    "members": [
        {
            "id": "a", "subscription": "all", "owned": {"t": [0], "u": [0], "gone": [9]},
            "generation": 7, "instance_id": "", "rack": "x", "capacity": 1.5, "max_partitions": 5,
            "instance": "p", "client_id": "c", "host": "/h",
        },
        {"id": "b", "subscription": ["t", "u"], "capacity": None, "generation": -1},
    ],
    "generation": 7,
    "offsets": {
        "t": {"log_start": [0, 1], "log_end": [9, 2**63 - 1], "committed": [None, 2**63 - 2]},
    },
    "lags": {"u": [0, 2**53 - 1]},
    "unknown_lags": {"v": [0, 0]},
    "auto_offset_reset": "EarliEst",
    "racks": {"t": [["x", "y"], []]},
    "rates": {"t": [0, 1e-100], "u": [None, 12.5]},
    "weights": {"v": [3]},
    "move_weights": {"t": [0, 2**53 - 1]},
    "allowed": {"t": {"0": ["a"], "1": ["a", "b"]}},
    "co_partitioned": [["t", "u"]],
}  # fmt: skip

BEYOND_SCHEMAS = re.compile(
    "is not in topics|is not in subscriptions|entries for|is below log_start|is a float"
    "|is the id of members|there is no partition|no member has the id|does not subscribe to"
    "|is not an RFC 3339 time|not valid Unicode|add up to|partitions, more than|the lag .* is 2"
    "|has the same one and another|in this list already|in another list|has [0-9,]+ partitions?,"
)
"""What a schema cannot say: names that must exist, lengths, sums, and that 1.0 is no integer."""


def problem_of(document: Any) -> str | None:
    """What the reader says is wrong."""
    try:
        load_snapshot(io.StringIO(json.dumps(document)))
    except InputError as error:
        return str(error)
    return None


def check_agreement(document: Any) -> None:
    problem = problem_of(document)
    if not accepts("snapshot", document):
        assert problem is not None
    elif problem is not None:
        assert BEYOND_SCHEMAS.search(problem), problem


@pytest.mark.parametrize(
    "path", sorted(SAMPLES.glob("*.snapshot.json")), ids=lambda path: path.name
)
def test_samples(path: Any) -> None:
    assert findings(json.loads(path.read_text("utf-8"))) == []


def test_extended_groups_and_a_full_one() -> None:
    assert findings(FULL) == []
    assert problem_of(FULL) is None
    for seed in range(20):
        assert findings(extended_snapshot(Random(seed), ExtendedShape())) == []


WRONG: list[Any] = [None, True, -2, 10**30, "", [None], {"x": 0.5}]
"""Values of every type, for the places of a snapshot."""


def test_every_value_of_a_full_snapshot_replaced_and_removed() -> None:
    refused = 0
    for path in places(FULL):
        for value in WRONG:
            document = replaced(FULL, path, copy.deepcopy(value))
            check_agreement(document)
            refused += not accepts("snapshot", document)
        if path:
            check_agreement(without(FULL, path))
        if isinstance(value_at(FULL, path), dict):
            check_agreement(replaced(FULL, (*path, "surprise"), 1))
    assert refused > 400


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4) | st.sampled_from(["t0", "t1", "m0", "0", "latest", "equilag/plan/1"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["t", "t0", "0", "id", "owned"]) | st.text(max_size=3), inner,
                      max_size=2),
    max_leaves=4,
)  # fmt: skip


@given(st.data())
def test_random_changes_of_random_snapshots(data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 50))
    document: Any = data.draw(
        snapshots() | st.just(FULL) | st.just(extended_snapshot(Random(seed), ExtendedShape()))
    )
    check_agreement(document)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(document))))
        if isinstance(document, dict) and path and data.draw(st.booleans()):
            document = without(document, path)
        elif isinstance(value_at(document, path), dict) and data.draw(st.booleans()):
            key = data.draw(st.text(max_size=3) | st.sampled_from(["rack", "lags", "rates", "t0"]))
            document = replaced(document, (*path, key), data.draw(VALUES))
        else:
            document = replaced(document, path, data.draw(VALUES))
        check_agreement(document)
