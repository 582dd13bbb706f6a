"""What holds for all built-in assignors; sample cases of KIPs and suites; Kafka's own classes."""

from __future__ import annotations

import copy
import json
import subprocess
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claimed_groups import groups, load, load_case, named, snapshots
from support.groups import random_group, snapshot_of, with_members
from support.paths import CHECKOUT, CONFORMANCE

from benchmarks.kafka_broker import NoBroker, fetch_jars, missing
from equilag.domain.reduction.split_classes import RackReads
from equilag.heuristics import assignor_names, get_assignor, run_assignor

NAMES = assignor_names()


@given(data=st.data())
def test_every_partition_goes_to_one_subscriber(data):
    snapshot = data.draw(snapshots())
    group = load(snapshot)
    subscriptions = {m["id"]: set(m["subscription"]) for m in snapshot["members"]}
    read = set().union(*subscriptions.values())
    wanted = [(t, p) for t, n in snapshot["topics"].items() if t in read for p in range(n)]
    for name in NAMES:
        assigned = get_assignor(name).assign(group)
        assert assigned.dtype == np.int32
        held = named(group, assigned)
        assert held.keys() == subscriptions.keys()
        assert all(topic in subscriptions[m] for m, mine in held.items() for topic, _ in mine)
        assert sorted(pair for mine in held.values() for pair in mine) == sorted(wanted), name


@given(data=st.data())
def test_the_order_of_the_listing_decides_nothing(data):
    snapshot = data.draw(snapshots())
    shuffled = copy.deepcopy(snapshot)
    shuffled["members"] = data.draw(st.permutations(shuffled["members"]))
    shuffled["topics"] = dict(data.draw(st.permutations(list(snapshot["topics"].items()))))
    for member in shuffled["members"]:
        member["subscription"] = data.draw(st.permutations(member["subscription"]))
    first, second = load(snapshot), load(shuffled)
    for name in NAMES:
        assign = get_assignor(name).assign
        assert named(first, assign(first)) == named(second, assign(second)), name


@given(group=groups())
def test_the_group_is_left_as_it_was(group):
    columns = ("topic_start", "class_of", "lag", "claim_member", "claim_partition", "owner")
    frozen = replace(group, **{column: getattr(group, column).copy() for column in columns})
    for column in columns:
        getattr(frozen, column).setflags(write=False)
    for name in NAMES:
        assigned = get_assignor(name).assign(frozen)
        assert assigned.tolist() == get_assignor(name).assign(group).tolist(), name
        assert not np.shares_memory(assigned, frozen.owner)


def cases(*families: str, having: str = "expect") -> list[Any]:
    found = [
        pytest.param(case, id=case["id"])
        for family in families
        for case in json.loads((CONFORMANCE / f"{family}.json").read_text())["cases"]
        if having in case or having in case["expect"]
    ]
    assert found
    return found


@pytest.mark.parametrize("case", cases("kip169_lag", having="kind"))
def test_lag_that_the_assignor_sees(case):
    group = load_case(case)
    wanted = [lag for topic in group.topics for lag in case["expect"]["lags"][topic]]
    assert group.lag.tolist() == wanted


@pytest.mark.parametrize("case", cases("range_roundrobin", having="rack_mismatches"))
def test_range_reads_across_racks_as_seldom_as_kafkas(case):
    group = load_case(case)
    reads = RackReads.of(group)
    assigned = run_assignor(get_assignor("range"), group)
    assert reads.count(assigned) == case["expect"]["rack_mismatches"]


@pytest.mark.parametrize("case", cases("range_roundrobin", "range_racks"))
def test_range_and_round_robin(case):
    group, name = load_case(case), case["algorithm"].replace("_", "-")
    wanted = {m: sorted(map(tuple, held)) for m, held in case["expect"]["assignment"].items()}
    assert named(group, run_assignor(get_assignor(name), group)) == wanted


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
