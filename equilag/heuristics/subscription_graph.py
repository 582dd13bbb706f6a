"""Who may take what, as a graph of member classes and topic classes, and its connected parts.

Members with one subscription are one member class, topics with the same subscribers one topic
class. Counts and moves of different components do not touch each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from equilag.group import Flags, Group, Ints

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One connected part of the subscription graph; all arrays ascending."""

    member_classes: Ints
    topic_classes: Ints
    members: Ints
    partitions: Ints


def components(group: Group) -> list[Component]:
    """The components that have both members and partitions, by their first topic class.

    The flood runs on the [C, K] table itself: a group with thousands of different subscriptions
    has millions of edges, too many for a graph of objects.
    """
    of_topics, of_members = _flood(group.eligible)
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


def subscription_graph(group: Group) -> nx.Graph[Any]:
    """The bipartite networkx graph, nodes ``("members", k)`` and ``("topics", c)``.

    Node attributes: `kind` (``members`` or ``topics``), `bipartite` (0 or 1), `size` (members, or
    partitions, in the class). An edge: members of class k may take partitions of class c.
    """
    import networkx as nx  # slow to import, and no assignor needs it

    graph: nx.Graph[Any] = nx.Graph(name=group.name)
    n_partitions = np.bincount(group.partition_class, minlength=len(group.eligible))
    for k, size in enumerate(group.class_size.tolist()):
        graph.add_node(("members", k), kind="members", bipartite=0, size=size)
    for c, size in enumerate(n_partitions.tolist()):
        graph.add_node(("topics", c), kind="topics", bipartite=1, size=size)
    for c, k in np.argwhere(group.eligible).tolist():
        graph.add_edge(("topics", c), ("members", k))
    return graph


def _flood(eligible: Flags) -> tuple[Ints, Ints]:
    """[C] and [K] component number of each class, -1 for classes without an edge."""
    of_topics = np.full(eligible.shape[0], -1, dtype=np.int64)
    of_members = np.full(eligible.shape[1], -1, dtype=np.int64)
    n = 0
    for c in np.flatnonzero(eligible.any(axis=1)).tolist():
        if of_topics[c] >= 0:
            continue
        for topics, members in _waves(eligible, of_topics, of_members, c):
            of_topics[topics] = n
            of_members[members] = n
        n += 1
    return of_topics, of_members


def _waves(
    eligible: Flags, of_topics: Ints, of_members: Ints, start: int
) -> Iterator[tuple[Ints, Ints]]:
    """New topic classes and the new member classes next to them, wave by wave from `start`.

    The caller marks each wave before it asks for the next one.
    """
    topics = np.array([start])
    while len(topics):
        members = np.flatnonzero(eligible[topics].any(axis=0) & (of_members < 0))
        yield topics, members
        topics = np.flatnonzero(eligible[:, members].any(axis=1) & (of_topics < 0))


def _split(label: Ints, n: int) -> list[Ints]:
    """The places of each label 0..n-1, ascending; -1 belongs nowhere."""
    order = np.argsort(label, kind="stable")
    bounds = np.searchsorted(label[order], np.arange(n + 1))
    return [order[a:b] for a, b in pairwise(bounds)]
