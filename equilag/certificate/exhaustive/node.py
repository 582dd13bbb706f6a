"""A node of the search: what is still to be given out, and what was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from equilag.certificate.exhaustive.item_masks import ItemMasks
from equilag.certificate.exhaustive.patterns import Layers
from equilag.certificate.exhaustive.small_problem import OwnershipTarget
from equilag.domain.budget import Budget
from equilag.domain.group.group import Flags, Ints


@dataclass(frozen=True, slots=True)
class SearchNode:
    free: int
    """Mask of the items that nobody has yet."""
    members: tuple[int, ...]
    """Members that have not got their items yet: the open members."""
    low: int
    """Lightest load of the other members."""
    high: int
    """Heaviest load of the other members."""
    kept: int
    """Moves that are saved by what the other members keep."""
    counts: tuple[int, ...] = ()
    """Items of each instance at the other members, where their sums count."""


class FreeItems(NamedTuple):
    """The free items of a node, by bit."""

    flags: Flags
    """[I] True where the item is free."""
    takers: Ints
    """[I] mask of the open members that may take the item."""

    @staticmethod
    def of(items: ItemMasks, node: SearchNode) -> FreeItems:
        open_members = sum(1 << member for member in node.members)
        return FreeItems(items.chosen(node.free), items.takers & open_members)


@dataclass(frozen=True, eq=False, slots=True)
class SearchTask:
    """One problem, one target, and the budget for it."""

    items: ItemMasks
    target: OwnershipTarget
    member_class: list[int]
    """[J] see `ItemMasks.member_classes`."""
    budget: Budget

    def own(self, member: int) -> Layers:
        """What the member owns; nothing if it does not matter which items stay."""
        return self.items.own[member] if self.target.counts_kept else ()

    def may_keep(self, node: SearchNode, member: int) -> int:
        """Most moves that free items can save by staying with the open member."""
        most = self.items.limits[member].hi
        return sum(min((node.free & layer).bit_count(), most) for layer in self.items.own[member])

    def most_kept(self, node: SearchNode) -> int:
        """Most items that stay in the end."""
        if not self.target.counts_kept:
            return self.target.owned
        return node.kept + sum(self.may_keep(node, member) for member in node.members)
