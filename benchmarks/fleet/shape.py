"""Generate the groups of a fleet: topics, members, subscriptions and owners."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.fleet import faults as flaws
from benchmarks.fleet.faults import Bools, Faults, Ints, Layout
from benchmarks.fleet.settings import HistorySettings

Floats = NDArray[np.float64]

# fmt: off
_DOMAINS: Final = (
    "orders", "payments", "invoices", "shipping", "stock", "catalog", "search", "pricing", "carts",
    "users", "sessions", "clicks", "fraud", "ledger", "email", "metrics", "audit", "reviews",
    "refunds", "routes", "devices", "images",
)
# fmt: on
_ROLES: Final = ("service", "worker", "indexer", "sink", "enricher", "loader")
_NOUNS: Final = ("events", "commands", "changes", "snapshots", "requests", "replies", "errors")


@dataclass(frozen=True)
class Fleet:
    """Groups G, topics T by group, partitions P by topic, members M by group; -1 for nobody."""

    layout: Layout
    group_names: list[str]
    topic_names: list[str]
    """[T] the name of a topic that two groups read occurs twice."""
    group: Ints
    """[P]"""
    topic: Ints
    """[P]"""
    number: Ints
    """[P] number within the topic"""
    owner: Ints
    """[P] member"""
    same_log: tuple[Ints, Ints]
    """Partitions of topics that two groups read: those of the second and of the first group."""
    readers: tuple[Ints, Ints]
    """Member and topic of each subscription, by ascending member."""
    newcomer: Bools
    """[M] True for a member that joined before the last round and owns nothing."""
    faults: Faults


# Sizes.


def starts(sizes: Ints) -> Ints:
    """Return where each run of rows starts."""
    return np.cumsum(sizes) - sizes


def within(sizes: Ints) -> Ints:
    """Return the position of each row within its run."""
    return np.arange(sizes.sum()) - np.repeat(starts(sizes), sizes)


def apportion(totals: Ints, run: Ints, weights: Floats) -> Ints:
    """Split each total into integers of at least 1, approximately in proportion to the weights."""
    many = np.bincount(run, minlength=len(totals))
    share = weights / np.bincount(run, weights, len(totals))[run] * (totals - many)[run]
    whole = np.floor(share).astype(np.int64)
    left = totals - many - np.bincount(run, whole, len(totals)).astype(np.int64)
    rank = np.empty(len(run), dtype=np.int64)
    rank[np.lexsort((whole - share, run))] = within(many)
    result: Ints = 1 + whole + (rank < left[run])
    return result


def group_sizes(groups: int, partitions: int, rng: np.random.Generator) -> Ints:
    """Return the partitions per group: Zipf's law, with a faster decrease for the small groups.

    The largest group has 3 % of all partitions, but no more than a few hundred members can read.
    """
    largest = max(6 * partitions / groups, min(0.03 * partitions, 20_000))
    rank = np.arange(1, groups + 1)
    fall = (groups + 1 - rank) / groups
    low, high = 0.0, 4.0
    for _ in range(40):
        middle = (low + high) / 2
        too_many = largest * float((rank**-middle * fall).sum()) > partitions
        low, high = (middle, high) if too_many else (low, middle)
    weights = rank**-low * fall * rng.lognormal(0, 0.05, groups)
    return apportion(np.array([partitions]), np.zeros(groups, dtype=np.int64), weights)


# Groups, their topics and members.


def make_fleet(settings: HistorySettings) -> Fleet:
    """Generate the groups with members and owners. Raises InputError."""
    rng, n_groups = settings.rng(0), settings.groups
    hidden = max(1, n_groups // 100) if settings.faults else 0
    sizes = group_sizes(n_groups - hidden, settings.partitions, rng)
    # Groups without offsets are extra, so that the partitions with offsets are as many as set.
    sizes = np.concatenate([sizes, np.minimum(200, rng.permutation(sizes)[:hidden])])
    order = rng.permutation(n_groups)
    sizes, no_offsets = sizes[order], np.flatnonzero(order >= n_groups - hidden)

    wanted = np.rint((1 + np.log2(sizes) / 2) * rng.lognormal(0, 0.7, n_groups)).astype(np.int64)
    n_topics = np.clip(wanted, 1, np.minimum(30, sizes))
    topic_group = np.repeat(np.arange(n_groups), n_topics)
    spread = np.where(rng.random(n_groups) < 0.4, 0.0, 1.0)[topic_group]  # many are co-partitioned
    topic_size = apportion(sizes, topic_group, np.exp(spread * rng.normal(0, 1, len(topic_group))))

    each = np.exp(rng.uniform(np.log(5), np.log(50), n_groups))
    members = np.clip(np.ceil(sizes / each), 1, 400).astype(np.int64)
    crowded = (rng.random(n_groups) < 0.04) & (sizes <= 40)
    members = np.where(crowded, sizes + rng.integers(1, 6, n_groups), members)
    mixed = (rng.random(n_groups) < 0.15) & (n_topics >= 2) & (members >= 3) & ~crowded
    joining = (rng.random(n_groups) < 0.06) & (members >= 3)

    layout = Layout(members, topic_group, topic_size, no_offsets)
    faults = Faults({}, {})
    if settings.faults:
        faults = flaws.choose(layout, settings.samples, settings.rng(1))
    topic = np.repeat(np.arange(len(topic_size)), topic_size)
    group = topic_group[topic]
    words = rng.integers(0, 1 << 16, (n_groups, 2)).tolist()
    stems = [_DOMAINS[word % len(_DOMAINS)] for word, _ in words]
    group_names = [
        f"{stem}-{_ROLES[word % len(_ROLES)]}-{number:04d}"
        for number, (stem, (_, word)) in enumerate(zip(stems, words, strict=True))
    ]
    noun = rng.integers(0, len(_NOUNS), len(topic_group)).tolist()
    topic_names = [
        f"{stems[of]}-{of:04d}.{_NOUNS[word]}-{place:02d}"
        for of, word, place in zip(
            topic_group.tolist(), noun, within(n_topics).tolist(), strict=True
        )
    ]
    dirty = np.union1d(group[faults.touched()], faults.whole(*faults.groups))
    second, first = _shared_topics(layout, dirty, settings.rng(2))
    for copy, original in zip(second.tolist(), first.tolist(), strict=True):
        topic_names[copy] = topic_names[original]
    readers = _subscriptions(layout, n_topics, mixed, settings.rng(3))
    newcomer = np.zeros(members.sum(), dtype=np.bool_)
    newcomer[(starts(members) + members - 1)[joining]] = True
    return Fleet(
        layout=layout,
        group_names=group_names,
        topic_names=topic_names,
        group=group,
        topic=topic,
        number=within(topic_size),
        owner=_owners(layout, mixed, members - joining, readers, newcomer, settings.rng(4)),
        same_log=(_partitions_of(second, topic_size), _partitions_of(first, topic_size)),
        readers=readers,
        newcomer=newcomer,
        faults=faults,
    )


def _partitions_of(topics: Ints, topic_size: Ints) -> Ints:
    """The partitions of some topics."""
    size = topic_size[topics]
    return np.repeat(starts(topic_size)[topics], size) + within(size)


def _shared_topics(layout: Layout, dirty: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Pairs of topics, of as many partitions and of different clean groups, that are to be one."""
    clean = np.flatnonzero(~np.isin(layout.topic_group, dirty))
    clean = rng.permutation(clean)
    clean = clean[np.argsort(layout.topic_size[clean], kind="stable")]
    half = len(clean) // 2
    one, other = clean[: 2 * half : 2], clean[1 : 2 * half : 2]
    fit = layout.topic_size[one] == layout.topic_size[other]
    fit &= layout.topic_group[one] != layout.topic_group[other]
    fit &= rng.random(half) < 0.1
    return one[fit], other[fit]


def _subscriptions(
    layout: Layout, n_topics: Ints, mixed: Bools, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return member and topic of each subscription.

    Mixed groups have two more member classes, which read some of the topics.
    """
    reads = np.ones((3, len(layout.topic_group)), dtype=np.bool_)
    reads[1:] = rng.random((2, len(layout.topic_group))) < 0.6
    first = starts(n_topics)
    reads[1, first], reads[2, first] = False, True
    reads[1, first[mixed] + 1] = True
    member_group = np.repeat(np.arange(len(layout.members)), layout.members)
    kind = rng.choice(3, len(member_group), p=[0.5, 0.3, 0.2])
    kind[~mixed[member_group]] = 0
    begin = starts(layout.members)
    kind[begin[mixed]], kind[begin[mixed] + 1] = 0, 1  # every topic has a reader, but not all
    member = np.repeat(np.arange(len(member_group)), n_topics[member_group])
    topic = first[member_group[member]] + within(n_topics[member_group])
    kept = reads[kind[member], topic]
    return member[kept], topic[kept]


def _owners(
    layout: Layout,
    mixed: Bools,
    working: Ints,
    readers: tuple[Ints, Ints],
    newcomer: Bools,
    rng: np.random.Generator,
) -> Ints:
    """Return [P] the owners: as the range assignor leaves them in half of the groups, even counts
    in the others.

    `working` is [G] the number of members that are not newcomers. A few groups have partitions
    without an owner.
    """
    topic = np.repeat(np.arange(len(layout.topic_size)), layout.topic_size)
    group, sizes = layout.topic_group[topic], layout.sizes()
    many, number = working[group], within(layout.topic_size)
    each, extra = np.divmod(layout.topic_size[topic], many)
    longer = extra * (each + 1)
    by_range = np.where(
        number < longer,
        number // (each + 1),
        extra + (number - longer) // np.maximum(each, 1),
    )
    turn = np.empty(len(topic), dtype=np.int64)
    turn[np.lexsort((rng.random(len(topic)), group))] = within(sizes)
    ranged = (rng.random(len(sizes)) < 0.5)[group]
    owner = starts(layout.members)[group] + np.where(ranged, by_range, turn % many)
    _deal(owner, layout, np.flatnonzero(mixed[layout.topic_group]), readers, newcomer)
    loose = (rng.random(len(sizes)) < 0.03)[group] & (rng.random(len(topic)) < 0.1)
    owner[loose] = -1
    return owner


def _deal(
    owner: Ints, layout: Layout, topics: Ints, readers: tuple[Ints, Ints], newcomer: Bools
) -> None:
    """Assign each partition to the reader with the fewest partitions, topics with few readers
    first."""
    member, topic = readers[0][~newcomer[readers[0]]], readers[1][~newcomer[readers[0]]]
    order = np.argsort(topic, kind="stable")
    member, low = member[order], np.searchsorted(topic[order], np.arange(len(layout.topic_size)))
    high = np.append(low[1:], len(member))
    has = np.zeros(len(newcomer), dtype=np.int64)
    first = starts(layout.topic_size)
    for one in topics[np.argsort((high - low)[topics], kind="stable")].tolist():
        heap = [(int(has[who]), who) for who in member[low[one] : high[one]].tolist()]
        heapq.heapify(heap)
        for partition in range(int(first[one]), int(first[one] + layout.topic_size[one])):
            load, who = heap[0]
            owner[partition] = who
            heapq.heapreplace(heap, (load + 1, who))
        for load, who in heap:
            has[who] = load
