"""Settings that others change or cancel are named in a line each."""

from __future__ import annotations

from typing import Any

import pytest

from equilag.cli.setting_warnings import setting_warnings
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy

GROUP = Group.build(
    name="g",
    topics={"a": 2, "b": 2, "c": 2},
    members=["m-0", "m-1", "n"],
    subscriptions={member: ["a", "b", "c"] for member in ("m-0", "m-1", "n")},
    co_partitioned=[["a", "b"]],
)
RACKS = (
    "--max-cross-rack: is only checked beside --rack-aware, which reads as few partitions across"
    " racks as even counts allow"
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"rack_aware": True}, []),
        ({"max_cross_rack": 3}, []),
        ({"rack_aware": True, "max_cross_rack": 3}, [RACKS]),
        ({"capacity": ["*=1", "m-*=2"]}, []),
        (
            {"capacity": ["m-0=3", "m-*=2", "n=4", "*=1", "gone=5"]},
            [
                f"--capacity: {entry} serves nobody; later entries match all of its members"
                for entry in ("m-0=3", "m-*=2", "n=4")
            ],
        ),
        ({"horizon": 60}, ["--horizon: has no effect; what is spread is lag"]),
        ({"horizon": 60, "weight": "work"}, []),
        ({"keep": ["c", "a", "b"]}, []),
        ({"keep": ["b"]}, ["--keep: b holds a as well, because they are co-partitioned"]),
        ({"keep": ["b"], "co_partition": "none"}, []),
        (
            {"keep": ["c"], "co_partition": ["a,b,c"]},
            ["--keep: c holds a, b as well, because they are co-partitioned"],
        ),
    ],
)
def test_what_other_settings_change(settings: dict[str, Any], expected: list[str]) -> None:
    assert [*setting_warnings(GROUP, Policy(**settings))] == expected
