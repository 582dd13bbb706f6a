"""What a cooperative group withholds first, and what its members let go of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load

from equilag.domain.group.group import NOBODY
from equilag.domain.plan.assignment import first_phase, revocations
from equilag.heuristics import get_assignor


@pytest.mark.parametrize("name", ["range", "constrained-sticky"])
@given(data=st.data())
def test_same_as_asking_every_member(data, name):
    group = data.draw(groups())
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
