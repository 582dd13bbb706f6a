"""Cheapest augmenting paths of a `SharedFlow`, on sets of nodes.

The primal-dual method (Ford and Fulkerson, "Flows in Networks"): the nodes that paths of no reduced
cost reach from where there is too much. If nothing is lacking there, their potentials are lowered,
and more arcs cost nothing.
"""

from __future__ import annotations

from itertools import pairwise

from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import numbers


class PathForest:
    """The nodes that are reached from where there is too much, and how.

    It grows in rounds. Each round lowers all that is reached by 1; `flow` follows at the end.
    """

    def __init__(self, flow: SharedFlow) -> None:
        self.flow = flow
        self.reached = flow.sources
        self.tree: list[tuple[int, int]] = []
        """Sets of nodes, with the node that they were reached from."""
        self.ends = 0
        """Nodes reached where something is lacking."""

    def grow(self) -> bool:
        """Reach something that is lacking; False if nothing can be reached."""
        self._spread(self.reached, 0)
        rounds = [self.reached]
        while not self.ends:
            edge = self._edge()
            if not edge:
                return False
            before = self.reached
            for back, nodes in enumerate(reversed(rounds), 1):
                if nodes & edge and not self.ends:
                    self._spread(nodes & edge, back)
            if not self.ends:
                self._spread(self.reached & ~before, 0)
            rounds.append(self.reached & ~before)
        for back, nodes in enumerate(reversed(rounds)):
            if back:
                self.flow.lower(nodes, back)
        return True

    def _edge(self) -> int:
        """The nodes reached that have an arc to one that is not, at whatever cost."""
        flat, steep, other = self.flow.flat, self.flow.steep, ~self.reached
        return sum([1 << n for n in numbers(self.reached) if (flat[n] | steep[n]) & other])

    def _spread(self, nodes: int, back: int) -> None:
        """Go on at no reduced cost from nodes that lie lower by `back` than `flow` knows; and from
        those that they reach, if that is 0. Ends where something is lacking."""
        flow, tree, other = self.flow, self.tree, ~self.reached
        flat, steep, level, height = flow.flat, flow.steep, flow.level, flow.height
        lacking, first_class = flow.lacking, flow.width
        while nodes:
            node = nodes.bit_length() - 1
            nodes ^= 1 << node
            at = height[node] - back
            found = flat[node] & level.get(at, 0)
            if steep[node]:
                found |= steep[node] & level.get(at - 1 if node >= first_class else at + 1, 0)
            found &= other
            if found:
                other ^= found
                tree.append((found, node))
                if found & lacking:
                    self.ends = found & lacking
                    break
                if not back:
                    nodes |= found
        self.reached = ~other

    def path_to(self, end: int) -> list[int]:
        """The nodes of the path to `end`, from there back."""
        path = [end]
        for nodes, before in reversed(self.tree):
            if nodes >> path[-1] & 1:
                path.append(before)
        return path


def augment(flow: SharedFlow) -> PathForest | None:
    """Send partitions along cheapest paths. Returns the nodes reached if nothing lacks there."""
    forest = PathForest(flow)
    if not forest.grow():
        return forest
    for end in numbers(forest.ends):
        path = forest.path_to(end)
        units = _room(flow, path)
        if units:
            _send(flow, path, units)
    return None


def _room(flow: SharedFlow, path: list[int]) -> int:
    """The partitions that may pass at no reduced cost; 0 if an earlier path took the room."""
    end, start = path[0], path[-1]
    if not flow.lacking >> end & 1 or not flow.sources >> start & 1:
        return 0
    room = flow.least - flow.count[end] if end else flow.places
    first_class, height = flow.width, flow.height
    if start >= first_class:
        room = min(room, flow.loose[start])
    elif start:
        room = min(room, flow.count[start] - flow.most)
    for head, tail in pairwise(path):
        flat = height[head] == height[tail]
        if not (head and tail):  # an extra place
            room = min(room, flow.flat[tail] >> head & 1)
        elif tail >= first_class:
            if not flat:
                cell = tail * flow.width + head
                room = min(room, flow.owned[cell] - flow.units.get(cell, 0))
        else:
            cell = head * flow.width + tail
            held = flow.units.get(cell, 0)
            room = min(room, held - flow.owned.get(cell, 0) if flat else held)
    return room


def _send(flow: SharedFlow, path: list[int], units: int) -> None:
    first_class = flow.width
    for head, tail in pairwise(path):
        if not head:
            flow.rise(tail)
        elif not tail:
            flow.fall(head)
        elif tail >= first_class:
            flow.change(tail, head, units)
        else:
            flow.change(head, tail, -units)
    end, start = path[0], path[-1]
    if end:
        flow.gain(end, units)
    if start >= first_class:
        flow.take(start, units)
    elif start:
        flow.lose(start, units)
