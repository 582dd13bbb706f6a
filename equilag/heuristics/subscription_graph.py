"""The graph of which member class may take which partition class, and its connected components.

Counts and moves of different components are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.domain.group.group import Flags, Group, Ints

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One connected part of the subscription graph; all arrays ascending."""

    member_classes: Ints
    partition_classes: Ints
    members: Ints
    partitions: Ints


def components(group: Group) -> list[Component]:
    """The components that have both members and partitions, by their first partition class."""
    of_topics, of_members = _labels(group.eligible)
    n = int(of_topics.max(initial=-1)) + 1
    member_part = of_members[group.class_of] if group.n_members else np.zeros(0, np.int64)
    partition_part = of_topics[group.partition_class]
    parts = zip(
        _split(of_members, n),
        _split(of_topics, n),
        _split(member_part, n),
        _split(partition_part, n),
        strict=True,
    )
    return [Component(*arrays) for arrays in parts]


def _labels(eligible: Flags) -> tuple[Ints, Ints]:
    """[C] and [K] component number of each class, by first partition class; -1 without an edge."""
    topics, members = np.flatnonzero(eligible.any(axis=1)), np.flatnonzero(eligible.any(axis=0))
    of_topics = np.full(eligible.shape[0], -1, dtype=np.int64)
    of_members = np.full(eligible.shape[1], -1, dtype=np.int64)
    table = eligible[np.ix_(topics, members)]
    # A topic that everybody reads, or a member that reads everything, holds all together: there is
    # one part at most, and the slow import is not needed.
    if not table.size or table.all(axis=1).any() or table.all(axis=0).any():
        of_topics[topics], of_members[members] = 0, 0
        return of_topics, of_members

    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    # One edge per class is a start; a table of millions of edges needs only those that join parts.
    graph.add_edges_from((("topics", c), ("members", int(eligible[c].argmax()))) for c in topics)
    graph.add_edges_from(
        (("topics", int(eligible[:, k].argmax())), ("members", k)) for k in members
    )
    while True:
        parts = sorted(nx.connected_components(graph), key=_first_topic)
        for number, part in enumerate(parts):
            for kind, node in part:
                (of_topics if kind == "topics" else of_members)[node] = number
        c, k = np.nonzero(eligible & (of_topics[:, None] != of_members[None, :]))
        if not len(c):
            return of_topics, of_members
        _, first = np.unique(of_topics[c] * len(parts) + of_members[k], return_index=True)
        graph.add_edges_from((("topics", c[i]), ("members", k[i])) for i in first)


def _first_topic(part: set[tuple[str, int]]) -> int:
    return min(int(node) for kind, node in part if kind == "topics")


def _split(label: Ints, n: int) -> list[Ints]:
    """The places of each label 0..n-1, ascending; -1 belongs nowhere."""
    order = np.argsort(label, kind="stable")
    bounds = np.searchsorted(label[order], np.arange(n + 1))
    return [order[a:b] for a, b in pairwise(bounds)]
