"""The subscription graph, and its components against networkx."""

from __future__ import annotations

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load

from equilag.heuristics.subscription_graph import components, subscription_graph


@given(data=st.data())
def test_components_are_those_of_the_graph(data):
    group = data.draw(groups())
    graph = subscription_graph(group)
    assert nx.is_bipartite(graph)
    wanted = {
        frozenset(nodes)
        for nodes in nx.connected_components(graph)
        if len(nodes) > 1  # a class without an edge has nothing to share out
    }
    found = components(group)
    assert {
        frozenset(
            [("members", k) for k in part.member_classes.tolist()]
            + [("topics", c) for c in part.partition_classes.tolist()]
        )
        for part in found
    } == wanted
    assert len(found) == len(wanted)
    for part in found:
        nodes = graph.subgraph(
            [("members", int(k)) for k in part.member_classes]
            + [("topics", int(c)) for c in part.partition_classes]
        ).nodes
        sizes = {"members": 0, "topics": 0}
        for node in nodes:
            sizes[nodes[node]["kind"]] += nodes[node]["size"]
        assert sizes == {"members": len(part.members), "topics": len(part.partitions)}
        assert set(group.class_of[part.members].tolist()) == set(part.member_classes.tolist())
        classes = set(group.partition_class[part.partitions].tolist())
        assert classes == set(part.partition_classes.tolist())


def test_members_that_share_no_topic_are_apart():
    subscriptions = {"a": ["t"], "b": ["u", "v"], "c": ["v"], "d": ["t"], "e": [], "f": ["empty"]}
    members = [{"id": m, "subscription": topics} for m, topics in subscriptions.items()]
    topics = {"t": 2, "u": 1, "v": 3, "unread": 4, "empty": 0}
    group = load({"topics": topics, "members": members})
    first, second = components(group)
    assert [group.members[m].id for m in first.members] == ["a", "d"]
    assert [group.partition_name(p) for p in first.partitions.tolist()] == [("t", 0), ("t", 1)]
    assert [group.members[m].id for m in second.members] == ["b", "c"]
    assert [group.partition_name(p)[0] for p in second.partitions.tolist()] == ["u", "v", "v", "v"]
    graph = subscription_graph(group)
    assert graph.nodes["topics", 0]["kind"] == "topics"
    assert sum(graph.nodes[node]["size"] for node in graph if node[0] == "members") == 6
