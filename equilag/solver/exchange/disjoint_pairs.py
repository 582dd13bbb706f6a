"""Pairs of which no two have a member in common."""

from __future__ import annotations

import numpy as np

from equilag.domain.group.group import Ints


def disjoint_pairs(one: Ints, other: Ints, n_members: int) -> Ints:
    """The indices of the pairs that remain if each in turn takes both its members from the rest.

    The pairs are given best first. All pairs that come before every other of either member are
    taken at once, until none is left.
    """
    left, taken = np.arange(len(one)), []
    while len(left):
        first = np.full(n_members, len(one))
        np.minimum.at(first, one[left], left)
        np.minimum.at(first, other[left], left)
        best = left[(first[one[left]] == left) & (first[other[left]] == left)]
        taken.append(best)
        used = np.zeros(n_members, np.bool_)
        used[one[best]] = used[other[best]] = True
        left = left[~(used[one[left]] | used[other[left]])]
    return np.concatenate(taken) if taken else left
