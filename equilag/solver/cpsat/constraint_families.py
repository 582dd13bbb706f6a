"""The constraint families, one function each, which adds its rows to the model."""

from __future__ import annotations

import numpy as np
from ortools.sat.python import cp_model

from equilag.solver.cpsat.variables import Variables


def each_once(v: Variables) -> None:
    """Every item is assigned to exactly one of the members that may take it."""
    for row in v.gets:
        v.model.add_exactly_one(row.values())


def member_counts(v: Variables) -> None:
    """Every member's count lies in its interval. Blocks need no rows: `allowed` has them."""
    for j in v.members():
        lo, hi = int(v.problem.lo[j]), int(v.problem.hi[j])
        v.model.add_linear_constraint(sum(v.items_of(j)), lo, hi)


def topic_counts(v: Variables) -> None:
    """Every member's count of every topic lies in its interval, where topics count one by one."""
    p = v.problem
    if p.topic is None or p.topic_lo is None or p.topic_hi is None:
        return
    for t in range(len(p.topic_lo)):
        for j in v.members():
            mine = [v.gets[i][j] for i in np.flatnonzero(p.topic == t).tolist() if j in v.gets[i]]
            lo, hi = int(p.topic_lo[t, j]), int(p.topic_hi[t, j])
            v.model.add_linear_constraint(sum(mine), lo, hi)


def instance_sums(v: Variables) -> None:
    """The members of every instance have as many items together as its interval says."""
    sums = v.problem.sums
    if sums is None:
        return
    for number, (least, most) in enumerate(zip(sums.least, sums.most, strict=True)):
        theirs = [x for j in np.flatnonzero(sums.of == number).tolist() for x in v.items_of(j)]
        v.model.add_linear_constraint(sum(theirs), int(least), int(most))


def reads_across(v: Variables) -> None:
    """No more partitions are read across racks than the limit says."""
    reads = v.problem.reads
    if reads is None:
        return
    cost = [int(reads.cost[i, j]) * x for i, row in enumerate(v.gets) for j, x in row.items()]
    v.model.add(sum(cost) <= reads.most)


def load_extremes(v: Variables) -> None:
    """Every load lies between `lowest` and `highest`."""
    for j in v.members():
        v.model.add(v.load[j] <= v.highest)
        v.model.add(v.load[j] >= v.lowest)


def moves(v: Variables) -> cp_model.LinearExprT:
    """The number of items that leave their owner, or of their partitions that do; those that a
    member outside the problem owns always do."""
    stakes, total = v.problem.stakes, v.problem.forced_moves
    if stakes is not None:
        kept = [int(stakes[i, j]) * x for i, row in enumerate(v.gets) for j, x in row.items()]
        return total + int(stakes.sum()) - sum(kept)
    stays = []
    for i, owner in enumerate(v.problem.owner.tolist()):
        if owner == -1:
            continue
        total += 1
        if owner in v.gets[i]:
            stays.append(v.gets[i][owner])
    return total - sum(stays)


def move_limit(v: Variables, max_moves: int | None) -> None:
    """At most `max_moves` items leave their owner; None for no limit."""
    if max_moves is not None and max_moves < v.most_moves:
        v.model.add(moves(v) <= max_moves)


def alike_members(v: Variables, moves_matter: bool) -> None:
    """Break the symmetry of members that are alike: the k-th heaviest item that only they may take
    goes to one of the first k of them.

    Members are alike if they may take the same items, with the same limits and base load, and, if
    `moves_matter`, own nothing.
    """
    p = v.problem
    if p.reads is not None:
        return
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for j in v.members():
        if moves_matter and v.owns_anything(j):
            continue
        parts = [p.allowed[:, j], p.base[j : j + 1], p.lo[j : j + 1], p.hi[j : j + 1]]
        if p.factor is not None:
            parts.append(p.factor[j : j + 1])
        if p.sums is not None:
            parts.append(p.sums.of[j : j + 1])
        if p.topic_lo is not None and p.topic_hi is not None:
            parts += [p.topic_lo[:, j], p.topic_hi[:, j]]
        groups.setdefault(tuple(part.tobytes() for part in parts), []).append(j)
    for members in groups.values():
        others = np.setdiff1d(np.arange(len(p.base)), members)
        theirs = p.allowed[:, members[0]] & ~p.allowed[:, others].any(axis=1)
        items = np.flatnonzero(theirs)
        if len(members) < 2:
            continue
        for k, i in enumerate(items[np.argsort(-p.lag[items], kind="stable")][: len(members)]):
            for j in members[k + 1 :]:
                v.model.add(v.gets[int(i)][j] == 0)
