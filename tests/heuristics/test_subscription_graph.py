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
    parts = ([c for kind, c in part if kind == "topics"] for part in nx.connected_components(graph))
    assert [part.tolist() for part in components(group)] == sorted(map(sorted, parts))
