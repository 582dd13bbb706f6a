"""Made-up offset histories of a fleet: `python -m benchmarks.fleet.history --out DIR`.

Writes DIR/offsets/*.parquet and DIR/members/*.parquet (the two tables of a history; a file is a
slice of time, as a collector would leave it) and last DIR/made.json, which says how many rows,
groups and partitions there are and how often each group has each fault (see `faults`). The same
settings give the same tables.
"""

from __future__ import annotations

import argparse
import heapq
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from numpy.typing import NDArray

from benchmarks.fleet import faults as flaws
from benchmarks.fleet.faults import Bools, Faults, Ints, Layout, Logs
from equilag.errors import EquilagError, InputError

Floats = NDArray[np.float64]
Columns = dict[str, NDArray[Any]]

START: Final = "2026-11-21T09:00:00Z"
ROWS_PER_FILE: Final = 2_000_000
_ROWS_PER_ROW_GROUP: Final = 500_000
_STALE_MS: Final = 3_600_000

OFFSETS: Final = pa.schema(
    [
        ("ts_ms", pa.int64()),
        ("group", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("log_start", pa.int64()),
        ("log_end", pa.int64()),
        ("committed", pa.int64()),
        ("log_bytes", pa.int64()),
    ]
)
MEMBERS: Final = pa.schema(
    [
        ("ts_ms", pa.int64()),
        ("group", pa.string()),
        ("member", pa.string()),
        ("subscription", pa.list_(pa.string())),
        ("owned", pa.map_(pa.string(), pa.list_(pa.int32()))),
        ("rack", pa.string()),
        ("capacity", pa.float64()),
        ("instance_id", pa.string()),
        ("generation", pa.int64()),
    ]
)

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
class Settings:
    """What to make; `every` in seconds, `start_ms` since the epoch."""

    groups: int = 500
    partitions: int = 50_000
    samples: int = 10
    every: int = 60
    seed: int = 1
    faults: bool = False
    member_rounds: int = 2
    start_ms: int = int(datetime.fromisoformat(START).timestamp()) * 1000

    def check(self) -> None:
        """Raises InputError."""
        for option in ("groups", "partitions", "samples", "every", "member_rounds"):
            if getattr(self, option) < 1:
                raise InputError("less than 1", "--" + option.replace("_", "-"))
        if self.seed < 0:
            raise InputError("less than 0", "--seed")
        if self.partitions < self.groups:
            raise InputError("fewer than groups", "--partitions")
        if self.faults and self.groups < flaws.MIN_GROUPS:
            raise InputError(f"fewer than {flaws.MIN_GROUPS}, with --faults", "--groups")
        if self.faults and self.samples < flaws.MIN_SAMPLES:
            raise InputError(f"fewer than {flaws.MIN_SAMPLES}, with --faults", "--samples")

    def rng(self, purpose: int) -> np.random.Generator:
        """Random numbers of their own for each purpose: faults leave the rest as it is."""
        return np.random.default_rng([self.seed, purpose])

    @property
    def stale_ms(self) -> int:
        """How much earlier the samples of a stale group are."""
        return max(_STALE_MS, 4 * self.every * 1000)


@dataclass(frozen=True)
class Fleet:
    """Groups G, topics T by group, partitions P by topic, members M by group; -1 for nobody."""

    layout: Layout
    group_names: list[str]
    topic_names: list[str]
    """[T] a topic that two groups read has its name twice."""
    group: Ints
    """[P]"""
    topic: Ints
    """[P]"""
    number: Ints
    """[P] within the topic"""
    owner: Ints
    """[P] the member"""
    same_log: tuple[Ints, Ints]
    """Partitions of topics that a second group reads, and those of the first group."""
    readers: tuple[Ints, Ints]
    """Member and topic of each subscription, by ascending member."""
    newcomer: Bools
    """[M] members that joined before the last round, and own nothing."""
    faults: Faults


# Sizes.


def starts(sizes: Ints) -> Ints:
    """Where each run of rows starts."""
    return np.cumsum(sizes) - sizes


def within(sizes: Ints) -> Ints:
    """The place of each row within its run."""
    return np.arange(sizes.sum()) - np.repeat(starts(sizes), sizes)


def apportion(totals: Ints, run: Ints, weights: Floats) -> Ints:
    """Whole numbers of at least 1, nearly in proportion to the weights, that add up per run."""
    many = np.bincount(run, minlength=len(totals))
    share = weights / np.bincount(run, weights, len(totals))[run] * (totals - many)[run]
    whole = np.floor(share).astype(np.int64)
    left = totals - many - np.bincount(run, whole, len(totals)).astype(np.int64)
    rank = np.empty(len(run), dtype=np.int64)
    rank[np.lexsort((whole - share, run))] = within(many)
    result: Ints = 1 + whole + (rank < left[run])
    return result


def group_sizes(groups: int, partitions: int, rng: np.random.Generator) -> Ints:
    """Partitions per group: Zipf's law for the large ones, falling to a few for the last.

    The largest has 3 % of all, but not more than a few hundred members can read.
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


def make_fleet(settings: Settings) -> Fleet:
    """The groups, who is in them and who owns what. Raises InputError."""
    rng, n_groups = settings.rng(0), settings.groups
    hidden = max(1, n_groups // 100) if settings.faults else 0
    sizes = group_sizes(n_groups - hidden, settings.partitions, rng)
    # Groups without offsets come on top, so that the partitions with offsets are as many as asked.
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
    """Member and topic of each subscription: in mixed groups two more classes read some topics."""
    reads = np.ones((3, len(layout.topic_group)), dtype=np.bool_)
    reads[1:] = rng.random((2, len(layout.topic_group))) < 0.6
    first = starts(n_topics)
    reads[1, first], reads[2, first] = False, True
    reads[1, first[mixed] + 1] = True
    member_group = np.repeat(np.arange(len(layout.members)), layout.members)
    kind = rng.choice(3, len(member_group), p=[0.5, 0.3, 0.2])
    kind[~mixed[member_group]] = 0
    begin = starts(layout.members)
    kind[begin[mixed]], kind[begin[mixed] + 1] = 0, 1  # all topics are read, not all by all
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
    """[P] the owner: as range leaves it in half of the groups, in the others even in number.

    `working` is [G] the members that have had a share. A few groups have partitions of nobody.
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
    """Deals the partitions of topics with few readers to the one who has fewest so far."""
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


# Offsets over time.


@dataclass
class Fleeting:
    """What is produced and consumed, and the logs as they are now; [P] each."""

    rate: Floats
    """Records a second."""
    pace: Floats
    """What the owner reads, as a share of what is produced."""
    drain: Floats
    """The share of its lag that the owner makes good in a round."""
    standing: Ints
    """The lag that stays, since positions are committed every few seconds only."""
    record: Ints
    """Bytes."""
    expires: Bools
    """Whether records are deleted for their age in this history."""
    speaks: Ints
    """The round of the first commit."""
    logs: Logs


def begin(fleet: Fleet, settings: Settings, rng: np.random.Generator) -> Fleeting:
    """The logs before the first round; the lag of a few seconds for most, of hours for some."""
    many, n_topics = len(fleet.topic), len(fleet.topic_names)
    rate = np.minimum(rng.lognormal(np.log(2), 2, many), 50_000)
    rate[rng.random(many) < 0.08] = 0
    record = np.clip(rng.lognormal(np.log(600), 1, n_topics), 40, 900_000).astype(np.int64)
    age = rng.uniform(10, 600, many) * 86_400
    kept = rng.uniform(1, 14, many) * 86_400
    end = (rate * age).astype(np.int64) + rng.integers(0, 5_000, many)
    start = np.maximum(0, end - (rate * kept).astype(np.int64) - 1_000)
    second, first = fleet.same_log
    for column in (rate, end, start):
        column[second] = column[first]
    sizes = record[fleet.topic]
    sizes[second] = sizes[first]
    lag = (rate * rng.lognormal(np.log(20), 2, many)).astype(np.int64)
    committed = np.maximum(start, end - lag)

    n_members = len(fleet.newcomer)
    slow = rng.random(n_members) < 0.15
    speed = np.where(slow, rng.uniform(0.5, 0.95, n_members), rng.uniform(1.0, 1.04, n_members))
    catching_up = np.where(slow, 0.0, rng.uniform(0, 0.05, n_members))
    owned = fleet.owner >= 0
    expires, speaks = rng.random(many) < 0.2, np.zeros(many, dtype=np.int64)
    quiet = np.flatnonzero(rng.random(many) < 0.003)
    speaks[quiet] = rng.integers(0, settings.samples, len(quiet))
    touched = fleet.faults.touched()
    speaks[touched] = 0
    for fixed in (touched, second, first):
        expires[fixed] = False
    logs = Logs(start, end, committed, np.zeros(many, dtype=np.bool_))
    flaws.make_room(logs, fleet.faults, settings.rng(6))
    return Fleeting(
        rate=rate,
        pace=np.where(owned, speed[fleet.owner], 0),
        drain=np.where(owned, catching_up[fleet.owner], 0),
        standing=(rate * rng.uniform(0, 5, many)).astype(np.int64),
        record=sizes,
        expires=expires,
        speaks=speaks,
        logs=logs,
    )


def advance(now: Fleeting, fleet: Fleet, every: int, rng: np.random.Generator) -> None:
    """One round on: records are produced, consumed and deleted."""
    logs = now.logs
    produced = rng.poisson(now.rate * every)
    lag = logs.end - logs.committed
    logs.end += produced
    second, first = fleet.same_log
    logs.end[second] = logs.end[first]
    consumed = (produced * now.pace + np.maximum(lag, 0) * now.drain).astype(np.int64)
    # A position beyond the end stays where it is; the end is made to follow it.
    ready = np.maximum(logs.end - now.standing - logs.committed, 0)
    logs.committed += np.clip(consumed, 0, ready)
    deleted = now.expires & (rng.random(len(produced)) < 0.2)
    segment = np.where(deleted, (logs.end - logs.start) // 50, 0)
    logs.start += np.minimum(segment, np.maximum(logs.committed - logs.start, 0))


def sample(
    now: Fleeting, fleet: Fleet, at_round: int, ts_ms: int, settings: Settings, alive: Bools
) -> Columns:
    """The rows of one round, those that are late or come twice at the end."""
    faults, logs = fleet.faults, now.logs

    def block(at: Ints) -> Columns:
        """Rows of some partitions."""
        return {
            "ts_ms": np.full(len(at), ts_ms),
            "at": at,
            "partition": fleet.number[at],
            "log_start": logs.start[at],
            "log_end": logs.end[at],
            "committed": logs.committed[at],
            "silent": logs.silent[at] | (at_round < now.speaks[at]),
            "log_bytes": (logs.end[at] - logs.start[at]) * now.record[at],
        }

    blocks = []
    late = block(faults.at("late", at_round))
    portion = settings.rng(100 + at_round).uniform(0.3, 0.4, len(late["at"]))
    late["ts_ms"] += (portion * settings.every * 1000).astype(np.int64)
    blocks.append(late)
    for kind in ("invalid:partition", "invalid:negative", "invalid:crossed"):
        rows = block(faults.at(kind, at_round))
        if kind == "invalid:partition":
            rows["partition"][:] = -1
        elif kind == "invalid:negative":
            rows["log_end"][:] = -1
        else:
            rows["log_start"] = rows["log_end"] + 1
        rows["silent"][:] = True
        blocks.append(rows)
    instead = np.concatenate([faults.at("missing", at_round), *(rows["at"] for rows in blocks)])
    blocks.append(block(faults.at("duplicates:same", at_round)))
    more = block(faults.at("duplicates:larger", at_round))
    grown = flaws.growth(logs, more["at"])
    more["log_end"] += grown
    more["committed"] += grown
    blocks.append(more)
    alive[instead] = False
    blocks.insert(0, block(np.flatnonzero(alive)))
    return {name: np.concatenate([rows[name] for rows in blocks]) for name in more}


def rounds(fleet: Fleet, settings: Settings) -> Iterator[Columns]:
    """The rows of every round."""
    faults, rng = fleet.faults, settings.rng(5)
    now = begin(fleet, settings, rng)
    first, last = faults.lifetime(len(fleet.topic), settings.samples)
    unseen = np.isin(fleet.group, faults.whole("no_offsets"))
    for at_round in range(settings.samples):
        before = now.logs.committed.copy()
        advance(now, fleet, settings.every, rng)
        flaws.distort(now.logs, before, faults, at_round, settings.rng(10_000 + at_round))
        alive = (first <= at_round) & (at_round <= last) & ~unseen
        ts_ms = settings.start_ms + at_round * settings.every * 1000
        yield sample(now, fleet, at_round, ts_ms, settings, alive)
        flaws.settle(now.logs, faults, at_round)


# Tables.


def offset_tables(fleet: Fleet, settings: Settings) -> Iterator[pa.Table]:
    """Tables of OFFSETS, a round each; those of stale groups by themselves, at the end."""
    groups, topics = pa.array(fleet.group_names), pa.array(fleet.topic_names)
    is_stale = np.zeros(settings.groups, dtype=np.bool_)
    is_stale[fleet.faults.whole("stale")] = True
    earlier = []

    def table(rows: Columns) -> pa.Table:
        arrays = {
            "group": groups.take(pa.array(fleet.group[rows["at"]])),
            "topic": topics.take(pa.array(fleet.topic[rows["at"]])),
            "partition": pa.array(rows["partition"].astype(np.int32)),
            "committed": pa.array(rows["committed"], mask=rows["silent"]),
        }
        columns = [arrays.get(name, rows.get(name)) for name in OFFSETS.names]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=OFFSETS)

    for rows in rounds(fleet, settings):
        stale = is_stale[fleet.group[rows["at"]]]
        if stale.any():
            shifted = {name: column[stale] for name, column in rows.items()}
            shifted["ts_ms"] -= settings.stale_ms
            earlier.append(table(shifted))
        yield table({name: column[~stale] for name, column in rows.items()})
    if earlier:
        yield pa.concat_tables(earlier)


def member_tables(fleet: Fleet, settings: Settings) -> Iterator[pa.Table]:
    """Tables of MEMBERS, a round each: the last round, and others before it at even distances."""
    faults, layout = fleet.faults, fleet.layout
    many = min(settings.member_rounds, settings.samples)
    last_round = settings.samples - 1
    taken = np.linspace(0, last_round, many).round().astype(np.int64) if many > 1 else [last_round]
    first, last = faults.lifetime(len(fleet.topic), settings.samples)
    group = np.repeat(np.arange(settings.groups), layout.members)
    columns = _member_columns(fleet, group, settings)
    shift = np.zeros(settings.groups, dtype=np.int64)
    shift[faults.whole("stale")] = settings.stale_ms
    absent = np.isin(group, faults.whole("no_members:absent"))
    left = np.isin(group, faults.whole("no_members:null"))
    for at_round in map(int, taken):
        is_last = at_round == last_round
        here = np.flatnonzero(~absent & ~(left & is_last) & (is_last | ~fleet.newcomer))
        alive = (first <= at_round) & (at_round <= last)
        ts_ms = settings.start_ms + at_round * settings.every * 1000
        entries = {
            **{name: column.take(pa.array(here)) for name, column in columns.items()},
            "ts_ms": pa.array(ts_ms - shift[group[here]]),
            "owned": _owned(fleet, alive).take(pa.array(here)),
        }
        if not is_last:  # the group was balanced anew when the newcomers joined
            recent = np.bincount(group, fleet.newcomer, settings.groups) > 0
            past = pa.array(recent[group[here]].astype(np.int64))
            entries["generation"] = pc.subtract(entries["generation"], past)
        yield pa.Table.from_arrays([entries[name] for name in MEMBERS.names], schema=MEMBERS)
        empty = faults.whole("no_members:null") if is_last else np.empty(0, dtype=np.int64)
        if len(empty):
            rows = [
                {"ts_ms": ts_ms, "group": fleet.group_names[g], "subscription": [], "owned": []}
                for g in empty.tolist()
            ]
            yield pa.Table.from_pylist(rows, schema=MEMBERS)


def _member_columns(fleet: Fleet, group: Ints, settings: Settings) -> dict[str, pa.Array]:
    """What members keep from round to round; [M] each."""
    rng, n_groups = settings.rng(7), settings.groups
    many = len(group)
    static = (rng.random(n_groups) < 0.1)[group]
    racked = (rng.random(n_groups) < 0.5)[group]
    rated = (rng.random(n_groups) < 0.1)[group]
    capacity = np.ones(many)
    uneven = np.isin(group, fleet.faults.whole("capacity"))
    place = within(fleet.layout.members)
    capacity[uneven] = 1 + place[uneven] % 2
    text = rng.bytes(16 * many).hex()
    ids, instances = [], []
    for who, (of, nth, is_static) in enumerate(
        zip(group.tolist(), place.tolist(), static.tolist(), strict=True)
    ):
        tail = text[32 * who : 32 * who + 32]
        name = (
            f"{fleet.group_names[of]}-{nth}" if is_static else f"consumer-{fleet.group_names[of]}"
        )
        ids.append(f"{name}-{tail[:8]}-{tail[8:12]}-{tail[12:16]}-{tail[16:20]}-{tail[20:]}")
        instances.append(name if is_static else None)
    member, topic = fleet.readers
    lengths = np.bincount(member, minlength=many)
    return {
        "group": pa.array(fleet.group_names).take(pa.array(group)),
        "member": pa.array(ids),
        "subscription": pa.ListArray.from_arrays(
            _bounds(lengths), pa.array(fleet.topic_names).take(pa.array(topic))
        ),
        "rack": pa.array(["rack-a", "rack-b", "rack-c"]).take(
            pa.array(rng.integers(0, 3, many), mask=~racked)
        ),
        "capacity": pa.array(capacity, mask=~(rated | uneven)),
        "instance_id": pa.array(instances, pa.string()),
        "generation": pa.array(rng.integers(2, 500, n_groups)[group]),
    }


def _bounds(lengths: Ints) -> pa.Array:
    """Offsets of lists of these lengths."""
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))


def _owned(fleet: Fleet, alive: Bools) -> pa.Array:
    """[M] topic to owned partitions."""
    at = np.flatnonzero(alive & (fleet.owner >= 0))
    at = at[np.argsort(fleet.owner[at], kind="stable")]  # then by topic and number, as they are
    owner, topic = fleet.owner[at], fleet.topic[at]
    fresh = np.ones(len(at), dtype=np.bool_)
    fresh[1:] = (owner[1:] != owner[:-1]) | (topic[1:] != topic[:-1])
    head = np.flatnonzero(fresh)
    lists = pa.ListArray.from_arrays(
        _bounds(np.diff(np.append(head, len(at)))), pa.array(fleet.number[at].astype(np.int32))
    )
    return pa.MapArray.from_arrays(
        _bounds(np.bincount(owner[head], minlength=len(fleet.newcomer))),
        pa.array(fleet.topic_names).take(pa.array(topic[head])),
        lists,
    )


# Files.


def write_tables(tables: Iterator[pa.Table], folder: Path, rows_per_file: int) -> int:
    """Writes tables to files of whole tables, or of `rows_per_file` where one is longer.

    Returns the number of rows.
    """
    folder.mkdir(parents=True)
    waiting: list[pa.Table] = []
    files = rows = 0

    def flush() -> None:
        nonlocal files
        if waiting:
            table = pa.concat_tables(waiting)
            for begins in range(0, table.num_rows, rows_per_file):
                pq.write_table(
                    table.slice(begins, rows_per_file),
                    folder / f"part-{files:05d}.parquet",
                    compression="zstd",
                    row_group_size=_ROWS_PER_ROW_GROUP,
                )
                files += 1
            waiting.clear()

    for table in tables:
        if sum(one.num_rows for one in waiting) + table.num_rows > rows_per_file:
            flush()
        waiting.append(table)
        rows += table.num_rows
    flush()
    return rows


def write_history(out: Path, settings: Settings) -> dict[str, Any]:
    """Makes a history and writes it; returns what is in made.json. Raises InputError, OSError."""
    settings.check()
    for name in ("offsets", "members", "made.json"):
        if (out / name).exists():
            raise InputError("holds a history, or part of one, already", "--out", str(out))
    fleet = make_fleet(settings)
    # At least four slices of time, as far as there are rounds.
    per_file = min(ROWS_PER_FILE, settings.partitions * -(-settings.samples // 4) * 11 // 10)
    rows = write_tables(offset_tables(fleet, settings), out / "offsets", per_file)
    member_rows = write_tables(member_tables(fleet, settings), out / "members", ROWS_PER_FILE)
    made = {
        "seed": settings.seed,
        "rows": rows,
        "member_rows": member_rows,
        "groups": settings.groups,
        "partitions": settings.partitions,
        "faults": fleet.faults.counts(fleet.group_names, fleet.group),
    }
    (out / "made.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    return made


def _milliseconds(text: str) -> int:
    """A time of ISO 8601 with its zone, in milliseconds since the epoch."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(text)
    return round(moment.astimezone(UTC).timestamp() * 1000)


def main(arguments: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 for what cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fleet.history", description="Make an offset history of a fleet."
    )
    usual = Settings()
    for option, meaning in (
        ("groups", "consumer groups"),
        ("partitions", "partitions with offsets, over all groups"),
        ("samples", "sampling rounds"),
        ("every", "seconds between rounds"),
        ("seed", "what the random numbers depend on"),
        ("member-rounds", "rounds in which members are recorded"),
    ):
        value = getattr(usual, option.replace("-", "_"))
        parser.add_argument(
            f"--{option}", type=int, default=value, metavar="N", help=f"{meaning} ({value})"
        )
    parser.add_argument("--faults", action="store_true", help="with every fault in some groups")
    parser.add_argument(
        "--start", default=START, metavar="TIME", help=f"time of the first round ({START})"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="where to write")
    given = vars(parser.parse_args(arguments))
    out, start = given.pop("out"), given.pop("start")
    try:
        try:
            start_ms = _milliseconds(start)
        except ValueError:
            problem = f"{start!r} is not a time with a zone such as {START}"
            raise InputError(problem, "--start") from None
        made = write_history(out, Settings(**given, start_ms=start_ms))
    except (EquilagError, OSError) as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2
    sys.stdout.write(json.dumps(made) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
