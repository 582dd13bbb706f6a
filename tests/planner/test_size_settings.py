"""Settings of `size` that make no sense are refused, each by its name."""

from __future__ import annotations

from typing import Any

import pytest
from support.groups import group_of

import equilag
from equilag import InputError


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "sticky-yet-fair"}, "policy: sticky-yet-fair leaves"),
        ({"add_members": 1}, "add_members: size looks at every number"),
        ({"max_moves": 1}, "max_moves: in a group of another size"),
        ({"fresh": True}, "fresh: in a group of another size all partitions are planned anew"),
        ({"move_cost": 3}, "move_cost: in a group of another size all partitions"),
        ({"rack_aware": True}, "rack_aware: the racks of new members"),
        ({"max_cross_rack": 1}, "max_cross_rack: the racks of new members"),
        ({"keep": ["t00"]}, "keep: in a group of another size"),
        ({"pin": ["t00-0=m00"]}, "pin: in a group of another size"),
        ({"members": (0, 3)}, "members: .0, 3. is not a first and a last"),
        ({"members": 3}, "members: 3 is not a first and a last"),
        ({"members": (4, 3)}, "members: the first number, 4, is above the last one, 3"),
        ({"threads": 0}, "threads: 0 is not a whole number from 1"),
        ({"threads": 2}, "threads: 3 members do not make processes of 2 threads"),
        ({"catch_up": -1}, "catch_up: -1 is not more than 0"),
        ({"catch_up": 1e10}, "catch_up: 10000000000.0 is not more than 0 and at most 10.9 seconds"),
        ({"capacity": ["c-*=2"]}, "capacity: no member's id is"),
    ],
)
def test_refused(settings: dict[str, Any], message: str) -> None:
    group = group_of([4], [[0]] * 3, lags=[1, 2, 3, 4])
    with pytest.raises(InputError, match=message):
        equilag.size(group, **settings)


def test_a_group_that_reads_nothing() -> None:
    with pytest.raises(InputError, match=r"^no member reads a partition"):
        equilag.size(group_of([4], [[]], lags=[1, 2, 3, 4]))
