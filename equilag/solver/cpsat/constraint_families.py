"""The constraint families, one function each: it takes the variables and adds its rows."""

from __future__ import annotations

import numpy as np
from ortools.sat.python import cp_model

from equilag.solver.cpsat.variables import Variables


def each_once(v: Variables) -> None:
    """Every item goes to exactly one of the members that may take it."""
    for row in v.gets:
        v.model.add_exactly_one(row.values())


def member_counts(v: Variables) -> None:
    """Every member's count lies in its interval; blocks are in who may take what."""
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


def load_extremes(v: Variables, outside: tuple[int, int] | None = None) -> None:
    """`highest` and `lowest` enclose all loads, and (lightest, heaviest) of those outside."""
    for j in v.members():
        v.model.add(v.load[j] <= v.highest)
        v.model.add(v.load[j] >= v.lowest)
    if outside is not None:
        v.model.add(v.lowest <= outside[0])
        v.model.add(v.highest >= outside[1])


def moves(v: Variables) -> cp_model.LinearExprT:
    """How many items leave their owner; those owned outside always do."""
    stays, total = [], 0
    for i, owner in enumerate(v.problem.owner.tolist()):
        if owner == -1:
            continue
        total += 1
        if owner in v.gets[i]:
            stays.append(v.gets[i][owner])
    return total - sum(stays)


def move_budget(v: Variables, max_moves: int | None) -> None:
    if max_moves is not None and max_moves < len(v.gets):
        v.model.add(moves(v) <= max_moves)


def alike_members(v: Variables, moves_matter: bool) -> None:
    """Among members alike, the first takes the heaviest item that only they may take.

    Members are alike if they may take the same, within the same limits, on top of the same load,
    and own nothing where moves matter.
    """
    p = v.problem
    groups: dict[tuple[bytes, ...], list[int]] = {}
    for j in v.members():
        if moves_matter and (p.owner == j).any():
            continue
        parts = [p.allowed[:, j], p.base[j : j + 1], p.lo[j : j + 1], p.hi[j : j + 1]]
        if p.topic_lo is not None and p.topic_hi is not None:
            parts += [p.topic_lo[:, j], p.topic_hi[:, j]]
        groups.setdefault(tuple(part.tobytes() for part in parts), []).append(j)
    for members in groups.values():
        others = np.setdiff1d(np.arange(len(p.base)), members)
        theirs = p.allowed[:, members[0]] & ~p.allowed[:, others].any(axis=1)
        items = np.flatnonzero(theirs)
        if len(members) < 2:
            continue
        # The k-th heaviest goes to one of the first k of them.
        for k, i in enumerate(items[np.argsort(-p.lag[items], kind="stable")][: len(members)]):
            for j in members[k + 1 :]:
                v.model.add(v.gets[int(i)][j] == 0)
