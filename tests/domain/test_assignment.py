"""Assignments by name and as columns; what a cooperative group withholds first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups as claimed_groups
from support.claimed_groups import load
from support.groups import first_valid, group_of, groups

from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.plan.assignment import (
    MAX_UNASSIGNED,
    by_name,
    first_phase,
    read_assignment,
    revocations,
)
from equilag.heuristics import get_assignor


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


@pytest.mark.parametrize("name", ["range", "constrained-sticky"])
@given(data=st.data())
def test_same_as_asking_every_member(data, name):
    group = data.draw(claimed_groups())
    assigned = get_assignor(name).assign(group)
    claims = list(zip(group.claim_member.tolist(), group.claim_partition.tolist(), strict=True))

    wanted = []
    for partition, member in enumerate(assigned.tolist()):
        claimants = {m for m, p in claims if p == partition}
        wanted.append(NOBODY if claimants and member not in claimants else member)
    first = first_phase(group, assigned)
    assert first.dtype == np.int32
    assert first.tolist() == wanted

    members, partitions = revocations(group, assigned)
    lost = sorted((m, p) for m, p in claims if assigned[p] != m)
    assert list(zip(members.tolist(), partitions.tolist(), strict=True)) == lost


def test_a_unit_waits_as_a_whole_for_what_another_member_revokes():
    members = [
        {"id": "a", "subscription": ["t", "u"], "owned": {"t": [0, 1, 2], "u": [1]}},
        {"id": "b", "subscription": ["t", "u"], "owned": {"u": [0]}},
        {"id": "c", "subscription": ["t", "u"]},
    ]
    group = load({"topics": {"t": 4, "u": 4}, "members": members, "co_partitioned": [["t", "u"]]})
    # Unit 0 goes to a, which has t-0 and waits for u-0; unit 1 stays. Unit 2 goes to c, and u-2
    # waits with t-2 though nobody has it. Nobody has any of unit 3.
    together = [0, 0, 2, 2]
    assigned = np.array([*together, *together], dtype=np.int32)
    first = first_phase(group, assigned)
    assert first.tolist() == [0, 0, NOBODY, 2, NOBODY, 0, NOBODY, 2]
    # An assignor that tears unit 2 apart withholds what its members wait for, and no more.
    torn = assigned.copy()
    torn[6] = 1
    assert first_phase(group, torn).tolist() == [0, 0, NOBODY, 2, NOBODY, 0, 1, 2]
