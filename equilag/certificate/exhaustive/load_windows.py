"""The loads open to each member at a node, from what every set of members must and can carry."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.node import FreeItems, SearchNode, SearchTask
from equilag.domain.group.group import Flags, Ints

ROUNDING: Final = 1e-9
"""Part by which a load that comes from a division of floats may be wrong: they hold 15 digits."""

Window = tuple[int, int]
"""Least and greatest load of a member."""


class MemberSets(NamedTuple):
    """All non-empty sets of some members, with the sums over their members."""

    mask: Ints
    """[sets] of member numbers."""
    size: Ints
    base: Ints
    lo: Ints
    hi: Ints
    containing: list[Flags]
    """Per member, [sets] True for the sets that it is in."""

    @staticmethod
    def of(items: ItemMasks, members: tuple[int, ...]) -> MemberSets:
        columns = np.array(members)
        inside = (np.arange(1, 1 << len(members))[:, None] >> np.arange(len(members))) & 1
        lo = np.array([items.limits[member].lo for member in members])
        hi = np.array([items.limits[member].hi for member in members])
        base = items.base[columns]
        containing = [inside[:, place] == 1 for place in range(len(members))]
        return MemberSets(
            inside @ (1 << columns),
            inside.sum(axis=1),
            inside @ base,
            inside @ lo,
            inside @ hi,
            containing,
        )


def load_windows(
    task: SearchTask, node: SearchNode, free: FreeItems, sets: MemberSets, spread: int
) -> dict[int, Window] | None:
    """The window of each open member; None if some set of members cannot meet the target.

    `sets` are those of the node's members, `spread` is the spread allowed at the node.
    """
    items, target = task.items, task.target
    # Clipped to the total load, so that sums of bounds stay far from 2^63.
    low = max(target.floor, node.high - spread, 0)
    high = min(target.cap, node.low + spread, items.total)
    if low > high:
        return None
    lag, takers = items.lag[free.flags], free.takers[free.flags]
    touches = (takers[None, :] & sets.mask[:, None]) != 0
    only = (takers[None, :] & ~sets.mask[:, None]) == 0
    if (only.sum(axis=1) > sets.hi).any() or (touches.sum(axis=1) < sets.lo).any():
        return None
    must, can, size = sets.base + only @ lag, sets.base + touches @ lag, sets.size
    if items.factor is not None:
        carried = CarriedBySets(sets, must, can)
        return _windows_by_capacity(items.factor, node, carried, (low, high), spread)
    # Some member of a set carries its mean or more, and all others are within `spread` of it.
    low = max(low, int((-(-must // size)).max()) - spread)
    high = min(high, int((can // size).min()) + spread)
    if low > high or (-(-must // size) > high).any() or (can // size < low).any():
        return None
    # What the others of a set leave to one member; no product may pass 2^63.
    others = np.minimum(size - 1, must // max(high, 1) + 1)
    least = np.where(others == size - 1, must - others * high, 0)
    greatest = can - (size - 1) * low
    if spread < items.total:
        least = np.maximum(least, -(-(must + spread) // size) - spread)
        greatest = np.minimum(greatest, spread + (can - spread) // size)
    windows = {}
    for place, member in enumerate(node.members):
        mine = sets.containing[place]
        window = max(low, int(least[mine].max())), min(high, int(greatest[mine].min()))
        if window[0] > window[1]:
            return None
        windows[member] = window
    return windows


class CarriedBySets(NamedTuple):
    """What sets of members must and can carry, not scaled, each [sets]."""

    sets: MemberSets
    must: Ints
    can: Ints


def _windows_by_capacity(
    factor: Ints, node: SearchNode, carried: CarriedBySets, window: Window, spread: int
) -> dict[int, Window] | None:
    """The windows within `window` where loads are compared per unit of capacity."""
    sets, must, can = carried
    inside = np.stack(sets.containing)  # [members, sets]
    mine = factor[list(node.members)]
    rate = (1.0 / mine) @ inside
    # As for equal members, from the load at which all of a set are equal; a little less is safe.
    low = max(window[0], int((must / rate).max() * (1 - ROUNDING)) - 1 - spread)
    high = min(window[1], int((can / rate).min() * (1 + ROUNDING)) + 1 + spread)
    if low > high:
        return None
    everything = int(can.max())
    lower, upper = -(-low // mine), np.minimum(high // mine, everything)
    most, least = upper @ inside, lower @ inside
    if (most < must).any() or (least > can).any():
        return None
    windows = {}
    for place, member in enumerate(node.members):
        with_it, one = sets.containing[place], int(mine[place])
        needed = int((must - most)[with_it].max()) + int(upper[place])
        room = int((can - least)[with_it].min()) + int(lower[place])
        window = max(low, needed * one), min(high, room * one)
        if window[0] > window[1]:
            return None
        windows[member] = window
    return windows
