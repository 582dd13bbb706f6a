"""The components of the subscription graph, against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups

from equilag.heuristics.subscription_graph import components


@given(data=st.data())
def test_components_are_those_of_the_graph(data):
    group = data.draw(groups())
    edges = np.argwhere(group.eligible).tolist()
    graph = nx.Graph((("topics", c), ("members", k)) for c, k in edges)
    found = components(group)
    wanted = {frozenset(nodes) for nodes in nx.connected_components(graph)}
    assert len(found) == len(wanted)
    assert {
        frozenset(
            [("members", k) for k in part.member_classes.tolist()]
            + [("topics", c) for c in part.partition_classes.tolist()]
        )
        for part in found
    } == wanted
    for part in found:
        members = np.isin(group.class_of, part.member_classes)
        partitions = np.isin(group.partition_class, part.partition_classes)
        assert part.members.tolist() == np.flatnonzero(members).tolist()
        assert part.partitions.tolist() == np.flatnonzero(partitions).tolist()
