"""What a written snapshot looks like; `tests/test_builder.py` checks that it means the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from equilag import ClaimColumns, Member
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.building.group_input import GroupInput

BARE: GroupInput = {
    "name": "g",
    "topics": {"a": 2},
    "members": ["m0", Member("m1", rack="r", generation=3)],
    "subscriptions": {"m0": ["a"], "m1": ["a"]},
}


def test_only_what_is_known_is_written() -> None:
    assert snapshot_document(BARE) == {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"a": 2},
        "subscriptions": {"all": ["a"]},
        "members": [
            {"id": "m0", "subscription": "all"},
            {"id": "m1", "subscription": "all", "rack": "r", "generation": 3},
        ],
    }


@pytest.mark.parametrize(
    ("field", "columns"),
    [
        ("lags", np.array([1, 2])),
        ("owned", ClaimColumns(np.array([0]), np.array([1]))),
    ],
)
def test_columns_cannot_be_written(field: str, columns: Any) -> None:
    given: Any = {**BARE, field: columns}
    with pytest.raises(TypeError, match="only a group described by mappings"):
        snapshot_document(given)
