"""Exactly even counts and the fewest moves together, on augmenting paths, for small groups.

Where all counts lie within one of each other, they are as even as possible: so the cheapest flow
that gives every member the mean, rounded down or up, has even counts and moves the least. If there
is none, the nodes that a search reached are a minimum cut: their members get more in every most
even assignment, all others get less, and no partition crosses (Frank and Murota, "Decreasing
minimization on M-convex sets"). Each side is a problem of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from equilag.certificate.potentials import Potentials
from equilag.errors import EquilagError
from equilag.group import Group, Index
from equilag.policy import Policy
from equilag.solver.moves.cheapest_path import augment
from equilag.solver.moves.direct_deal import deal_directly
from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import MAX_CELLS, SmallColumns, numbers


class IndependentPart(NamedTuple):
    """Members and classes that are independent of all others, as bits."""

    members: int
    classes: int


class EvenAndKept(NamedTuple):
    """An assignment with exactly even counts and, under those, the fewest moves."""

    columns: SmallColumns
    flows: list[SharedFlow]
    """Of the parts; the members of a later one get no more than those of an earlier one."""
    assigned: Index
    """[P]"""
    moves: int

    def potentials(self) -> Potentials:
        """The dual solution of the whole, from those of the parts.

        The potentials of a block without extra places may be raised against all others: so far that
        its members may take no partition of a lower block for less than that is worth there.
        """
        of_class, of_member, deepest = dict[int, int](), dict[int, int](), 1
        for flow in reversed(self.flows):
            for members, classes, shares in flow.blocks():
                top = flow.sink_height
                if not shares:
                    top = max(h for h, some in flow.level.items() if some & members) + 1 - deepest
                for height, some in flow.level.items():
                    of_member |= dict.fromkeys(numbers(some & members), top - height)
                for height, some in flow.class_level.items():
                    if some & classes:
                        of_class |= dict.fromkeys(numbers(some & classes), 1 + height - top)
                        deepest = min(deepest, 1 + height - top)
        return self.columns.potentials(of_class, of_member)


def is_small(group: Group, policy: Policy) -> bool:
    """True if `keep_evenly` takes the group and is the faster way."""
    by_topic = group.partition_classes is None and policy.evens_totals
    return by_topic and 0 < group.n_members * len(group.topics) <= MAX_CELLS


def keep_evenly(group: Group) -> EvenAndKept:
    """The fewest moves to the most even counts. Raises EquilagError on a fault of the method."""
    columns = SmallColumns.of(group)
    whole = _whole(columns)
    flows = _settled(columns, _without_poor(columns, whole))
    if flows is None:
        flows = _settled(columns, [whole])
    if flows is None:
        raise EquilagError("members were divided at a level that is not one")
    units = flows[0].units if flows else {}
    for flow in flows[1:]:
        units = units | flow.units
    return EvenAndKept(columns, flows, *columns.assignment(group.owner, units))


def _whole(columns: SmallColumns) -> IndependentPart:
    """All classes that are read and have partitions, and all members that may take any."""
    members = classes = 0
    for c, readers in enumerate(columns.readers):
        if readers and columns.size[c]:
            members |= readers
            classes |= 1 << c
    return IndependentPart(members, classes)


def _without_poor(columns: SmallColumns, whole: IndependentPart) -> list[IndependentPart]:
    """Members that reach fewer partitions than the mean, with all that they reach, and the rest.

    The two are independent if no member of the rest ends up below one of the first.
    """
    readers, size = columns.readers, columns.size
    total = sum([size[c] for c in numbers(whole.classes)])
    least = total // max(1, whole.members.bit_count())
    poor = taken = 0
    for m in numbers(whole.members):
        if columns.reach[m] >= least:  # a topic has at least one partition
            break
        bit = 1 << m
        reached = [c for c, mask in enumerate(readers) if mask & bit]
        if sum([size[c] for c in reached]) < least:
            poor |= bit
            taken |= sum([1 << c for c in reached])
    if not poor:
        return [whole]
    return [
        IndependentPart(poor, taken),
        IndependentPart(whole.members & ~poor, whole.classes & ~taken),
    ]


def _settled(columns: SmallColumns, parts: list[IndependentPart]) -> list[SharedFlow] | None:
    """Flows of parts that are as even as possible, from the largest counts to the smallest.

    `parts` are ascending. None if they turn out not to be.
    """
    flows: list[SharedFlow] = []
    todo = parts[:]
    while todo:
        part = todo.pop()
        if not part.members:
            continue
        flow = _flow_of(columns, part)
        deal_directly(flow)
        stuck = None
        while not flow.settled and stuck is None:
            stuck = augment(flow)
        if stuck is None:
            if flows and flows[-1].least < flow.most:
                return None
            flows.append(flow)
            continue
        todo.append(IndependentPart(part.members & ~stuck.members, part.classes & ~stuck.classes))
        todo.append(IndependentPart(stuck.members, stuck.classes))
    return flows


def _flow_of(columns: SmallColumns, part: IndependentPart) -> SharedFlow:
    width, owned, readers = columns.width, columns.owned, columns.readers
    members, classes = part
    if members.bit_count() + 1 < width or classes.bit_count() < len(readers):
        readers = [mask & members for mask in readers]
        owned = {
            cell: units
            for cell, units in owned.items()
            if classes >> cell // width & 1 and members >> cell % width & 1
        }
    return SharedFlow(readers, columns.size, owned, members, list(numbers(classes)), width)
