"""What describes a group before it is one: the arguments of `Group.build`."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Required, TypedDict

import numpy.typing as npt

from equilag.domain.building.integer_columns import PerPartition, PerPartitionNumbers, Row
from equilag.domain.building.topic_index import Allowed
from equilag.domain.errors import InputError
from equilag.domain.group.member import Member
from equilag.domain.values import (
    GENERATIONS,
    as_integer,
    as_text,
    as_time,
    check_texts,
    not_a,
)


class PartitionOffsets(NamedTuple):
    """Offsets: topic -> one for each partition, of the same topics in all three; or columns [P].

    0 to 2^63 - 1, `log_end` not below `log_start`. None in `committed` (-1 in an array) is a
    partition without a commit.
    """

    log_start: PerPartition
    log_end: PerPartition
    committed: PerPartition


class ClaimColumns(NamedTuple):
    """Q claims as columns of integers: positions in `members` as given, and positions in [P]."""

    member: npt.NDArray[Any]
    partition: npt.NDArray[Any]


class GroupInput(TypedDict, total=False):
    """The arguments of `Group.build`, which says what each one is."""

    name: Required[str]
    topics: Required[Mapping[str, int]]
    members: Required[Sequence[Member | str]]
    subscriptions: Required[Mapping[str, Sequence[str]]]
    owned: Mapping[str, Mapping[str, Row]] | ClaimColumns
    lags: PerPartition
    offsets: PartitionOffsets
    previous: tuple[float, PartitionOffsets]
    auto_offset_reset: str
    unknown_lags: Mapping[str, Row]
    rates: PerPartitionNumbers
    weights: PerPartition
    move_weights: PerPartition
    racks: Mapping[str, Sequence[Sequence[str]]]
    allowed: Allowed
    co_partitioned: Sequence[Sequence[str]]
    taken_at: str | None
    generation: int | None
    incomplete: Sequence[str]


_KINDS: Final[Mapping[str, tuple[tuple[type, ...], str]]] = {
    "members": ((list, tuple), "a list of members"),
    "subscriptions": ((Mapping,), "a mapping of member ids to lists of topics"),
    "owned": ((Mapping, ClaimColumns), "a mapping of member ids, or ClaimColumns"),
    "offsets": ((PartitionOffsets,), "PartitionOffsets"),
    "incomplete": ((list, tuple), "a list of sentences"),
}
"""Argument -> the types that it may have, and how errors call them. Others are checked later."""


def check_arguments(given: GroupInput) -> None:
    """Check the arguments as a whole, and the single values about the group.

    Raises InputError that names the argument, and TypeError for one that is missing or unknown.
    """
    if wrong := given.keys() - GroupInput.__annotations__.keys():
        raise TypeError(f"Group.build() has no argument {', '.join(map(repr, sorted(wrong)))}")
    if missing := GroupInput.__required_keys__ - given.keys():
        raise TypeError(f"Group.build() needs {', '.join(map(repr, sorted(missing)))}")
    for name, value in given.items():
        types, expected = _KINDS.get(name, ((), ""))
        absent = value is None and name not in GroupInput.__required_keys__
        if types and not absent and not isinstance(value, types):
            raise InputError(not_a(value, expected), name)
    as_text(given["name"], "group")
    taken_at, generation = given.get("taken_at"), given.get("generation")
    if taken_at is not None:
        as_time(taken_at, "taken_at")
    if generation is not None:
        as_integer(generation, GENERATIONS, "generation")
    check_texts(given.get("incomplete") or (), "incomplete")
