"""Who owns what: which of everybody's claims on partitions stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from operator import methodcaller
from typing import Final

import numpy as np

from equilag.domain.building.group_input import (
    CLAIMED_TWICE,
    DROPPED_CLAIM,
    MAX_EXAMPLES,
    NO_SUCH_PARTITION,
    NO_SUCH_TOPIC,
    NOT_SUBSCRIBED,
    ClaimColumns,
    InputDoubt,
)
from equilag.domain.building.member_fields import refuse_strangers
from equilag.domain.building.number_columns import Row, are_rows, number_column
from equilag.domain.building.topic_index import TopicIndex
from equilag.domain.columns import NOBODY, Index, Ints
from equilag.domain.errors import InputError
from equilag.domain.show import kind
from equilag.domain.values import NATURAL, below, not_a

NO_TOPIC: Final = -1
"""The number of a topic that does not exist."""


@dataclass(frozen=True, slots=True)
class GivenClaims:
    """Claims as they were made [C], by ascending member."""

    member: Index
    topic: Ints
    """NO_TOPIC for one that does not exist."""
    number: Ints
    """Of the partition, which may be beyond the topic's end."""
    row: Ints
    """Of `names`."""
    names: Sequence[str] = ()
    """The topics of each member by name, where they were given so."""


@dataclass(frozen=True, slots=True)
class Ownership:
    """Q claims of live members on existing partitions, each once, and what became of them."""

    member: Index
    partition: Ints
    owner: Index
    """[P] the member whose claim stands, or NOBODY."""
    gone: Ints
    """Which of the given claims are on what does not exist, each once."""
    foreign: Ints
    """Which of the Q claims are by members that do not subscribe."""
    voided: Ints
    """Partitions whose two newest claims void each other."""

    @property
    def dropped(self) -> int:
        """Claims on what is gone or by a member that does not subscribe; the same one counts
        once."""
        return len(self.gone) + len(self.foreign)


def settle(
    given: GivenClaims,
    topics: TopicIndex,
    generation: Ints,
    class_of: Index,
    class_topics: tuple[Index, ...],
) -> Ownership:
    """Return the claims by member, each where it was first made, and the owner of each partition
    (KIP-54, with Kafka 4's rule).

    `generation` [M] is that of each member's claims; `class_of` and `class_topics` as in Group. The
    newest claim on a partition wins, whether or not its member still subscribes; two of the same,
    newest generation void each other; then a winner that does not subscribe loses it.
    """
    n_partitions = topics.n_partitions
    exists = given.number < np.append(topics.size, 0)[given.topic]
    gone = np.flatnonzero(~exists)
    if len(gone):
        named = np.stack((given.row[gone], given.number[gone]))
        gone = gone[np.unique(named, axis=1, return_index=True)[1]]
    member, topic = given.member[exists], given.topic[exists]
    partition = topics.start[topic] + given.number[exists]
    contested = np.bincount(partition).max(initial=0) > 1  # mostly none is, which saves much work
    if contested:
        # The same partition twice from one member is one claim, where it was first named.
        key = member * np.int64(n_partitions) + partition
        first = np.sort(np.unique(key, return_index=True)[1])
        partition, topic, member = partition[first], topic[first], member[first]
    reads = np.zeros((len(topics.names), len(class_topics)), np.bool_)
    for number, read in enumerate(class_topics):
        reads[read, number] = True
    subscribed = reads[topic, class_of[member]]
    voided, winner = np.zeros(0, dtype=np.int64), np.flatnonzero(subscribed)
    if contested:
        order = np.lexsort((generation[member], partition))
        claimed, newest = partition[order], generation[member[order]]
        same = claimed[1:] == claimed[:-1]
        last, tied = np.append(~same, True), np.append(False, same & (newest[1:] == newest[:-1]))
        voided, winner = claimed[last & tied], order[last & ~tied & subscribed[order]]
    owner = np.full(n_partitions, NOBODY, dtype=np.int32)
    owner[partition[winner]] = member[winner]
    return Ownership(member, partition, owner, gone, np.flatnonzero(~subscribed), voided)


def given_claims(
    ids: Sequence[str],
    order: Sequence[int],
    owned: Mapping[str, Mapping[str, Row]] | ClaimColumns,
    topics: TopicIndex,
) -> GivenClaims:
    """All claims by member, and then as given."""
    if isinstance(owned, ClaimColumns):
        return _claims_of_columns(owned, order, topics)
    if not owned.keys() <= set(ids):
        refuse_strangers(owned, ids, "owned")
    nothing: Mapping[str, Row] = {}
    held = list(map(owned.get, ids, repeat(nothing)))
    if not all(issubclass(kind, Mapping) for kind in set(map(type, held))):
        _refuse_owned(held, order)
    lists = list(chain.from_iterable(map(methodcaller("values"), held)))
    names = list(chain.from_iterable(held))
    if not (are_rows(lists) and set(map(type, names)) <= {str}):
        _refuse_owned(held, order)

    def place_of(row: int) -> str:
        for position, one in zip(order, held, strict=True):
            if row < len(one):
                return below(f"members[{position}].owned", list(one)[row])
            row -= len(one)
        raise AssertionError("a row beyond the last one")

    number = np.fromiter(map(topics.number.get, names, repeat(NO_TOPIC)), np.int64, len(names))
    row = np.repeat(np.arange(len(lists)), list(map(len, lists)))
    member = np.repeat(np.arange(len(ids), dtype=np.int32), list(map(len, held)))
    numbers = number_column(lists, NATURAL, place_of)
    return GivenClaims(member[row], number[row], numbers, row, names)


def _claims_of_columns(
    owned: ClaimColumns, order: Sequence[int], topics: TopicIndex
) -> GivenClaims:
    """In the order of members."""
    columns = []
    for name, values, end in (
        ("member", owned.member, len(order)),
        ("partition", owned.partition, topics.n_partitions),
    ):
        if not are_rows([values]):
            raise InputError(not_a(values, "a list"), f"owned.{name}")
        column = number_column([values], NATURAL, [f"owned.{name}"].__getitem__)
        beyond = np.flatnonzero(column >= end)
        if len(beyond):
            problem = f"{column[beyond[0]]} is not below {end}"
            raise InputError(problem, f"owned.{name}[{beyond[0]}]")
        columns.append(column)
    position, partition = columns
    if len(position) != len(partition):
        problem = f"{len(partition)} entries for {len(position)} members"
        raise InputError(problem, "owned.partition")
    number_of = np.empty(len(order), dtype=np.int32)
    number_of[np.array(order, dtype=np.int64)] = np.arange(len(order))
    member = number_of[position]
    by_member = np.argsort(member, kind="stable")
    member, partition = member[by_member], partition[by_member]
    topic = np.searchsorted(topics.start, partition, side="right") - 1
    return GivenClaims(member, topic, partition - topics.start[topic], np.arange(len(member)))


def _refuse_owned(held: Sequence[object], order: Sequence[int]) -> None:
    """Raise InputError for the first entry that does not have a list per topic."""
    for position, one in sorted(zip(order, held, strict=True), key=lambda pair: pair[0]):
        place = f"members[{position}].owned"
        if not isinstance(one, Mapping):
            raise InputError(not_a(one, "an object"), place)
        for topic, numbers in one.items():
            if not isinstance(topic, str):
                raise InputError(f"{kind(topic)} as a key, not a string", place)
            if not are_rows([numbers]):
                raise InputError(not_a(numbers, "a list"), below(place, topic))


def claim_doubts(
    claims: Ownership, given: GivenClaims, topics: TopicIndex, ids: Sequence[str], generation: Ints
) -> list[InputDoubt]:
    """Return what is doubtful about the claims; `ids` and `generation` [M] are the members'."""
    found = []
    if len(claims.voided):
        examples = []
        for partition in claims.voided[:MAX_EXAMPLES].tolist():
            members = claims.member[claims.partition == partition]
            newest = members[generation[members] == generation[members].max()]
            name = _partition_name(partition, topics)
            examples.append((name, *(ids[member] for member in newest.tolist())))
        found.append(InputDoubt(CLAIMED_TWICE, len(claims.voided), tuple(examples)))
    if claims.dropped:
        examples = []
        for claim in claims.gone[:MAX_EXAMPLES].tolist():
            topic = int(given.topic[claim])
            exists = topic != NO_TOPIC
            name = topics.names[topic] if exists else given.names[int(given.row[claim])]
            why = NO_SUCH_PARTITION if exists else NO_SUCH_TOPIC
            examples.append((f"{name}-{given.number[claim]}", ids[int(given.member[claim])], why))
        for claim in claims.foreign[:MAX_EXAMPLES].tolist():
            name = _partition_name(int(claims.partition[claim]), topics)
            examples.append((name, ids[int(claims.member[claim])], NOT_SUBSCRIBED))
        found.append(InputDoubt(DROPPED_CLAIM, claims.dropped, tuple(examples[:MAX_EXAMPLES])))
    return found


def _partition_name(partition: int, topics: TopicIndex) -> str:
    topic = int(np.searchsorted(topics.start, partition, side="right")) - 1
    return f"{topics.names[topic]}-{partition - int(topics.start[topic])}"
