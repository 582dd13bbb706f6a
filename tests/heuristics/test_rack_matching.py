"""Range by racks: what it keeps of plain range, on random groups. Kafka's own answers are in
`test_every_assignor.py`."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups

from equilag.domain.plan.metrics import member_counts
from equilag.heuristics import get_assignor

RANGE = get_assignor("range")
RACKS = ("a", "b", "c")


@st.composite
def racked_groups(draw):
    """Groups in which most members have a rack and most partitions replicas in some."""
    group = draw(groups(max_size=8))
    rack = st.sampled_from((*RACKS, "elsewhere", "", None))
    replicas = st.lists(st.sampled_from(RACKS), unique=True, max_size=2).map(tuple)
    n = group.n_partitions
    return replace(
        group,
        members=tuple(replace(member, rack=draw(rack)) for member in group.members),
        racks=tuple(draw(st.lists(replicas, min_size=n, max_size=n))),
    )


@given(racked_groups())
def test_counts_of_every_topic_are_those_of_plain_range(group):
    by_racks, plain = RANGE.assign(group), RANGE.assign(replace(group, racks=None))
    for start, end in zip(group.topic_start[:-1], group.topic_start[1:], strict=True):
        counts = [
            sorted(member_counts(assigned[start:end], group.n_members).tolist())
            for assigned in (by_racks, plain)
        ]
        assert counts[0] == counts[1]


@given(racked_groups())
def test_co_partitioned_topics_stay_together(group):
    assigned = RANGE.assign(group)
    rows = {}
    for topic, (start, end) in enumerate(
        zip(group.topic_start[:-1], group.topic_start[1:], strict=True)
    ):
        alike = int(group.topic_class[topic]), int(end - start)
        rows.setdefault(alike, set()).add(tuple(assigned[start:end].tolist()))
    assert all(len(found) == 1 for found in rows.values())


@given(racked_groups())
def test_racks_do_not_matter_where_no_member_has_one(group):
    plain = replace(group, members=tuple(replace(member, rack=None) for member in group.members))
    assert RANGE.assign(plain).tolist() == RANGE.assign(replace(group, racks=None)).tolist()
