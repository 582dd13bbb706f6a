"""`uniform` and `broker-range` against the classes of Kafka's brokers, run in a JVM."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Final

import numpy as np
import pytest
from support.claimed_groups import load, named
from support.groups import random_group, snapshot_of, with_members
from support.paths import CHECKOUT

from benchmarks.kafka_broker import NoBroker, fetch_jars, missing
from equilag.heuristics import get_assignor

JAVA: Final = CHECKOUT / "tests" / "support" / "kafka" / "BrokerAssignors.java"
SIZES: Final = [2000, *[200] * 9]
CHAIN: Final = snapshot_of(
    SIZES, [[max(m - 1, 0), m] for m in range(10)], np.repeat(range(10), SIZES)
)
"""Each member shares a topic with the next, the first has most: more rounds than are made."""


@pytest.mark.parametrize("number", [200, pytest.param(10_000, marks=pytest.mark.long)])
def test_same_as_in_kafka(number: int) -> None:
    rng = np.random.default_rng(3)  # 200 groups of it show a change of any rule of the builders
    snapshots = [CHAIN, *(drawn(rng) for _ in range(number))]
    for kafkas, snapshot in zip(by_kafka(snapshots), snapshots, strict=True):
        group = load(snapshot)
        for ours, theirs in (("uniform", "uniform"), ("broker-range", "range")):
            held = {m: sorted(map(tuple, found)) for m, found in kafkas[theirs].items()}
            assert named(group, get_assignor(ours).assign(group)) == held, (ours, snapshot)


def by_kafka(snapshots: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """For each, what Kafka's assignors give: their name -> member -> [topic, number] of each."""
    if problem := missing():
        pytest.skip(problem)
    try:
        jars = fetch_jars()
    except NoBroker as error:
        pytest.skip(str(error))
    command = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", str(JAVA)]
    lines = "".join(f"{json.dumps(one)}\n" for one in snapshots)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=170)
    assert not done.returncode, done.stderr[-2000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    """Often after a change: members came and went, changed their topics, and a topic grew."""
    shape = (
        {"topics": 20, "members": 30, "size": 60}
        if rng.random() < 0.2
        else {"topics": 7, "members": 9, "size": 12}
    )
    reads, owned = rng.choice((0.2, 0.6, 1.0)), rng.choice((0.0, 0.6, 1.0))
    group = random_group(rng, reads=reads, owned=owned, **shape)
    owner = group.owner if rng.random() < 0.6 else get_assignor("uniform").assign(group)
    read = [group.class_topics[c].tolist() for c in group.class_of]
    snapshot = snapshot_of(group.topic_size.tolist(), read, owner)
    members, topics = snapshot["members"], snapshot["topics"]
    if rng.random() < 0.5:
        topics["t00"] += 3
        del members[: rng.integers(len(members))]
        members[-1]["subscription"] = members[0]["subscription"]
        members += [{**m, "id": f"new-{m['id']}", "owned": {}} for m in members[: rng.integers(5)]]
    static, racked = rng.random((2, len(members))) < rng.choice((0.0, 0.4, 1.0), (2, 1))
    names = rng.permutation(len(members))
    with_members(
        snapshot,
        instance_id=[
            f"i{name:02}" if is_one else None for name, is_one in zip(names, static, strict=True)
        ],
        rack=[str(rng.choice([*"abc"])) if has_one else None for has_one in racked],
    )
    racks = {t: [[*racks] for racks in rng.choice(("a", "bc"), n)] for t, n in topics.items()}
    return snapshot | {"racks": racks}
