"""Counts where subscriptions leave no choice: the pairs of class and member form a forest.

A chain of members of which neighbours share a topic is the usual case.
"""

from __future__ import annotations

from equilag.solver.moves.small_columns import SmallColumns, numbers


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
