"""The graph of which member class may take which partition class, and its connected components.

Counts and moves of different components are independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.domain.group.group import Group, Ints

if TYPE_CHECKING:
    import networkx as nx


def components(group: Group) -> list[Ints]:
    """The partition classes, ascending, of each component that has members and partitions; by the
    first of them."""
    eligible = group.eligible
    topics, members = np.flatnonzero(eligible.any(axis=1)), np.flatnonzero(eligible.any(axis=0))
    of_topics = np.full(eligible.shape[0], -1, dtype=np.int64)
    of_members = np.full(eligible.shape[1], -1, dtype=np.int64)
    table = eligible[np.ix_(topics, members)]
    # A topic that everybody reads, or a member that reads everything, holds all together: there is
    # one part at most, and the slow import is not needed.
    if not table.size or table.all(axis=1).any() or table.all(axis=0).any():
        return [topics] if table.size else []

    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    # One edge per class is a start; a table of millions of edges needs only those that join parts.
    graph.add_edges_from((("topics", c), ("members", int(eligible[c].argmax()))) for c in topics)
    graph.add_edges_from(
        (("topics", int(eligible[:, k].argmax())), ("members", k)) for k in members
    )
    while True:
        found = nx.connected_components(graph)
        parts = sorted(found, key=lambda part: min(c for kind, c in part if kind == "topics"))
        for number, part in enumerate(parts):
            for kind, node in part:
                (of_topics if kind == "topics" else of_members)[node] = number
        c, k = np.nonzero(eligible & (of_topics[:, None] != of_members[None, :]))
        if not len(c):
            return [np.flatnonzero(of_topics == number) for number in range(len(parts))]
        _, first = np.unique(of_topics[c] * len(parts) + of_members[k], return_index=True)
        graph.add_edges_from((("topics", c[i]), ("members", k[i])) for i in first)
