"""Chains: every move is in one, each begins where the one before ends, and counts add up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from equilag.domain.move_reasons.unit_moves import Chains, chains_of


def chains(moves: list[tuple[int, int, int]]) -> Chains:
    columns = np.array(moves, dtype=np.int64).reshape(len(moves), 3)
    return chains_of(columns[:, 0], columns[:, 1], columns[:, 2])


def parts(found: Chains) -> list[tuple[list[int], bool]]:
    ends = found.begin.tolist()
    rows = [found.order[a:b].tolist() for a, b in pairwise(ends)]
    return list(zip(rows, found.closed.tolist(), strict=True))


def test_the_heaviest_of_both_sides_change_places() -> None:
    found = chains([(0, 1, 5), (0, 1, 9), (1, 0, 2), (1, 0, 3), (0, 1, 1)])
    assert sorted(map(sorted, (moves for moves, _ in parts(found)))) == [[0, 2], [1, 3], [4]]
    assert sorted(closed for _, closed in parts(found)) == [False, True, True]
    assert found.before.tolist() == [2, 3, 0, 1, -1]


def test_chains_of_random_moves_are_whole() -> None:
    rng = np.random.default_rng(1)
    for _ in range(120):
        members, n = int(rng.integers(2, 7)), int(rng.integers(0, 25))
        source = rng.integers(0, members, n)
        target = (source + rng.integers(1, members, n)) % members
        found = chains_of(source, target, rng.integers(0, 50, n))
        assert sorted(found.order.tolist()) == list(range(n))
        net = np.zeros(members, dtype=np.int64)
        for moves, closed in parts(found):
            ends = [(int(source[move]), int(target[move])) for move in moves]
            assert all(a[1] == b[0] for a, b in pairwise(ends))
            first, last = ends[0][0], ends[-1][1]
            assert closed == (first == last)
            visited = [start for start, _ in ends]
            assert len(set(visited)) == len(visited)
            assert [found.before[move] for move in moves] == [
                moves[-1] if closed else -1, *moves[:-1]
            ]  # fmt: skip
            net[first] -= not closed
            net[last] += not closed
        # A path takes from members that lose partitions, and gives to members that gain some.
        wanted = np.bincount(target, minlength=members) - np.bincount(source, minlength=members)
        assert net.tolist() == wanted.tolist()
        paths = sum(not closed for _, closed in parts(found))
        assert paths == np.maximum(wanted, 0).sum()
