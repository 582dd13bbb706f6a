"""Too little room is an error that names what does not fit, and with whom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.constraints import balanced_assignment
from support.groups import group_of
from support.reduced_groups import extended_columns

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy


@pytest.mark.parametrize(
    ("room", "reads", "owners", "problem"),
    [
        ([2, 2], [[0, 1]] * 2, [-1] * 5,
         "max_partitions: 5 partitions of t00, t01, but m00, m01 have room for 4"),
        ([2, 9], [[0, 1], [1]], [-1] * 5,
         "max_partitions: 3 partitions of t00, but m00 has room for 2"),
        # What is kept takes room.
        ([2, 9], [[0, 1]] * 2, [0, 0, 0, 1, 1],
         "members[0].max_partitions: 'm00' keeps 3 partitions and has room for 2"),
        ([3, 1], [[0, 1]] * 2, [0, 0, -1, -1, -1],
         "max_partitions: 3 partitions of t00, t01, but m00, m01 have room for 2 more"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named(
    room: list[int], reads: list[list[int]], owners: list[int], problem: str
) -> None:
    columns = extended_columns(2, room=np.array(room))
    group = replace(group_of([3, 2], reads, owners), extended=columns)
    with pytest.raises(InputError) as error:
        balanced_assignment(group, Policy("sticky-yet-fair"))
    assert str(error.value) == problem
