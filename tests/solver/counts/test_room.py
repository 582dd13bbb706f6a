"""Too little room is an error that names what does not fit, and with whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of
from support.reduced_groups import extended_columns

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy


def with_room(room: list[int], subscriptions: list[list[int]], owners: list[int]) -> Group:
    """Topics of three and two partitions."""
    group = group_of([3, 2], subscriptions, owners)
    return replace(group, extended=extended_columns(len(room), room=np.array(room)))


NOBODY_OWNS = [-1] * 5


def test_too_little_room_in_all() -> None:
    with pytest.raises(InputError) as error:
        balanced_assignment(with_room([2, 2], [[0, 1], [0, 1]], NOBODY_OWNS), Policy())
    assert (
        str(error.value) == "max_partitions: 5 partitions of t00, t01, but m00, m01 have room for 4"
    )


def test_too_little_room_for_one_topic() -> None:
    group = with_room([2, 9], [[0, 1], [1]], NOBODY_OWNS)
    with pytest.raises(InputError) as error:
        balanced_assignment(group, Policy())
    assert str(error.value) == "max_partitions: 3 partitions of t00, but m00 has room for 2"


def test_a_member_that_keeps_more_than_its_room_is_named() -> None:
    group = with_room([2, 9], [[0, 1], [0, 1]], [0, 0, 0, 1, 1])
    with pytest.raises(InputError) as error:
        balanced_assignment(group, Policy("sticky-yet-fair"))
    problem = "members[0].max_partitions: 'm00' keeps 3 partitions and has room for 2"
    assert str(error.value) == problem


def test_what_is_kept_takes_room() -> None:
    group = with_room([3, 1], [[0, 1], [0, 1]], [0, 0, -1, -1, -1])
    with pytest.raises(InputError) as error:
        balanced_assignment(group, Policy("sticky-yet-fair"))
    problem = "max_partitions: 3 partitions of t00, t01, but m00, m01 have room for 2 more"
    assert str(error.value) == problem
