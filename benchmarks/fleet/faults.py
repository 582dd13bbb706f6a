"""Faults of a generated history: which groups get them, in which rows, and what they change.

Definition of one fault, per group. Rounds are the times at which the group was sampled. An
`invalid` row counts for no other fault.

- `duplicates`: a row with the group, topic, partition and ts_ms of another row; half of them are
  copies, half have a larger committed and log_end.
- `late`: a row 0.3 to 0.4 of an interval after its round.
- `missing`: a round between a partition's first and last sample without a sample of it.
- `commit_backwards`, `end_backwards`: a sample whose committed (log_end) is smaller than in the
  previous sample of the partition. A recreated topic has both.
- `ahead_of_end`: a sample with committed > log_end.
- `below_log_start`: a sample with committed < log_start.
- `invalid`: a row with log_end < log_start, a negative log_end or a negative partition.
- `no_commit`: a partition whose last sample has no committed.
- `appeared`: a partition whose first sample is two rounds or more after the group's first.
- `vanished`: a partition whose last sample is two rounds or more before the group's last.
- `stale`, `no_members`, `no_offsets`, `capacity` (one below 0): once for the whole group.

A partition has at most one fault, so no count depends on the order in which faults are detected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from equilag.domain.errors import InputError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

# Variants of a fault differ after the colon and are counted together.
SINGLE: Final = (
    ("duplicates:same", "duplicates:larger"),
    ("late",),
    ("missing",),
    ("commit_backwards",),
    ("ahead_of_end",),
    ("below_log_start",),
    ("invalid:partition", "invalid:negative", "invalid:crossed"),
    ("no_commit",),
)
"""Faults of single partitions."""

TOPIC: Final = ("end_backwards", "vanished", "appeared")
"""Faults of all partitions of a topic."""

N_KINDS: Final = len(SINGLE) + len(TOPIC)

MIN_GROUPS: Final = 40
"""With fewer groups, most would have to be faulty for every fault to occur."""

MIN_SAMPLES: Final = 5
"""With fewer rounds, no partition can appear or vanish: each needs two rounds on either side."""

_MIN_SIZE: Final = 12
"""Groups with fewer partitions get no partition faults, so most of their partitions are sound."""


@dataclass(frozen=True)
class Layout:
    """The groups in which faults are placed: topics by ascending group, partitions by topic."""

    members: Ints
    """[G]"""
    topic_group: Ints
    """[T] ascending"""
    topic_size: Ints
    """[T] partitions"""
    no_offsets: Ints
    """Groups whose partitions have no samples."""

    def topics(self, group: int) -> Ints:
        """Return the topics of a group, smallest first."""
        low, high = np.searchsorted(self.topic_group, [group, group + 1])
        order: Ints = low + np.argsort(self.topic_size[low:high], kind="stable")
        return order

    def partitions(self, topic: int) -> Ints:
        first = int(self.topic_size[:topic].sum())
        return np.arange(first, first + self.topic_size[topic])

    def sizes(self) -> Ints:
        """[G] partitions."""
        return np.bincount(self.topic_group, self.topic_size, len(self.members)).astype(np.int64)


@dataclass(frozen=True)
class Faults:
    spots: dict[str, tuple[Ints, Ints]]
    """Kind -> partitions, and the round of each."""
    groups: dict[str, Ints]
    """Kind -> groups."""

    def at(self, kind: str, at_round: int) -> Ints:
        """Return the partitions with this fault in this round."""
        partitions, rounds = self.spots.get(kind, (_NONE, _NONE))
        found: Ints = partitions[rounds == at_round]
        return found

    def touched(self) -> Ints:
        """Return the partitions with any fault."""
        return np.concatenate([_NONE, *(partitions for partitions, _ in self.spots.values())])

    def whole(self, *kinds: str) -> Ints:
        """Return the groups with any of these faults."""
        return np.concatenate([_NONE, *(self.groups.get(kind, _NONE) for kind in kinds)])

    def lifetime(self, n_partitions: int, samples: int) -> tuple[Ints, Ints]:
        """Return [P] the first and last round in which each partition exists."""
        first = np.zeros(n_partitions, dtype=np.int64)
        last = np.full(n_partitions, samples - 1, dtype=np.int64)
        for kind, bound in (("appeared", first), ("vanished", last)):
            partitions, rounds = self.spots.get(kind, (_NONE, _NONE))
            bound[partitions] = rounds
        return first, last

    def counts(self, names: list[str], group_of: Ints) -> dict[str, dict[str, int]]:
        """Group -> fault -> count, with group `names` [G] and the group of each partition [P]."""
        found: dict[int, Counter[str]] = {}
        for kind, (partitions, _) in self.spots.items():
            fault = kind.partition(":")[0]
            for group in group_of[partitions].tolist():
                found.setdefault(group, Counter())[fault] += 1
                if kind == "end_backwards":
                    found[group]["commit_backwards"] += 1
        for kind, groups in self.groups.items():
            for group in groups.tolist():
                found.setdefault(group, Counter())[kind.partition(":")[0]] += 1
        return {names[group]: dict(sorted(found[group].items())) for group in sorted(found)}


_NONE: Final[Ints] = np.empty(0, dtype=np.int64)


def choose(layout: Layout, samples: int, rng: np.random.Generator) -> Faults:
    """Place every fault in some groups, and none in most. Raises InputError without enough room."""
    n_groups, sizes = len(layout.members), layout.sizes()
    few = max(1, n_groups // 100)
    largest = int(np.argmax(sizes))
    sampled = np.setdiff1d(np.arange(n_groups), layout.no_offsets)
    free: list[int] = rng.permutation(sampled).tolist()
    whole: dict[str, Ints] = {"no_offsets": layout.no_offsets}
    for kind, wanted in (
        ("stale", few),
        ("no_members:null", few),
        ("no_members:absent", few),
        ("capacity", few),
    ):
        least = 2 if kind == "capacity" else 1
        fit = [g for g in free if layout.members[g] >= least and g != largest][:wanted]
        whole[kind] = np.array(sorted(fit), dtype=np.int64)
        free = [g for g in free if g not in set(fit)]
    if min(map(len, whole.values())) == 0:
        raise InputError("too few for groups of several members", "--partitions")

    spots: dict[str, list[tuple[int, int]]] = {}
    number = max(N_KINDS, n_groups * 12 // 100)
    for turn in range(number):
        kinds = {turn % N_KINDS}
        if rng.random() < 0.5:
            kinds.add(int(rng.integers(N_KINDS)))
        group = next((g for g in free if _has_room(layout, sizes, g, kinds)), None)
        if group is None:
            raise InputError("too few for every fault: groups would be too small", "--partitions")
        free.remove(group)
        for kind, partition, at_round in _place(layout, group, sorted(kinds), samples, rng):
            spots.setdefault(kind, []).append((partition, at_round))
    columns = {kind: np.array(pairs, dtype=np.int64).T for kind, pairs in sorted(spots.items())}
    return Faults({kind: (pair[0], pair[1]) for kind, pair in columns.items()}, whole)


def _has_room(layout: Layout, sizes: Ints, group: int, kinds: set[int]) -> bool:
    """Return True if most partitions of the group stay without faults."""
    if sizes[group] < _MIN_SIZE:
        return False
    if not any(kind >= len(SINGLE) for kind in kinds):
        return True
    topics = layout.topics(group)
    if len(topics) < 3 or layout.topic_size[topics[-1]] < 2:
        return False
    return int(layout.topic_size[topics[:2]].sum()) * 3 <= int(sizes[group])


def _place(
    layout: Layout, group: int, kinds: list[int], samples: int, rng: np.random.Generator
) -> Iterator[tuple[str, int, int]]:
    """Yield kind, partition and round of the faults of one group."""
    topics = layout.topics(group)
    size = int(layout.topic_size[topics].sum())
    taken: set[int] = set()
    chosen = {TOPIC[kind - len(SINGLE)] for kind in kinds if kind >= len(SINGLE)}
    # The smallest two topics are recreated and deleted; the largest one gets new partitions.
    for kind, topic, low, high in (
        ("end_backwards", topics[0], 1, samples),
        ("vanished", topics[min(1, len(topics) - 1)], 1, samples - 2),
        ("appeared", topics[-1], 2, samples - 1),
    ):
        if kind not in chosen:
            continue
        partitions = layout.partitions(int(topic)).tolist()
        if kind == "appeared":
            partitions = partitions[-int(rng.integers(1, max(2, len(partitions) // 4))) :]
        taken.update(partitions)
        at_round = int(rng.integers(low, high))
        yield from ((kind, partition, at_round) for partition in partitions)

    left = [p for topic in topics for p in layout.partitions(int(topic)).tolist() if p not in taken]
    left = rng.permutation(left).tolist()
    for kind_number in kinds:
        if kind_number >= len(SINGLE):
            continue
        variants = SINGLE[kind_number]
        many = int(rng.integers(1, max(2, min(20, size // 12))))
        if variants[0].startswith("duplicates"):
            many = max(2, many // 2 * 2)
        for turn in range(many):
            kind = variants[(turn + group) % len(variants)]
            if kind == "invalid:partition" and turn >= len(variants):
                kind = "invalid:negative"  # two rows of partition -1 would also be duplicates
            yield kind, left.pop(), _round_for(kind, samples, rng)


def _round_for(kind: str, samples: int, rng: np.random.Generator) -> int:
    """Choose the round for a fault of a single partition."""
    if kind.startswith("invalid"):
        return 0  # in any other round, the unusable sample would also count as missing
    if kind in ("late", "missing"):
        return int(rng.integers(1, samples - 1))
    if kind == "no_commit":
        return 0 if rng.random() < 0.5 else int(rng.integers(1, samples))
    return int(rng.integers(1 if kind == "commit_backwards" else 0, samples))


@dataclass
class Logs:
    """The state of all partitions, [P] each."""

    start: Ints
    end: Ints
    committed: Ints
    """The position, even if it was not committed."""
    silent: Bools
    """True if no position was committed."""


def make_room(logs: Logs, faults: Faults, rng: np.random.Generator) -> None:
    """Set the initial offsets of faulty partitions, so that every fault is possible."""
    at = faults.touched()
    logs.start[at] = rng.integers(10_000, 1_000_000, len(at))
    logs.committed[at] = logs.start[at] + rng.integers(5_000, 1_000_000, len(at))
    logs.end[at] = logs.committed[at] + rng.integers(200, 100_000, len(at))


def distort(
    logs: Logs, before: Ints, faults: Faults, at_round: int, rng: np.random.Generator
) -> None:
    """Apply lasting faults before a round is sampled; `before` is [P] the previous `committed`.

    Only the offsets of faults that run backwards decrease.
    """
    for kind in ("end_backwards", "appeared"):
        at = faults.at(kind, at_round)
        logs.start[at] = 0
        logs.end[at] = rng.integers(0, 1_000, len(at))
        logs.committed[at] = logs.end[at] // 2
    at = faults.at("commit_backwards", at_round)
    logs.committed[at] = before[at] - 1 - (before[at] - logs.start[at]) // 4
    at = faults.at("below_log_start", at_round)
    logs.end[at] = np.maximum(logs.end[at], logs.committed[at] + 100)
    logs.start[at] = (logs.committed[at] + logs.end[at]) // 2
    # A recorder reads commits after log ends, which may have grown in between.
    at = faults.at("ahead_of_end", at_round)
    logs.committed[at] = logs.end[at] + rng.integers(1, 1_000, len(at))
    logs.silent[faults.at("no_commit", at_round)] = True


def settle(logs: Logs, faults: Faults, at_round: int) -> None:
    """Restore consistent offsets after a round is sampled."""
    at = faults.at("below_log_start", at_round)
    logs.committed[at] = logs.start[at]
    at = faults.at("ahead_of_end", at_round)
    logs.end[at] = logs.committed[at] + 100
    at = faults.at("duplicates:larger", at_round)
    grown = growth(logs, at)
    logs.committed[at] += grown
    logs.end[at] += grown


def growth(logs: Logs, at: Ints) -> Ints:
    """Return by how much the second of two samples of equal time exceeds the first."""
    return 1 + logs.end[at] % 997
