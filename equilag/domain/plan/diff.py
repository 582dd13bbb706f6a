"""What a rebalance changes for one member, or for all (KIP-54, advice to listeners)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from equilag.domain.errors import InputError

TopicPartition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class RebalanceDiff:
    """The difference between a member's last and new assignment.

    With a sticky assignment, a listener commits on revocation and then cleans up and initialises
    state for the difference only.
    """

    clean_up: frozenset[TopicPartition]
    """Held before, and not now."""
    initialise: frozenset[TopicPartition]
    """Held now, and not before."""
    keep: frozenset[TopicPartition]
    """Held before and now; its state stays."""

    @staticmethod
    def of(last: Mapping[str, Iterable[int]], new: Mapping[str, Iterable[int]]) -> RebalanceDiff:
        """From two assignments of one member, each topic -> partition numbers.

        Raises InputError for the assignments of a whole group.
        """
        before, after = _pairs(last), _pairs(new)
        return RebalanceDiff(before - after, after - before, before & after)

    @staticmethod
    def by_member(
        last: Mapping[str, Mapping[str, Iterable[int]]],
        new: Mapping[str, Mapping[str, Iterable[int]]],
    ) -> dict[str, RebalanceDiff]:
        """For every member of either assignment (such as `Plan.assignment`)."""
        return {
            member: RebalanceDiff.of(last.get(member, {}), new.get(member, {}))
            for member in sorted({*last, *new})
        }


def _pairs(assignment: Mapping[str, Iterable[int]]) -> frozenset[TopicPartition]:
    for topic, numbers in assignment.items():
        if isinstance(numbers, (Mapping, str)):
            raise InputError(
                "not partition numbers; give one member's assignment, or use by_member", topic
            )
    return frozenset((topic, p) for topic, numbers in assignment.items() for p in numbers)
