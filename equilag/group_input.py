"""What describes a group before it is one: the arguments of `Group.build`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Required, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

from equilag.group import Member
from equilag.values import Row

PerPartition: TypeAlias = Mapping[str, Row] | npt.NDArray[np.int64]
"""Topic to one integer per partition, or one column [P] by topic name and partition number."""


class PartitionOffsets(NamedTuple):
    """Offsets in records, for the same topics in all three.

    None in `committed` (-1 in an array) is a partition without a commit.
    """

    log_start: PerPartition
    log_end: PerPartition
    committed: PerPartition


class ClaimColumns(NamedTuple):
    """Q claims: positions in `members`, and partition numbers counted over all topics by name."""

    member: npt.NDArray[Any]
    partition: npt.NDArray[Any]


class GroupInput(TypedDict, total=False):
    """The arguments of `Group.build`. M members, P partitions of all topics in one run."""

    name: Required[str]
    topics: Required[Mapping[str, int]]
    """Topic to number of partitions, 0 or more."""
    members: Required[Sequence[Member | str]]
    """In any order; a string is the id of a member of which nothing else is known."""
    subscriptions: Required[Mapping[str, Sequence[str]]]
    """Member id to topics, for each member. A topic that is not in `topics` does not exist yet.
    Members that share one list are quicker to take than members with equal lists."""
    owned: Mapping[str, Mapping[str, Row]] | ClaimColumns
    """Member id to topic to partition numbers held now. A claim on what does not exist or is not
    subscribed to is dropped and counted; of several claims on one partition the newest wins."""
    lags: PerPartition
    """Records behind, 0 to 2^53 - 1; None (-1 in an array) for unknown. Wins over `offsets`."""
    offsets: PartitionOffsets
    auto_offset_reset: str
    """What a partition without a commit counts as: `latest` (the default) 0, else the whole log."""
    unknown_lags: Mapping[str, Row]
    """Topic to numbers of the partitions whose lag is unknown, whatever else is given."""
    racks: Mapping[str, Sequence[Sequence[str]]]
    """Topic to the racks with a replica, for each partition."""
    taken_at: str | None
    """RFC 3339 time"""
    generation: int | None
