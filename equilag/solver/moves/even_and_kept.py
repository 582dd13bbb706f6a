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
from equilag.solver.moves.shared_flow import SharedFlow
from equilag.solver.moves.small_columns import MAX_CELLS, IndependentPart, SmallColumns, numbers


def deal_directly(flow: SharedFlow) -> None:
    """Place what is too much, as far as paths of one step reach; classes with few readers first."""
    readers = flow.flat
    for c in sorted(numbers(flow.loose_classes), key=lambda c: readers[c].bit_count()):
        flow.take(c, _place(flow, c, flow.loose[c]))
    for m in numbers(flow.over):
        flow.lose(m, _release(flow, m, flow.count[m] - flow.most))
    if flow.places < 0:
        for m in numbers(flow.flat[0] & ~flow.over):
            if _release(flow, m, 1):
                flow.fall(m)
                if not flow.places:
                    break


def _release(flow: SharedFlow, m: int, units: int) -> int:
    """Place up to so many of the partitions that member m owns; returns how many."""
    left, width, held, steep = units, flow.width, flow.units, flow.steep
    bit = 1 << m
    for c in numbers(steep[m]):
        cell = c * width + m
        kept = held[cell]
        given = _place(flow, c, kept if kept < left else left)
        if given:
            steep[c] |= bit
            if given == kept:
                del held[cell]
                steep[m] ^= 1 << c
            else:
                held[cell] = kept - given
            left -= given
            if not left:
                break
    return units - left


def _place(flow: SharedFlow, c: int, units: int) -> int:
    """Give up to so many partitions of class c to members that lack some; returns how many.

    These members hold at least what they own, so that all of it is new to them.
    """
    left, count, least, extra = units, flow.count, flow.least, flow.spare > 0
    held, steep, flat, of_class = flow.units, flow.steep, flow.flat, 1 << c
    first = c * flow.width
    reach = flat[c] & flow.level[1]
    lacking = reach & flow.below
    while left:
        if not lacking:
            if flow.places <= 0:
                break
            lacking = reach & ~flow.below & ~flat[0]
            if not lacking:
                break
        bit = lacking & -lacking
        lacking ^= bit
        m = bit.bit_length() - 1
        more = least - count[m]
        if not more:
            more = 1
            flat[m] ^= 1
            flat[0] |= bit
            flow.places -= 1
            if not flow.places:
                lacking = 0
        elif more > left:
            more = left
        else:
            flow.below ^= bit
            if extra:
                flat[m] |= 1
        count[m] += more
        left -= more
        cell = first + m
        flat[m] |= of_class
        if cell in held:
            held[cell] += more
            steep[m] &= ~of_class
        else:
            held[cell] = more
    return units - left


def forced_units(columns: SmallColumns) -> dict[int, int] | None:
    """Partitions by cell, if there is one way to give all members the same number.

    A class with one reader left gives it everything, and a member with one class left takes all
    that it lacks from it. None if the mean is no whole number, if the pairs are no forest, or if a
    member reaches too little or must take too much. O(pairs).
    """
    part, width = columns.whole, columns.width
    readers, size = columns.readers, columns.size
    n_members = part.members.bit_count()
    least, spare = divmod(columns.total, max(1, n_members))
    if spare:
        return None
    classes = list(numbers(part.classes))
    if sum([readers[c].bit_count() for c in classes]) >= n_members + len(classes):
        return None
    arcs, left = readers[:], size[:]
    for m in numbers(part.members):
        left[m] = least
    for c in classes:
        for m in numbers(readers[c]):
            arcs[m] |= 1 << c
    units: dict[int, int] = {}
    leaves = [n for n, others in enumerate(arcs) if others and not others & (others - 1)]
    for leaf in leaves:
        others, number = arcs[leaf], left[leaf]
        if not others:
            continue
        other = others.bit_length() - 1
        left[other] -= number
        if left[other] < 0:
            return None
        left[leaf] = arcs[leaf] = 0
        if number:
            units[leaf * width + other if leaf >= width else other * width + leaf] = number
        arcs[other] ^= 1 << leaf
        if arcs[other] and not arcs[other] & (arcs[other] - 1):
            leaves.append(other)
    return (
        None if any(arcs) or any(left[n] for n in numbers(part.members | part.classes)) else units
    )


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
