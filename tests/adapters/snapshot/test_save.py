"""A group that is written to a file and read again is the same group."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.groups import columns

import equilag
from equilag import ClaimColumns, Group, InputError, Member
from equilag.adapters.snapshot.write import snapshot_document
from equilag.domain.building.group_input import GroupInput

EXTENDED = equilag.load_snapshot(Path(__file__).with_name("every_field.json"))


def same(group: Group, again: Group) -> None:
    """All but what a group does not keep: claims on what does not exist, doubts of its input."""
    lost: dict[str, Any] = {"dropped_claims": 0, "doubts": (), "rates": None}
    assert columns(replace(group, **lost)) == columns(replace(again, **lost))
    assert again.dropped_claims <= group.dropped_claims
    assert (group.rates is None) == (again.rates is None)
    if group.rates is not None and again.rates is not None:
        np.testing.assert_array_equal(group.rates, again.rates)


@pytest.mark.parametrize("name", ["g.json", "g.json.gz"])
def test_every_field_comes_back_from_a_file(tmp_path: Path, name: str) -> None:
    group, path = EXTENDED, tmp_path / name
    assert {*group.quality.tolist()} == {0, 1, 2, 3, 4, 5}  # every mark
    equilag.save_snapshot(group, path)
    again = equilag.load_snapshot(path)
    same(group, again)
    assert again.dropped_claims == 0  # the claims on what does not exist are forgotten
    equilag.save_snapshot(again, path)  # in place of what is there
    assert equilag.snapshot_document(equilag.load_snapshot(path)) == equilag.snapshot_document(
        group
    )


def test_the_document_has_only_what_is_known() -> None:
    given: GroupInput = {
        "name": "g",
        "topics": {"a": 2},
        "members": ["m0", Member("m1", rack="r", generation=3)],
        "subscriptions": {"m0": ["a"], "m1": ["a"]},
    }
    document = {
        "format": "equilag/snapshot/1",
        "group": "g",
        "topics": {"a": 2},
        "subscriptions": {"all": ["a"]},
        "members": [
            {"id": "m0", "subscription": "all"},
            {"id": "m1", "subscription": "all", "rack": "r", "generation": 3},
        ],
    }
    assert equilag.snapshot_document(Group.build(**given)) == document == snapshot_document(given)
    of_columns = {"lags": np.array([1, 2]), "owned": ClaimColumns(np.array([0]), np.array([1]))}
    for field, value in of_columns.items():
        changed: Any = {**given, field: value}
        with pytest.raises(TypeError, match="only a group described by mappings"):
            snapshot_document(changed)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    group = EXTENDED
    with pytest.raises(InputError, match=r"cannot be written: .*directory"):
        equilag.save_snapshot(group, tmp_path / "no" / "g.json")
    with pytest.raises(InputError, match=r"as zstd; a name that ends in \.gz can"):
        equilag.save_snapshot(group, tmp_path / "g.zst")
    planned = equilag.solve(group, effort=0.05, time_limit=5).planned.group
    with pytest.raises(InputError, match="group: was made for planning"):
        equilag.save_snapshot(planned, tmp_path / "g.json")
    assert not [*tmp_path.iterdir()]
