"""Exactly even counts and the fewest moves together, on augmenting paths, for small groups.

Where all counts lie within one of each other, they are as even as possible: so the cheapest flow
that gives every member the mean, rounded down or up, has even counts and moves the least. If there
is none, the nodes that a search reached are a minimum cut: their members get more in every most
even assignment, all others get less, and no partition crosses (Frank and Murota, "Decreasing
minimization on M-convex sets"). Each side is a problem of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from equilag.certificate.checks.potentials import Potentials
from equilag.domain.errors import EquilagError
from equilag.domain.group.group import Group, Index
from equilag.domain.plan.metrics import is_ordinary
from equilag.domain.policy.policy import Policy
from equilag.solver.moves.cheapest_path import augment
from equilag.solver.moves.direct_deal import deal_directly
from equilag.solver.moves.forced_flow import forced_units
from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import MAX_CELLS, IndependentPart, SmallColumns, numbers


class EvenAndKept(NamedTuple):
    """An assignment with exactly even counts and, under those, the fewest moves."""

    columns: SmallColumns
    flows: list[SharedFlow] | None
    """Of the parts; the members of a later one get no more than those of an earlier one. None if
    subscriptions left no choice."""
    assigned: Index
    """[P]"""
    moves: int

    def potentials(self) -> Potentials:
        """The dual solution of the whole, from those of the parts.

        The potentials of a block without extra places may be raised against all others: so far that
        its members may take no partition of a lower block for less than that is worth there.
        """
        value, deepest = dict[int, int](), 1
        flows = _flows_of(self.columns) if self.flows is None else self.flows
        for flow in reversed(flows):
            for members, classes, shares in flow.blocks():
                top = flow.height[0]
                if not shares:
                    top = max(flow.height[m] for m in numbers(members)) + 1 - deepest
                for m in numbers(members):
                    value[m] = top - flow.height[m]
                for c in numbers(classes):
                    value[c] = flow.height[c] - top
                    deepest = min(deepest, value[c])
        return self.columns.potentials(value)


def is_small(group: Group, policy: Policy) -> bool:
    """True if `keep_evenly` takes the group and is the faster way."""
    ordinary = group.partition_classes is None and is_ordinary(group)
    by_topic = ordinary and policy.evens_totals
    return by_topic and 0 < group.n_members * len(group.topics) <= MAX_CELLS


def keep_evenly(group: Group) -> EvenAndKept:
    """The fewest moves to the most even counts. Raises EquilagError on a fault of the method."""
    columns = SmallColumns.of(group)
    flows, units = None, forced_units(columns)
    if units is None:
        flows = _flows_of(columns)
        units = flows[0].units if flows else {}
        for flow in flows[1:]:
            units = units | flow.units
    return EvenAndKept(columns, flows, *columns.assignment(group.owner, units))


def _flows_of(columns: SmallColumns) -> list[SharedFlow]:
    flows = _settled(columns, _without_poor(columns))
    if flows is None:
        flows = _settled(columns, [columns.whole])
    if flows is None:
        raise EquilagError("members were divided at a level that is not one")
    return flows


def _without_poor(columns: SmallColumns) -> list[IndependentPart]:
    """Members that reach fewer partitions than the mean, with all that they reach, and the rest.

    The two are independent if no member of the rest ends up below one of the first.
    """
    whole, reach = columns.whole, columns.reach
    least = columns.total // max(1, whole.members.bit_count())
    first = (whole.members & -whole.members).bit_length() - 1
    if min(reach[first:], default=least) >= least:
        return [whole]
    poor = sum([1 << m for m in numbers(whole.members) if reach[m] < least])
    reached = [1 << c for c, readers in enumerate(columns.readers) if readers & poor]
    taken = sum(reached) & whole.classes
    rest = IndependentPart(whole.members & ~poor, whole.classes & ~taken)
    return [IndependentPart(poor, taken), rest]


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
        while stuck is None and flow.sources:
            stuck = augment(flow)
        if stuck is None:
            if flows and flows[-1].least < flow.most:
                return None
            flows.append(flow)
            continue
        above = stuck.reached & ~1
        todo.append(IndependentPart(part.members & ~above, part.classes & ~above))
        todo.append(IndependentPart(part.members & above, part.classes & above))
    return flows


def _flow_of(columns: SmallColumns, part: IndependentPart) -> SharedFlow:
    readers, owned = columns.readers, columns.owned
    if part != columns.whole:
        readers = [mask & part.members for mask in readers]
        there = [False] * len(readers)
        for node in numbers(part.members | part.classes):
            there[node] = True
        owned = [cell for cell in owned if there[cell[0]] and there[cell[1]]]
    return SharedFlow(readers, columns.size, owned, part, columns.width)
