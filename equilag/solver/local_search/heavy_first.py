"""The heaviest partitions settled first, under mixed subscriptions, with the lightest beside them.

A partition heavier than what the other members can share leaves its member too heavy whatever lies
beside it. The lightest load is then largest if such members hold the lightest partitions as well:
one flow finds them holders, another one of minimum cost the lightest partitions that they can hold
together while all others can still be dealt out.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.domain.constraint import CountConstraint, Network
from equilag.domain.group.group import NOBODY, Flags, Group, Index, Ints
from equilag.solver.counts.min_cost_flow import solved_flow

PRECISION: Final = 100_000
"""Steps of a cost, so that it is a small number: what a step is wrong by stays below 0.001 % of the
heaviest of the lightest partitions."""
LEADING: Final = 1_000
"""How much more the weight beside the very heaviest partition costs: it decides the heaviest
load."""
MAX_ARCS: Final = 150_000
"""Arcs of one flow, about 0.2 s; where it would have more, nothing is settled."""
CANDIDATES: Final = 1.5
"""The lightest partitions that may lie beside heavy ones, as a multiple of how many have to."""


MAX_PAIRS: Final = 20_000_000
"""Pairs of a light partition and a member that are looked at, about 0.1 s; the same beyond it."""


class Settled(NamedTuple):
    assigned: Index
    """[P]"""
    heavy: Flags
    """[M] True for the members that hold one of the heaviest partitions."""


def settle_heavy(
    group: Group, constraint: CountConstraint, assigned: Index, heaviest: int
) -> Settled | None:
    """An assignment within the constraint where the `heaviest` partitions have a member each.

    Those members hold as few partitions as they may, and the lightest ones. None if there is no
    such assignment, and where partitions are pinned or topics count one by one. O(P log P) and two
    minimum-cost flows.
    """
    if constraint.has_pinned or constraint.per_topic:
        return None
    if heaviest * constraint.largest_count * group.n_members > MAX_PAIRS:
        return None
    free = np.flatnonzero(constraint.free)
    by_lag = free[np.argsort(-group.lag[free], kind="stable")]
    lead, others = by_lag[:heaviest], by_lag[heaviest:][::-1]
    holder = _holders(group, constraint, assigned, lead)
    return None if holder is None else _companions(group, constraint, lead, holder, others)


def _holders(group: Group, constraint: CountConstraint, assigned: Index, lead: Ints) -> Ints | None:
    """[leads] a member of its own for each, its present one if possible; None if that cannot be.

    The heaviest one goes to the member for which the lightest has to lie beside it.
    """
    may = constraint.may_each(lead, np.arange(group.n_members))
    may[0] &= _least_beside(group, constraint, may[0], int(lead[0]))
    number, member = np.nonzero(may)
    n, m = len(lead), group.n_members
    network = Network.of(n + m + 1, (number, n + member, 0, 1), (n + np.arange(m), n + m, 0, 1))
    cost = np.append(assigned[lead[number]] != member, np.zeros(m, np.bool_)).astype(np.int64)
    found = _flow(network, n, cost)
    if found is None:
        return None
    taken = np.flatnonzero(found[: len(number)])
    holder = np.full(n, NOBODY, np.int64)
    holder[number[taken]] = member[taken]
    return holder


def _least_beside(group: Group, constraint: CountConstraint, takers: Flags, lead: int) -> Flags:
    """[M] the takers for whom the lightest has to lie beside the leading partition."""
    members = np.flatnonzero(takers)
    free = np.flatnonzero(constraint.free)
    free = free[free != lead]
    by_lag = free[np.argsort(group.lag[free], kind="stable")]
    least = constraint.counts_of(members).least
    beside = [
        int(group.lag[by_lag[constraint.may(by_lag, member)][: max(0, fewest - 1)]].sum())
        for member, fewest in zip(members.tolist(), least.tolist(), strict=True)
    ]
    best = np.zeros(group.n_members, np.bool_)
    best[members[np.array(beside) == min(beside, default=0)]] = True
    return best


def _companions(
    group: Group, constraint: CountConstraint, lead: Ints, holder: Ints, others: Ints
) -> Settled | None:
    """The others, ascending by lag, dealt out so that the holders' are as light as possible."""
    heavy = np.zeros(group.n_members, np.bool_)
    heavy[holder] = True
    least, most = constraint.counts_of()
    least, most = least - heavy, most - heavy
    light = others[: int(CANDIDATES * least[heavy].sum()) + 1]
    item, member = np.nonzero(constraint.may_each(light, np.arange(group.n_members)) & heavy)
    n, n_classes = len(others), len(constraint.face)
    of_class, taker = np.nonzero(constraint.face[:, group.class_of] & ~heavy)
    bucket = group.partition_class[others]
    size = np.bincount(bucket, minlength=n_classes)
    first_member = n + n_classes
    step = max(1, int(group.lag[light].max(initial=0)) // PRECISION)
    weight = group.lag[light][item] // step * np.where(member == holder[0], LEADING, 1)
    sink = first_member + group.n_members
    network = Network.of(
        sink + 1,
        (item, first_member + member, 0, 1),
        (np.arange(n), n + bucket.astype(np.int64), 0, 1),
        (n + of_class, first_member + taker, 0, size[of_class]),
        (np.arange(first_member, sink), sink, least, most),
    )
    found = _flow(network, n, np.append(weight, np.zeros(len(network.tail) - len(item), np.int64)))
    if found is None:
        return None
    result = np.full(group.n_partitions, NOBODY, np.int32)
    result[lead] = holder
    beside = np.flatnonzero(found[: len(item)])
    result[light[item[beside]]] = member[beside]
    left = others[result[others] == NOBODY]
    left = left[np.argsort(group.partition_class[left], kind="stable")]
    result[left] = np.repeat(taker, found[len(item) + n :][: len(taker)])
    return Settled(result, heavy)


def _flow(network: Network, n: int, cost: Ints) -> Ints | None:
    """[arcs] the cheapest flow of a unit from each of the first `n` nodes to the last; None if
    there is none, or too many arcs."""
    if len(cost) > MAX_ARCS:
        return None
    supply = np.zeros(network.n_nodes, np.int64)
    supply[:n], supply[-1] = 1, -n
    return solved_flow(network, supply, cost)
