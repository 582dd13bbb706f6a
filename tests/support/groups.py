"""Small groups for tests: from plain numbers, at random by seed, as a strategy, and odd ones.

Topics are t00, t01, … and members m00, m01, …, so that the numbers of a group's columns are the
positions in the lists given here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st
from support.oracle_groups import oracle_of

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.group.group import NOBODY, Group, Index, Ints, PartitionClasses

Snapshot = dict[str, Any]

LAG_KINDS: Final = ("uneven", "zero", "hot", "far-apart", "ties")


def snapshot_of(
    sizes: Sequence[int],
    subscriptions: Sequence[Sequence[int]],
    owners: Sequence[int] | Ints | None = None,
    lags: Sequence[int] | Ints | None = None,
) -> Snapshot:
    """A snapshot; `owners` and `lags` are per partition, all topics in one run, −1 for nobody."""
    topics = {f"t{t:02}": int(size) for t, size in enumerate(sizes)}
    places = [(topic, n) for topic, size in topics.items() for n in range(size)]
    members: list[dict[str, Any]] = [
        {"id": f"m{m:02}", "subscription": [f"t{t:02}" for t in topics_read], "owned": {}}
        for m, topics_read in enumerate(subscriptions)
    ]
    for (topic, number), owner in zip(places, owners if owners is not None else (), strict=False):
        if owner != NOBODY:
            members[owner]["owned"].setdefault(topic, []).append(number)
    snapshot: Snapshot = {
        "format": "equilag/snapshot/1",
        "group": "test",
        "topics": topics,
        "members": members,
    }
    if lags is not None:
        values = iter(int(lag) for lag in lags)
        snapshot["lags"] = {t: [next(values) for _ in range(size)] for t, size in topics.items()}
    return snapshot


def with_members(snapshot: Snapshot, **columns: Iterable[Any]) -> Snapshot:
    """The snapshot itself, its members with these fields, each of one column; None for no field."""
    for name, column in columns.items():
        for member, value in zip(snapshot["members"], column, strict=True):
            if value is not None:
                member[name] = value
    return snapshot


def group_of(
    sizes: Sequence[int],
    subscriptions: Sequence[Sequence[int]],
    owners: Sequence[int] | Ints | None = None,
    lags: Sequence[int] | Ints | None = None,
) -> Group:
    """The same as a group."""
    return load_snapshot(snapshot_of(sizes, subscriptions, owners, lags))


def columns(group: Group) -> dict[str, object]:
    """Every column of a group as plain values with their types, to compare two groups."""
    return {one.name: _plain(getattr(group, one.name)) for one in fields(Group) if one.compare}


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return type(value), value.dtype.str, value.tolist()
    return [_plain(inner) for inner in value] if isinstance(value, tuple) else value


def lags_of(rng: np.random.Generator, n: int, kind: str = "uneven") -> Ints:
    """Lags [n] of one kind."""
    match kind:
        case "zero":
            return np.zeros(n, dtype=np.int64)
        case "ties":
            return rng.integers(0, 3, n) * 10
        case "far-apart":
            return np.where(rng.random(n) < 0.4, 10**12, 1).astype(np.int64)
    lags = np.floor(np.exp(rng.normal(4, 1.5, n))).astype(np.int64)
    if kind == "hot" and n:
        lags[rng.choice(n, min(n, 2), replace=False)] += 50_000
    return lags


def random_group(
    rng: np.random.Generator,
    topics: int = 3,
    members: int = 4,
    size: int = 3,
    kind: str = "uneven",
    reads: float = 0.6,
    owned: float = 0.7,
) -> Group:
    """Up to `topics` topics of up to `size` partitions, up to `members` members.

    `reads` is how likely a member subscribes to a topic, `owned` how likely a partition is owned;
    the first subscribers own more than the last.
    """
    n_topics, n_members = int(rng.integers(1, topics + 1)), int(rng.integers(1, members + 1))
    sizes = rng.integers(0, size + 1, n_topics).tolist()
    reading = rng.random((n_members, n_topics)) < reads
    subscriptions = [np.flatnonzero(row).tolist() for row in reading]
    owners = []
    for topic, n in enumerate(sizes):
        readers = [m for m, topics_read in enumerate(subscriptions) if topic in topics_read]
        for _ in range(n):
            held = bool(readers) and rng.random() < owned
            owners.append(readers[int(len(readers) * rng.random() ** 2)] if held else NOBODY)
    return group_of(sizes, subscriptions, owners, lags_of(rng, sum(sizes), kind))


def restricted(group: Group, rng: np.random.Generator, open_to: float = 0.6) -> Group:
    """The group with classes of its own for the partitions, at random.

    A member class that subscribes may take a partition with probability `open_to`.
    """
    reads = group.reads[group.topic_of]
    table = reads & (rng.random(reads.shape) < open_to)
    eligible, of_partition = np.unique(table, axis=0, return_inverse=True)
    classes = PartitionClasses(of_partition.ravel().astype(np.int32), eligible)
    held = group.owner != NOBODY
    held[held] = table[held, group.class_of[group.owner[held]]]
    return replace(
        group, partition_classes=classes, owner=np.where(held, group.owner, NOBODY).astype(np.int32)
    )


def small_groups(seed: int, n: int, limit: int = 800, **shape: Any) -> Iterator[Group]:
    """`n` random groups with few enough assignments to try them all; lag kinds take turns."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < n:
        kind = shape.get("kind", LAG_KINDS[made % len(LAG_KINDS)])
        group = random_group(rng, **{**shape, "kind": kind})
        if group.n_partitions and 1 < oracle_of(group).n_assignments <= limit:
            made += 1
            yield group


@st.composite
def shapes(
    draw: st.DrawFn, limit: int = 400, topics: int = 3, members: int = 4, size: int = 3
) -> tuple[list[int], list[list[int]], list[int], list[int]]:
    """Arguments of `group_of` with at most `limit` assignments, odd shapes among them."""
    sizes = draw(st.lists(st.integers(0, size), min_size=0, max_size=topics))
    reading = st.lists(st.integers(0, len(sizes) - 1), unique=True) if sizes else st.just([])
    subscriptions = draw(st.lists(reading.map(sorted), max_size=members))
    lag = draw(
        st.sampled_from(
            [st.just(0), st.integers(0, 3), st.integers(0, 10**6), st.sampled_from([1, 10**12])]
        )
    )
    owners, lags, total = [], [], 1
    for topic, n in enumerate(sizes):
        readers = [m for m, topics_read in enumerate(subscriptions) if topic in topics_read]
        while total * max(1, len(readers)) ** n > limit:
            n -= 1
        sizes[topic] = n
        total *= max(1, len(readers)) ** n
        owners += [draw(st.sampled_from([NOBODY, *readers])) for _ in range(n)]
        lags += [draw(lag) for _ in range(n)]
    return sizes, subscriptions, owners, lags


def snapshots(**narrow: int) -> st.SearchStrategy[Snapshot]:
    """Small snapshots."""
    return shapes(**narrow).map(lambda shape: snapshot_of(*shape))


def groups(**narrow: int) -> st.SearchStrategy[Group]:
    """Small groups."""
    return shapes(**narrow).map(lambda shape: group_of(*shape))


def ramp(members: int, level: int) -> Group:
    """The family on which local improvement of counts gets stuck; `level` each is possible.

    Member i reads topics i − 1 and i, and owns `level` − (members − 1) / 2 + i partitions in a row.
    """
    size = level * members // (members - 1)
    subscriptions = [
        [t for t in (m - 1, m) if 0 <= t < members - 1] for m in range(members)
    ]  # fmt: skip
    owned = [level - (members - 1) // 2 + m for m in range(members)]
    owners = np.repeat(np.arange(members), owned)
    return group_of([size] * (members - 1), subscriptions, owners)


BIGGEST: Final = 2**53 - 1

ODD: Final[dict[str, Callable[[], Group]]] = {
    "nothing at all": lambda: group_of([], []),
    "no members": lambda: group_of([3, 2], [], lags=[5, 0, 1, 2, 9]),
    "no topics": lambda: group_of([], [[], []]),
    "one member": lambda: group_of([3, 1], [[0, 1]], [0, -1, 0, -1], [4, 5, 6, 7]),
    "all lags zero": lambda: group_of([4, 3], [[0, 1]] * 3, [0, 0, 0, 1, 1, -1, 2], [0] * 7),
    "one hot partition": lambda: group_of([6], [[0]] * 3, [0, 0, 1, 1, 2, 2], [10**9, *range(5)]),
    "two hot partitions": lambda: group_of(
        [3, 3], [[0, 1], [0, 1], [1]], [0, 0, 1, 1, 2, 2], [10**9, 7, 1, 10**9 - 5, 2, 3]
    ),
    "largest lags": lambda: group_of([5], [[0]] * 2, [0, 0, 0, 1, -1], [BIGGEST] * 4 + [1]),
    # 512 × (2^53 − 1) is just below 2^62, the limit for all lags together.
    "largest total": lambda: group_of([512], [[0]] * 3, np.arange(512) % 2, [BIGGEST] * 512),
    "more members than partitions": lambda: group_of(
        [2, 1], [[0]] * 3 + [[0, 1]] * 3, [0, 0, 3], [8, 3, 5]
    ),
    "topics nobody reads": lambda: group_of([2, 4, 1], [[0], [0, 2]], [0, 0] + [-1] * 5, range(7)),
    "members that read nothing": lambda: group_of([3], [[0], [], [0], []], [0, 0, 0], [1, 2, 9]),
    "members that read empty topics": lambda: group_of(
        [3, 0], [[0], [1], [0, 1]], [0, 0, 0], [1, 2, 9]
    ),
    "only idle members": lambda: group_of([0, 2], [[0], [], [0]], lags=[3, 4]),
    "far apart": lambda: group_of([3, 3], [[0, 1], [0, 1]], [0] * 6, [10**12, 1, 1, 10**12, 1, 2]),
    "far and close": lambda: group_of([2, 2], [[0], [0, 1], [1]], [0, 0, 2, 2], [10**12, 1, 1, 1]),
}  # fmt: skip


def odd_cases(*settings: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Names of odd groups with settings that take turns: parameters of a test."""
    return [
        (name, *(values[place * n % len(values)] for n, values in enumerate(settings, 1)))
        for place, name in enumerate(ODD)
    ]


def first_valid(group: Group) -> Index:
    """[P] the valid assignment that gives every partition to its first subscriber."""
    first = [
        int(readers[0]) if len(readers) else NOBODY
        for readers in (group.subscribers(topic) for topic in range(len(group.topics)))
    ]
    return np.array(first, dtype=np.int32)[group.topic_of]


def problem_of(
    lag: Sequence[int], members: int, least: int, most: int, **more: Any
) -> SmallProblem:
    """A small problem in which everybody may take everything, from `least` to `most` items."""
    nothing = np.zeros(members, np.int64)
    plain = SmallProblem(
        lag=np.array(lag, np.int64),
        allowed=np.ones((len(lag), members), np.bool_),
        base=nothing,
        lo=nothing + least,
        hi=nothing + most,
        saved=np.zeros((len(lag), members), np.int64),
    )
    return replace(plain, **more)
