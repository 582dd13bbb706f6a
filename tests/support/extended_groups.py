"""Random snapshots of extended groups by seed: each field alone, and mixtures of all.

Topics are t0, t1, …, members m0, m1, …, instances p0, p1, …, racks a to d.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, Final

Snapshot = dict[str, Any]

FIELDS: Final = (
    "subscriptions", "capacity", "room", "instance", "rack", "co_partitioned", "allowed",
)  # fmt: skip
"""What a random group may have; without `subscriptions` all members read all topics."""

CAPACITIES: Final = (
    (1, 2, 3, 4), (1, 1, 4, 10), (0.5, 1.5, 2.5), (37, 100, 250, 1000), (12.34, 333.3, 1008),
    (0.1, 2.35, 12345.678), (1, 1.0004, 3e-3), (7,),
)  # fmt: skip
"""Capacities of one group are drawn from one of these."""
RACKS: Final = ("a", "b", "c", "d")
"""Replicas are in one or two of these; members never in the last."""


@dataclass(frozen=True)
class ExtendedShape:
    """The most that a random group has."""

    members: int = 4
    units: int = 10
    """Partitions, where those of a co-partitioned list count as one per number."""
    fields: frozenset[str] = frozenset(FIELDS)


def field_sets(rng: Random) -> Iterator[frozenset[str]]:
    """Without end: no field, each alone, each with `subscriptions`, all, and random mixtures."""
    while True:
        yield frozenset()
        for name in FIELDS:
            yield frozenset({name})
            yield frozenset({name, "subscriptions"})
            yield frozenset(FIELDS)
            yield frozenset(other for other in FIELDS if rng.random() < 0.5)


def extended_snapshot(rng: Random, shape: ExtendedShape) -> Snapshot:
    """A snapshot of one group; some have too little room, or partitions that nobody may take."""
    lists, topics = _topics(rng, shape)
    members = _members(rng, shape, lists, list(topics))
    snapshot: Snapshot = {
        "format": "equilag/snapshot/1",
        "group": "real",
        "generation": 7,
        "topics": topics,
        "members": members,
        "lags": {topic: _lags(rng, size) for topic, size in topics.items()},
    }
    _give_owners(rng, snapshot)
    if lists:
        snapshot["co_partitioned"] = lists
    if "rack" in shape.fields:
        snapshot["racks"] = _replicas(rng, topics)
    if "allowed" in shape.fields:
        snapshot["allowed"] = _allowed(rng, snapshot)
    return snapshot


def _topics(rng: Random, shape: ExtendedShape) -> tuple[list[list[str]], dict[str, int]]:
    """Co-partitioned lists, and the sizes of all topics."""
    left = rng.randint((shape.units + 1) // 2, shape.units)
    lists: list[list[str]] = []
    topics: dict[str, int] = {}
    while left:
        size = rng.randint(1, left)
        joined = "co_partitioned" in shape.fields and (not lists or rng.random() < 0.4)
        names = [f"t{len(topics) + n}" for n in range(rng.choice((2, 2, 3)) if joined else 1)]
        topics |= dict.fromkeys(names, size)
        if joined:
            lists.append(names)
        left -= size
    return lists, topics


def _members(
    rng: Random, shape: ExtendedShape, lists: list[list[str]], topics: list[str]
) -> list[dict[str, Any]]:
    total = rng.randint((shape.members + 1) // 2, shape.members)
    choice = rng.choice(CAPACITIES)
    roomy = rng.random() < 0.8
    even_share = -(-shape.units // total)
    members: list[dict[str, Any]] = []
    while len(members) < total:
        threads = rng.randint(1, 3) if "instance" in shape.fields else 1
        alike = _process(rng, shape, lists, topics, len(members))
        for _ in range(min(threads, total - len(members))):
            member = {"id": f"m{len(members)}", **alike}
            if "capacity" in shape.fields and rng.random() < 0.85:
                member["capacity"] = rng.choice([*choice, None] if rng.random() < 0.2 else choice)
            if "room" in shape.fields and rng.random() < 0.7:
                least, more = (even_share, 3) if roomy else (0, even_share + 1)
                member["max_partitions"] = least + rng.randint(0, more)
            members.append(member)
    return members


def _process(
    rng: Random, shape: ExtendedShape, lists: list[list[str]], topics: list[str], number: int
) -> dict[str, Any]:
    """The subscription, the rack and the name that the threads of one process share."""
    subscription = topics
    if "subscriptions" in shape.fields:
        left_out = {topic for topic in topics if rng.random() < 0.3}
        for joined in lists:
            if rng.random() < 0.9:
                whole = rng.random() < 0.8
                left_out = left_out.difference(joined) if whole else left_out.union(joined)
        subscription = [topic for topic in topics if topic not in left_out]
    alike: dict[str, Any] = {"subscription": subscription}
    if "rack" in shape.fields and rng.random() < 0.85:
        alike["rack"] = rng.choice(RACKS[:-1])
    if "instance" in shape.fields and rng.random() < 0.85:
        alike["instance"] = f"p{number}"
    return alike


def _lags(rng: Random, size: int) -> list[int]:
    kind = rng.choice(("uneven", "ties", "zero", "hot"))
    lags = [int(rng.lognormvariate(4, 1.5)) for _ in range(size)]
    if kind in ("ties", "zero"):
        lags = [0 if kind == "zero" else 10 * rng.randint(0, 2) for _ in range(size)]
    if kind == "hot":
        lags[rng.randrange(size)] = 50_000
    return lags


def _give_owners(rng: Random, snapshot: Snapshot) -> None:
    """Claims that favour the first members; some old, doubled, or no longer subscribed."""
    members = snapshot["members"]
    likely = rng.choice((0.0, 0.5, 0.9, 1.0))
    for member in members:
        member["owned"] = {}
        if rng.random() < 0.15:
            member["generation"] = rng.choice((-1, 5, 7, 8))
    for topic, size in snapshot["topics"].items():
        readers = [member for member in members if topic in member["subscription"]]
        for number in range(size):
            for _ in range(2 if rng.random() < 0.1 else 1):
                among = readers if readers and rng.random() < 0.9 else members
                if rng.random() < likely:
                    holder = among[int(len(among) * rng.random() ** 1.5)]
                    held = holder["owned"].setdefault(topic, [])
                    if number not in held:
                        held.append(number)


def _replicas(rng: Random, topics: dict[str, int]) -> dict[str, list[list[str]]]:
    """Racks of the replicas; of a few topics unknown, of a few partitions none."""
    return {
        topic: [
            rng.sample(RACKS, rng.choice((1, 1, 2))) if rng.random() < 0.9 else []
            for _ in range(size)
        ]
        for topic, size in topics.items()
        if rng.random() < 0.9
    }


def _allowed(rng: Random, snapshot: Snapshot) -> dict[str, dict[str, list[str]]]:
    """Some partitions for some of their subscribers only; every second one a pin."""
    lists = snapshot.get("co_partitioned", [])
    allowed: dict[str, dict[str, list[str]]] = {}
    for topic, size in snapshot["topics"].items():
        together = next((joined for joined in lists if topic in joined), [topic])
        takers = [m["id"] for m in snapshot["members"] if {*together} <= {*m["subscription"]}]
        for number in range(size):
            if takers and rng.random() < 0.3:
                some = 1 if rng.random() < 0.5 else rng.randint(1, len(takers))
                named = {*rng.sample(takers, some - 1), takers[number % len(takers)]}
                allowed.setdefault(topic, {})[str(number)] = sorted(named)
    return allowed
