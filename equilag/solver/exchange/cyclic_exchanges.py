"""Cyclic exchanges: even loads under mixed subscriptions, by two and by three members at a time.

With mixed subscriptions, two members seldom read enough of the same topics for a direct exchange;
a third one in between makes room. Each step takes one member whose load is outside the window that
the bounds leave, and makes the exchange that brings the loads of all who take part closest to it:
first among those of two members, and if none helps, among the cycles of three.

A step looks at every partition that the member may read: O(r × c) array elements for two members
and O(c² × d × r) for three, where it holds c of r partitions that it may read, each of which has d
readers; of larger neighbourhoods it takes a part at random.
"""

from __future__ import annotations

from math import isqrt
from typing import Final

import numpy as np

from equilag.domain.budget import TABLE
from equilag.domain.constraint import ALL
from equilag.domain.group.group import NOBODY, Ints
from equilag.solver.local_search.assignment_state import AssignmentState, Window

NEVER: Final = np.int64(2**62)
"""More than any gain: the sum of all lags stays below it."""


def exchange_of_two(
    state: AssignmentState, member: int, window: Window, rng: np.random.Generator
) -> bool:
    """Make the best exchange of `member` with one other; False if none brings loads closer.

    It takes p of the other member and gives r or nothing; if that does not help, it only gives.
    """
    most = TABLE // (len(state.held[member]) + 1)
    take = np.append(_some(rng, state.others_for(member), most), NOBODY)
    give = np.append(np.array(state.held[member], np.int64), NOBODY)
    lag = state.group.lag
    into, out = np.where(take < 0, 0, lag[take]), np.where(give < 0, 0, lag[give])
    other = state.assigned[take[:-1]].astype(np.int64)
    change = into[:-1, None] - out[None, :]
    fits = np.ones(change.shape, np.bool_)
    constraint, counts = state.constraint, state.counts
    fits[:, :-1] = constraint.may(give[None, :-1], other[:, None])
    fits[:, -1] = constraint.may_gain_one(counts, member) & constraint.may_lose_one(counts, other)
    after = window.outside(state.loads[member] + state.scaled(change, member))
    theirs = state.scaled(change, other[:, None])
    after = after + window.outside(state.loads[other][:, None] - theirs)
    before = window.outside(state.loads[other]) + window.outside(state.loads[member])
    gain = np.where(fits, before[:, None] - after, -NEVER)
    best = int(gain.argmax()) if gain.size else 0
    if not gain.size or gain.flat[best] <= 0:
        return _give_away(state, member, window)
    i, j = divmod(best, gain.shape[1])
    giver = int(other[i])
    state.pass_on(int(take[i]), giver, member)
    if give[j] != NOBODY:
        state.pass_on(int(give[j]), member, giver)
    return True


def _give_away(state: AssignmentState, member: int, window: Window) -> bool:
    """Make the best transfer of one partition of `member`, where the counts have room for it."""
    constraint, counts = state.constraint, state.counts
    if not constraint.may_lose_one(counts, member):
        return False
    give = np.array(state.held[member], np.int64)
    room = np.flatnonzero(constraint.may_gain_one(counts, ALL))
    room = room[(room != member) & ~state.group.idle[room]]
    if not len(give) or not len(room):
        return False
    lag = state.group.lag[give][:, None]
    after = window.outside(state.loads[member] - state.scaled(lag, member))
    after = after + window.outside(state.loads[room] + state.scaled(lag, room))
    before = window.outside(state.loads[room]) + window.outside(state.loads[member])
    gain = np.where(constraint.may(give[:, None], room[None, :]), before - after, -NEVER)
    best = int(gain.argmax())
    if gain.flat[best] <= 0:
        return False
    i, j = divmod(best, gain.shape[1])
    state.pass_on(int(give[i]), member, int(room[j]))
    return True


def exchange_of_three(
    state: AssignmentState, member: int, window: Window, rng: np.random.Generator
) -> bool:
    """Make the best cycle of three members; False if none brings loads closer to the window.

    `member` gives r to a second one, which gives s to a third one, which gives p back. If no such
    cycle helps, r is left out, where the counts have room for `member` to hold one more.
    """
    lag, assigned = state.group.lag, state.assigned
    back = _some(rng, state.others_for(member), isqrt(TABLE))
    third = assigned[back].astype(np.int64)
    first = state.loads[member]
    best: tuple[float, tuple[int, int, int]] = (0, (0, 0, 0))
    given = [*state.held[member]]
    if state.constraint.may_gain_one(state.counts, member):
        given.append(NOBODY)
    most = TABLE // (len(given) * len(back) + 1) + 1
    for r in given if len(back) else []:
        if r == NOBODY and best[0]:
            break
        passed = _passed(state, member, r, most, rng)
        if not len(passed):
            continue
        weight = lag[r] if r != NOBODY else 0
        holder = assigned[passed].astype(np.int64)
        fits = state.constraint.may(passed[:, None], third[None, :]) & (
            holder[:, None] != third[None, :]
        )
        after = first + state.scaled(lag[back] - weight, member)
        one = window.outside(first) - window.outside(after)
        after = state.loads[holder] + state.scaled(weight - lag[passed], holder)
        two = window.outside(state.loads[holder]) - window.outside(after)
        three = state.scaled(lag[passed][:, None] - lag[back][None, :], third[None, :])
        three = three + state.loads[third][None, :]
        gain = one[None, :] + two[:, None]
        gain = gain + window.outside(state.loads[third])[None, :] - window.outside(three)
        gain[~fits] = -NEVER
        pick = int(gain.argmax())
        if gain.flat[pick] > best[0]:
            i, j = divmod(pick, gain.shape[1])
            best = gain.flat[pick].item(), (r, int(passed[i]), int(back[j]))
    if not best[0]:
        return False
    r, s, p = best[1]
    middle, last = int(assigned[s]), int(assigned[p])
    if r != NOBODY:
        state.pass_on(r, member, middle)
    state.pass_on(s, middle, last)
    state.pass_on(p, last, member)
    return True


def _passed(
    state: AssignmentState, member: int, given: int, most: int, rng: np.random.Generator
) -> Ints:
    """At most `most` partitions of the members that may take the `given` one, drawn at random.

    For NOBODY, of the members that may have one partition fewer.
    """
    if given == NOBODY:
        second = np.flatnonzero(state.constraint.may_lose_one(state.counts, ALL))
    else:
        second = np.flatnonzero(state.constraint.may(given, ALL))
    second = _some(rng, second[second != member], most)
    parts: list[int] = []
    for m in second.tolist():
        parts += state.held[m]
        if len(parts) >= most:
            break
    return _some(rng, np.array(parts, np.int64), most)


def _some(rng: np.random.Generator, partitions: Ints, most: int) -> Ints:
    """All of the partitions, or `most` of them, drawn at random."""
    return partitions if len(partitions) <= most else rng.choice(partitions, most, False)
