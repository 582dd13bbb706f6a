"""Assignments by name and as columns: there and back, and what cannot be read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.groups import first_valid, group_of, groups

from equilag.domain.group.group import Group, Index
from equilag.domain.plan.assignment import MAX_UNASSIGNED, by_name, read_assignment


def assigned(*members: int) -> Index:
    return np.array(members, dtype=np.int32)


@given(groups(), st.randoms(use_true_random=False))
def test_there_and_back(group: Group, rng: Any) -> None:
    column = first_valid(group)
    for p in np.flatnonzero(group.assignable).tolist():
        column[p] = rng.choice(group.subscribers(int(group.topic_of[p])).tolist())
    findings = ["something else"]
    found = read_assignment(group, by_name(group, column), findings)
    assert findings == ["something else"]
    assert found.tolist() == column.tolist()


GROUP = group_of([2, 1], [[0], [0, 1]])
VALID = {"m00": {"t00": [0]}, "m01": {"t00": [1], "t01": [0]}}


@pytest.mark.parametrize(
    ("table", "finding"),
    [
        (None, "assignment: null, not an object"),
        ([], "assignment: a list, not an object"),
        ({"m00": VALID["m00"]}, "assignment: member 'm01' is missing"),
        ({**VALID, "x": {}}, "assignment: 'x' is not a member of the group"),
        ({**VALID, "m00": [0]}, "assignment.m00: a list, not an object"),
        ({**VALID, "m00": {"t09": [0]}}, "assignment.m00.t09: the group has no such topic"),
        ({**VALID, "m00": {"t00": 0}}, "assignment.m00.t00: 0 is an integer, not a list"),
        ({**VALID, "m00": {"t00": [0, 2]}}, "assignment.m00.t00: no partition 2"),
        ({**VALID, "m00": {"t00": [-1]}}, "assignment.m00.t00: no partition -1"),
        ({**VALID, "m00": {"t00": [True]}}, "assignment.m00.t00: no partition true"),
        ({**VALID, "m00": {"t00": [0, 0]}}, "assignment.m00.t00: assigns a partition twice"),
        ({**VALID, "m00": {"t00": [0, 1]}}, "assignment.m01.t00: assigns a partition twice"),
        ({**VALID, "m00": {}}, "assignment: t00-0 is not assigned"),
        (
            {"m00": {"t00": [0], "t01": [0]}, "m01": {"t00": [1]}},
            "assignment: 'm00' has t01-0, but does not subscribe to 't01'",
        ),
    ],
    ids=str,
)
def test_each_finding_has_its_place(table: Any, finding: str) -> None:
    findings = ["something else"]
    assert read_assignment(GROUP, table, findings) is None
    assert findings[0] == "something else"
    assert finding in findings


def test_few_of_many_unassigned_partitions_are_named() -> None:
    group = group_of([50, 3], [[0]])
    findings: list[str] = []
    assert read_assignment(group, {"m00": {}}, findings) is None
    assert len(findings) == MAX_UNASSIGNED
