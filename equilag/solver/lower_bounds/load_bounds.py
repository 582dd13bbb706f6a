"""The search for the sets of members with the best counting bounds, as claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.derived_bounds import excess_by_average, excess_by_heavy, folded
from equilag.certificate.bounds.free_of_topics import heaviest_of
from equilag.domain.budget import limit_steps
from equilag.domain.columns import distinct
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags
from equilag.domain.group.loads import written
from equilag.domain.group.member_capacities import Load
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import EXCESS

MAX_SETS: Final = 60
"""Member sets of one sort that are tried at most: each costs a pass over the partitions."""
MAX_VISITS: Final = 10_000_000
"""Partitions and pairs of classes visited over all sets: counted, so that runs are repeatable."""
MAX_CROWDS: Final = 12
"""Numbers of heaviest partitions tried for one set, those with the best rough bound first."""
MAX_FACE: Final = 50_000_000
"""Pairs of a partition class and a member class up to which `_poorest` looks at each member."""
MAX_POOREST: Final = 3
"""Member classes that `_poorest` returns: each costs a pass over the partitions."""


@dataclass(frozen=True, slots=True)
class LoadBounds:
    """The best proved floor of the heaviest load and ceiling of the lightest one."""

    highest: Claim
    """max λ ≥ its value."""
    lowest: Claim
    """min λ ≤ its value."""

    @property
    def spread(self) -> Load:
        return max(0, self.highest.value - self.lowest.value)


NO_LAG: Final = LoadBounds(
    Claim("max_load_at_least", 0, "average", {"members": "all"}),
    Claim("min_load_at_most", 0, "average", {"members": "all"}),
)
"""Of a group without any lag."""


def load_bounds(
    counting: Counting, stop: Callable[[], bool], reached: Load | None = None
) -> LoadBounds | None:
    """The best bounds over blocks, classes, topics' readers and members; None without members.

    O(sets × partitions) for a limited number of sets. The set of all members is always tried; the
    search ends early if `stop` returns True or the bounds prove the spread that is `reached`.
    """
    best = overall_bounds(counting)
    if best is None or best.spread == reached:
        return best
    for member_class in _poorest(counting):
        if stop():
            break
        best = _improved(counting, best, counting.group.class_of == member_class)
    size = len(counting.lag) + counting.constraint.face.size + counting.group.n_members
    # A number of sets, so that bounds of large groups are repeatable.
    over = limit_steps(max(8, MAX_VISITS // size), stop)
    best = _heavy_sides(counting, best, counting.active, over)
    blocks: list[Flags] = []
    if not stop():
        best = _by_folding(counting, best, counting.active, {"members": "all"})
        blocks = _blocks(counting.constraint)
    for members in _member_sets(counting, blocks):
        if over():
            break
        best = _improved(counting, best, members)
    for members in _parts(counting, blocks):
        if over():
            break
        best = _heavy_sides(counting, best, members & counting.active, over)
    return best


def overall_bounds(counting: Counting) -> LoadBounds | None:
    """The bounds from the mean of all members; O(partitions)."""
    if not counting.active.any():
        return None
    high, low = counting.average(counting.active)
    data = {"members": "all"}
    return LoadBounds(
        Claim("max_load_at_least", high, "average", data),
        Claim("min_load_at_most", low, "average", data),
    )


def _names(counting: Counting, members: Flags) -> list[str]:
    return [counting.group.members[m].id for m in np.flatnonzero(members).tolist()]


def _improved(counting: Counting, best: LoadBounds, members: Flags) -> LoadBounds:
    high, low = counting.average(members)
    heavy = counting.heavy(members, 1)
    names = {"members": _names(counting, members)}
    highest, lowest = best.highest, best.lowest
    if high > highest.value:
        highest = Claim("max_load_at_least", high, "average", names)
    if heavy > highest.value:
        highest = Claim("max_load_at_least", heavy, "heavy", {**names, "heaviest": 1})
    if low < lowest.value:
        lowest = Claim("min_load_at_most", low, "average", names)
    return _by_folding(counting, LoadBounds(highest, lowest), members, names)


def _by_folding(
    counting: Counting, best: LoadBounds, members: Flags, data: dict[str, Any]
) -> LoadBounds:
    found = folded(counting, members)
    if found is None:
        return best
    high, low = found
    highest, lowest = best.highest, best.lowest
    if high > highest.value:
        highest = Claim("max_load_at_least", high, "folding", data)
    if low < lowest.value:
        lowest = Claim("min_load_at_most", low, "folding", data)
    return LoadBounds(highest, lowest)


def _member_sets(counting: Counting, blocks: list[Flags]) -> Iterator[Flags]:
    """Sets that may give good bounds, the most promising ones first, each once."""
    group, face = counting.group, counting.constraint.face
    seen: set[bytes] = {counting.active.tobytes()}
    n_member_classes = len(group.class_topics)
    candidates: list[Flags] = []
    if len(blocks) > 1:
        candidates += [block[group.class_of] for block in blocks]
    if n_member_classes > 1:
        size = group.class_size
        lag = np.bincount(group.partition_class, weights=group.lag, minlength=len(group.eligible))
        classes, member_classes = counting.constraint.arcs
        readers = np.bincount(classes, weights=size[member_classes], minlength=len(face))
        weight = np.where(readers > 0, lag / np.maximum(1, readers), 0)
        dense = np.argsort(-weight, kind="stable")[: MAX_SETS // 2]
        union = np.zeros(n_member_classes, np.bool_)
        for c in dense.tolist():
            union = union | face[c]
            candidates += [face[c][group.class_of], union[group.class_of]]
        heaviest = np.zeros(n_member_classes)
        np.maximum.at(heaviest, member_classes, weight[classes])
        thin = np.argsort(heaviest, kind="stable")
        chosen = np.zeros(n_member_classes, np.bool_)
        for k in thin[: MAX_SETS // 2].tolist():
            chosen[k] = True
            alone = np.zeros(n_member_classes, np.bool_)
            alone[k] = True
            candidates += [alone[group.class_of], chosen[group.class_of]]
    if group.n_members <= MAX_SETS:
        candidates += [np.arange(group.n_members) == m for m in range(group.n_members)]
    if group.n_members <= 8:
        for bits in range(1, 1 << group.n_members):
            candidates.append((bits >> np.arange(group.n_members)) & 1 == 1)
    for members in candidates:
        members = members & counting.active
        if members.any() and members.tobytes() not in seen:
            seen.add(members.tobytes())
            yield members


def _poorest(counting: Counting) -> list[int]:
    """The member classes of one member that can reach the least load, by itself each.

    O(member classes × partition classes), and the partitions that each class may read.
    """
    group, face = counting.group, counting.constraint.face
    if counting.per_topic or face.shape[1] < 2 or face.size > MAX_FACE:
        return []
    alone = np.flatnonzero(group.class_size == 1)
    member = np.zeros(face.shape[1], np.int64)
    member[group.class_of] = np.arange(group.n_members)
    reach = [
        heaviest_of(counting.lag[counting.within_reach(k)], int(counting.hi[member[k]]))
        for k in alone.tolist()
    ]
    return [int(k) for k in alone[np.argsort(reach, kind="stable")[:MAX_POOREST]]]


def _parts(counting: Counting, blocks: list[Flags]) -> list[Flags]:
    """Each block and each member class: sets in which heavy partitions may concentrate."""
    n_member_classes = len(counting.group.class_topics)
    if len(blocks) + n_member_classes > MAX_SETS or n_member_classes == 1:
        return []
    parts = [*blocks, *np.eye(n_member_classes, dtype=np.bool_)]
    return [*(part[counting.group.class_of] for part in parts)]


def _blocks(constraint: CountConstraint) -> list[Flags]:
    """[K] masks of the parts of the face, without classes that may take nothing."""
    reading = np.zeros(len(constraint.parts), np.bool_)
    reading[constraint.arcs[1]] = True
    return [constraint.parts == first for first in distinct(constraint.parts[reading])]


def _heavy_sides(
    counting: Counting,
    best: LoadBounds,
    members: Flags,
    over: Callable[[], bool],
) -> LoadBounds:
    """Bounds from the heaviest partitions: one heavy share; what their holders leave."""
    highest, lowest = best.highest, best.lowest
    name = "all" if np.array_equal(members, counting.active) else _names(counting, members)
    for heaviest in counting.crowded(members):
        if over():
            break
        value = counting.heavy(members, heaviest)
        if value > highest.value:
            data = {"members": name, "heaviest": heaviest}
            highest = Claim("max_load_at_least", value, "heavy", data)
    for heaviest in [*crowds(counting, members), *counting.crowds_at(members, lowest.value)]:
        if over():
            break
        value_left = counting.rest(members, heaviest, lowest.value)
        if value_left is not None and value_left < lowest.value:
            data = {"members": name, "heaviest": heaviest}
            lowest = Claim("min_load_at_most", value_left, "rest", data)
    return LoadBounds(highest, lowest)


def crowds(counting: Counting, members: Flags) -> list[int]:
    """Numbers of heaviest partitions whose holders leave the least to the others, best first.

    By a rough bound for every number, as if each partition had a holder of its own.
    """
    n, left = counting.left_by_holders(members)
    return [int(k) for k in n[np.argsort(left, kind="stable")[:MAX_CROWDS]]]


def difference(bounds: LoadBounds) -> Claim:
    """The claim that the spread is at least the difference of both bounds."""
    data = {
        "max_load_at_least": written(bounds.highest.value),
        "min_load_at_most": written(bounds.lowest.value),
    }
    return Claim("spread_at_least", bounds.spread, "difference", data)


PARTS: Final = (1.0, 0.95, 0.9, 0.8, 0.7, 0.5)
"""Parts of the mean load from which on a partition may count among the heaviest: what counts force
beside it takes it above the mean."""


def excess_bound(counting: Counting, bounds: LoadBounds) -> Claim:
    """The best claim from the heaviest partitions, and from the member sets of `bounds`."""
    best = Claim(EXCESS, 0, "average", {"members": "all"})
    for known in (bounds.highest, bounds.lowest):
        names = known.data.get("members", "all")
        if names != "all":
            chosen = set(names)
            members = np.array([m.id in chosen for m in counting.group.members], dtype=np.bool_)
            value = excess_by_average(counting, members)
            if value > best.value:
                best = Claim(EXCESS, value, "average", {"members": names})
    mine = counting.exclusive(counting.active).mine
    lags, mean = counting.lag[mine], counting.greatest_fair_lag
    for heaviest in sorted({int(np.count_nonzero(lags > part * mean)) for part in PARTS}):
        value = excess_by_heavy(counting, counting.active, heaviest) if heaviest else 0
        if value > best.value:
            best = Claim(EXCESS, value, "heavy", {"members": "all", "heaviest": heaviest})
    return best
