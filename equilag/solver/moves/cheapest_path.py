"""Cheapest augmenting paths of a `SharedFlow`, on sets of nodes.

The primal-dual method (Ford and Fulkerson, "Flows in Networks"): a forest of the nodes that paths
at no reduced cost reach from what is too much. Where it reaches nothing that lacks partitions, the
potentials of its nodes are lowered, and it grows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import numbers

START: Final = -1
"""Stands before the first node of a path."""
BY_SINK: Final = -2
"""Stands for the sink, before a member that gives its extra place back."""
NEVER: Final = 2**62
"""A round after all others."""


class PathForest:
    """The nodes that are reached from what is too much, and how.

    It grows in rounds: each lowers all that is reached by 1, so that more arcs cost nothing. `flow`
    keeps its potentials until the end. Each tree lists sets of nodes with the node that they were
    reached from.
    """

    def __init__(self, flow: SharedFlow) -> None:
        self.flow = flow
        self.members, self.classes = flow.over, flow.sources
        """All that is reached."""
        self.open_members, self.open_classes = self.members, self.classes
        """Those that may have an arc to a node that is not reached."""
        self.rounds: list[tuple[int, int]] = []
        """Members and classes that each round reached, but for the one that is under way."""
        self.tree: list[tuple[int, int]] = []
        self.class_tree: list[tuple[int, int]] = []
        self.sink_round = 0 if flow.places < 0 else NEVER
        """The round that reached the sink."""
        self.sink_from = START
        self.ends = 0
        """Members reached that lack partitions, or that may take a free extra place."""
        self.rises = False
        """True if they take extra places."""

    def grow(self) -> bool:
        """Reach something that lacks partitions; False if nothing can be reached."""
        self._spread(self.members, self.classes, 0)
        self.rounds.append((self.members, self.classes))
        while not self.ends:
            if self._is_closed():
                return False
            self._grow_round(len(self.rounds))
        flow, now = self.flow, len(self.rounds) - 1
        for back, (members, classes) in enumerate(reversed(self.rounds)):
            if back:
                flow.lower_potentials(members, classes, back)
        flow.sink_height -= max(0, now - self.sink_round)
        return True

    def _grow_round(self, now: int) -> None:
        before, classes_before = self.members, self.classes
        members = classes = 0
        for back, (some, of_class) in enumerate(reversed(self.rounds), 1):
            if of_class & self.open_classes:
                members |= self._leave_classes(of_class & self.open_classes, back)
            some &= self.open_members | (self.flow.low if self.sink_round == NEVER else 0)
            if some:
                classes |= self._leave_members(some, back, now)
        self._spread(members, classes, now)
        new = self.members & ~before, self.classes & ~classes_before
        self.rounds.append(new)

    def _spread(self, members: int, classes: int, now: int) -> None:
        """Go on at no cost from nodes that this round has reached."""
        while not self.ends:
            sink = self.sink_round
            if sink <= now:
                members |= self._leave_sink(now)
            members |= self._leave_classes(classes, 0)
            self.ends = self.members & self.flow.below
            if self.ends:
                return
            classes = self._leave_members(members, 0, now)
            members = 0
            if not classes and sink == self.sink_round:
                return

    def _leave_classes(self, classes: int, back: int) -> int:
        """The members reached from classes that lie lower by `back` than `flow` knows."""
        flow, tree, before = self.flow, self.tree, self.members
        readers, cheap, level, height = flow.readers, flow.cheap, flow.level, flow.class_height
        reached = before
        while classes:
            bit = classes & -classes
            classes ^= bit
            c = bit.bit_length() - 1
            rest = readers[c] & ~reached
            if not rest:
                self.open_classes &= ~bit
                continue
            at = height[c] - back
            found = rest & level.get(at + 1, 0)
            if cheap[c]:
                found |= rest & cheap[c] & level.get(at, 0)
            if found:
                reached |= found
                tree.append((found, c))
        self.members = reached
        self.open_members |= reached & ~before
        return reached & ~before

    def _leave_members(self, members: int, back: int, now: int) -> int:
        """The classes reached from members; and perhaps the sink, or a free extra place."""
        flow, tree, before = self.flow, self.class_tree, self.classes
        if self.sink_round == NEVER:
            rising = members & flow.low & flow.level.get(flow.sink_height + back, 0)
            if rising and flow.places > 0:
                self.ends, self.rises = rising, True
                return 0
            if rising:
                self.sink_round, self.sink_from = now, rising.bit_length() - 1
        kept, foreign, level, height = flow.kept, flow.foreign, flow.class_level, flow.height
        reached = before
        while members:
            bit = members & -members
            members ^= bit
            m = bit.bit_length() - 1
            rest = (kept[m] | foreign[m]) & ~reached
            if not rest:
                self.open_members &= ~bit
                continue
            at = height[m] - back
            found = kept[m] & level.get(at, 0)
            if foreign[m]:
                found |= foreign[m] & level.get(at - 1, 0)
            found &= rest
            if found:
                reached |= found
                tree.append((found, m))
        self.classes = reached
        self.open_classes |= reached & ~before
        return reached & ~before

    def _leave_sink(self, now: int) -> int:
        """The members that may give their extra place back."""
        flow = self.flow
        at = flow.sink_height - (now - self.sink_round)
        found = flow.high & flow.level.get(at, 0) & ~self.members
        if found:
            self.members |= found
            self.open_members |= found
            self.tree.append((found, BY_SINK))
        return found

    def _is_closed(self) -> bool:
        """True if no arc with room leaves the nodes reached, at whatever cost."""
        if self.open_classes or self.open_members:
            return False
        if self.sink_round < NEVER:
            return not self.flow.high & ~self.members
        return not self.flow.low & self.members

    def path_to(self, end: int) -> Path:
        """The path to a member that was reached."""
        gains, losses = list[tuple[int, int]](), list[tuple[int, int]]()
        raised, fallen, m = end if self.rises else None, None, end
        while True:
            c = _before(self.tree, m)
            if c == START:
                return Path(gains, losses, raised, fallen, m, None)
            if c == BY_SINK:
                fallen = m
                if self.sink_from == START:
                    return Path(gains, losses, None, fallen, None, None)
                m = raised = self.sink_from
                continue
            gains.append((c, m))
            m = _before(self.class_tree, c)
            if m == START:
                return Path(gains, losses, raised, fallen, None, c)
            losses.append((c, m))


class Path(NamedTuple):
    """What changes along a path."""

    gains: list[tuple[int, int]]
    """Class and member of the cells that get more."""
    losses: list[tuple[int, int]]
    raised: int | None
    """The member that gets an extra place."""
    fallen: int | None
    """The member that gives one back."""
    first_member: int | None
    """The member with too many that the path starts from."""
    first_class: int | None
    """The class with loose partitions that it starts from."""

    def room(self, flow: SharedFlow, end: int) -> int:
        """The partitions that may still pass at no reduced cost: 0 if earlier paths took it all."""
        if not self._places_left(flow, end):
            return 0
        rooms = [flow.least - flow.count[end] if flow.below >> end & 1 else 1]
        if self.raised is not None or self.fallen is not None:
            rooms.append(1)
        if self.first_member is not None:
            rooms.append(flow.count[self.first_member] - flow.most)
        if self.first_class is not None:
            rooms.append(flow.loose[self.first_class])
        units, owned, width = flow.units, flow.owned, flow.width
        for c, m in self.gains:
            if flow.height[m] == flow.class_height[c]:  # only what it owns
                cell = c * width + m
                rooms.append(owned[cell] - units.get(cell, 0))
        for c, m in self.losses:
            cell = c * width + m
            is_kept = flow.height[m] == flow.class_height[c]
            rooms.append(units.get(cell, 0) - (0 if is_kept else owned.get(cell, 0)))
        return min(rooms)

    def _places_left(self, flow: SharedFlow, end: int) -> bool:
        """True if the extra places on the path are still there to take."""
        if self.raised is not None and not flow.low >> self.raised & 1:
            return False
        if self.fallen is not None and not flow.high >> self.fallen & 1:
            return False
        if self.raised == end:
            return flow.places > 0
        starts_at_sink = self.fallen is not None and self.raised is None
        return flow.places < 0 if starts_at_sink else bool(flow.below >> end & 1)

    def send(self, flow: SharedFlow, end: int, units: int) -> None:
        for c, m in self.gains:
            flow.change(c, m, units)
        for c, m in self.losses:
            flow.change(c, m, -units)
        if self.fallen is not None:
            flow.fall(self.fallen)
        if self.raised is not None:
            flow.rise(self.raised)
        if self.raised != end:
            flow.gain(end, units)
        if self.first_member is not None:
            flow.lose(self.first_member, units)
        if self.first_class is not None:
            flow.take(self.first_class, units)


def augment(flow: SharedFlow) -> PathForest | None:
    """Send partitions along cheapest paths. Returns the nodes reached if none of them lacks any."""
    forest = PathForest(flow)
    if not forest.grow():
        return forest
    for end in numbers(forest.ends):
        path = forest.path_to(end)
        units = path.room(flow, end)
        if units:
            path.send(flow, end, units)
    return None


def _before(tree: list[tuple[int, int]], number: int) -> int:
    """The node from which a node was reached; START if it was the first of its path."""
    for nodes, before in tree:
        if nodes >> number & 1:
            return before
    return START
