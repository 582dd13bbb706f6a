"""Commands at a real broker: a live group in place of a file, and groups of every kind."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import ShareConsumer, TopicPartition
from confluent_kafka.admin import ResourceType
from support.json_schemas import findings
from support.live_groups import (
    RANGE,
    add_user,
    allow,
    every_partition,
    login_properties,
    owned_by,
    pairs,
)
from support.markdown import broker_commands
from support.paths import CHECKOUT

from benchmarks.kafka_broker import Broker
from benchmarks.live.assignment_log import Log
from benchmarks.live.members import RdMember
from benchmarks.live.plain_members import commit as commit_as_nobody
from benchmarks.live.plain_members import join, sync
from benchmarks.live.topics import Traffic, admin_of, commit, fill, make_topic
from benchmarks.waiting import until
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.plain.plain_client import PlainClient
from equilag.adapters.kafka.reading import NO_COMMIT
from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.cli import main
from equilag.domain.group.lag import QUALITY

NONE = "no groups: the cluster has none, none matches, or DESCRIBE is missing\n"

pytestmark = [pytest.mark.broker]

TOPIC: Final = "cli-orders"
PARTITIONS: Final = every_partition({TOPIC: 4})
LIMIT: Final = ("--time-limit", 0.3)
HINT: Final = (
    "equilag: rates and capacities are unknown, so lag alone is spread;"
    " --sample 30s measures them\n"
)
UNKNOWN: Final = (
    f"equilag: {NO_COMMIT}: cli-orders-3\n"
    "equilag: the lag of 1 partition without a commit is unknown and counts as 0;"
    " set --auto-offset-reset\n"
)


@pytest.fixture(scope="module")
def live(broker: Broker) -> Iterator[tuple[str, ...]]:
    """The options that name a group of two members: one has 0 and 100 records of lag, the other
    200 and, without a commit, an unknown lag."""
    config = kafka_config(broker.bootstrap)
    make_topic(admin_of(broker.bootstrap), TOPIC, len(PARTITIONS))
    fill(broker.bootstrap, TOPIC, [5 + 100 * number for number in range(len(PARTITIONS))])
    with pairs(config, {"cli-live": RANGE}, ([TOPIC], [TOPIC]), PARTITIONS) as groups:
        for member in groups["cli-live"]:
            mine = [TopicPartition(*tp, 5) for tp in owned_by(member) if tp != PARTITIONS[-1]]
            member.commit(offsets=mine, asynchronous=False)
        yield "--bootstrap-server", broker.bootstrap, "--group", "cli-live"


def test_plan_and_verify(run: Callable[..., Any], live: tuple[str, ...], tmp_path: Path) -> None:
    snapshot, plan = tmp_path / "g.json", tmp_path / "p.json"
    committed = ("--isolation-level", "read_committed")
    done = run("plan", *live, *LIMIT, *committed, "--out", plan, "--save-snapshot", snapshot)
    assert (done.status, done.err) == (0, UNKNOWN + HINT)
    assert "\ncli-live: 2 members, 1 topic, 4 partitions, total lag 300, taken" in done.out
    assert run("verify", snapshot, plan).status == 0
    group = load_snapshot(str(snapshot))
    assert group.lag.tolist() == [0, 100, 200, 0]
    assert [QUALITY[mark] for mark in group.quality] == ["ok", "ok", "ok", "unknown"]
    assert {member.host for member in group.members} == {"127.0.0.1"}


def test_the_other_commands(run: Callable[..., Any], live: tuple[str, ...]) -> None:
    compared = json.loads(run("compare", *live, *LIMIT, "--json").out)
    (current,) = [row for row in compared["rows"] if row["assignor"] == "current"]
    assert (current["lag_spread"], current["lag_max"]) == (100, 200)
    assert json.loads(run("frontier", *live, *LIMIT, "--json").out)["points"]
    assert run("assign", *live, "--assignor", "range").status == 0
    earliest = run(
        "assign", *live, "--assignor", "range", "--auto-offset-reset", "earliest", "--json"
    )
    assert json.loads(earliest.out)["lag"]["total"] == 605


def test_groups(run: Callable[..., Any], live: tuple[str, ...], broker: Broker) -> None:
    commit(admin_of(broker.bootstrap), "cli-left", {TOPIC: [5, 3, 205, 305]})
    argv = ["groups", "--bootstrap-server", broker.bootstrap, "--groups", "cli-l(ive|eft)"]
    done = run(*argv)
    assert (done.status, done.err) == (10, f"equilag: 1 partition with {NO_COMMIT}\n")
    heading, blank, _, *rows, causes, _, then, command = done.out.splitlines()
    assert (heading, blank) == ("2 groups, total lag 402, 2 need something", "")
    assert then == "More on the worst group:"
    planned = f"equilag plan --bootstrap-server {broker.bootstrap} --group cli-live"
    assert command == f"  {planned}"
    assert causes == "  causes: docs/causes.md"
    assert [" ".join(row.split()) for row in rows] == [
        "cli-live look first never-committed 300 2 4 Stable classic 100 66.7 %",
        "cli-left start members no-members 102 0 4 Empty classic - -",
    ]
    document = json.loads(run(*argv, "--json").out)
    assert findings(document) == []
    assert document["settings"]["bootstrap_server"] == broker.bootstrap
    first, second = document["groups"]
    assert (first["lag_spread"], first["unknown_lags"]) == (100, 0)
    assert first["worst_share_percent"] == pytest.approx(200 / 3)
    assert first["worst_member"]
    assert (second["lag_spread"], second["worst_member"]) == (None, None)
    none = run("groups", "--bootstrap-server", broker.bootstrap, "--groups", "cli-no")
    assert (none.status, none.out) == (0, NONE)


def test_doctor(run: Callable[..., Any], live: tuple[str, ...]) -> None:
    """A classic group needs no plug-in; there is none."""
    done = run("doctor", *live)
    assert (done.status, done.err) == (0, "")
    assert f"equilag steward {shlex.join(live)}\n" in done.out
    nobody = run("doctor", *live[:2], "--group", "cli-nobody")
    assert (nobody.status, nobody.out) == (2, "")
    assert "there is no group 'cli-nobody'" in nobody.err


def test_a_login(
    run: Callable[..., Any],
    live: tuple[str, ...],
    broker: Broker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a file as Kafka's own tools take it. Rights that are missing: `test_group_reader_live`."""
    admin = admin_of(broker.bootstrap)
    add_user(admin, "cli-reader", "r")
    properties = tmp_path / "client.properties"
    properties.write_text(login_properties("cli-reader", "r"), "utf-8")
    login = ["--bootstrap-server", broker.sasl, "--command-config", properties]
    argv = ["snapshot", *login, "--group", "cli-live"]
    lacking = f"equilag: {broker.sasl}: needs the right Describe on Group 'cli-live'\n"
    assert run(*argv) == (2, "", lacking)
    allow(admin, "cli-reader", ResourceType.GROUP, "cli-live")
    told = "equilag: left out: cli-live: needs the right Describe on Topic 'cli-orders'\n"
    until(lambda: run("groups", *login) == (0, NONE, told))
    allow(admin, "cli-reader", ResourceType.TOPIC, "cli-orders")
    until(lambda: run(*argv).status == 0)
    assert run("groups", *login).out.startswith("1 group, total lag 300,")
    single = [word for line in properties.read_text("utf-8").splitlines()
              for word in ("--command-property", line)]  # fmt: skip
    assert run("groups", *login[:2], *single).out.startswith("1 group, total lag 300,")
    assert run("doctor", *login).err == "equilag: needs the right DescribeConfigs on the Cluster\n"
    monkeypatch.setattr("equilag.adapters.kafka.group_reader.WAIT_S", 1.5)
    properties.write_text(login_properties("cli-reader", "wrong"), "utf-8")
    wrong = run(*argv)
    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert wrong.err.startswith(f"equilag: {broker.sasl}: ")
    assert "uthentication failed" in wrong.err


def test_the_examples_of_the_pages_run_on_a_live_group(
    broker: Broker, live: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for page in ("docs/first-plan.md", "docs/guide.md", "docs/live.md"):
        text = (CHECKOUT / page).read_text("utf-8")
        for argv in broker_commands(text, broker.bootstrap, "cli-live"):
            assert main(argv) in ((0, 10) if argv[0] == "groups" else (0,)), argv
            ran += 1
    assert ran > 5


STREAMS_METADATA: Final = "AgAAAaIE16Co"
"""Of a commit of Kafka Streams 4.3.1."""
CLASSIC: Final = {
    "kinds-connect": ("connect", "sessioned"),
    "kinds-stream": ("consumer", "stream"),
    "kinds-registry": ("sr", "v0"),
}
"""Group -> protocol type and protocol of its only member."""
KINDS: Final = {
    "kinds-connect": "connect",
    "kinds-stream": "classic-streams",
    "kinds-registry": "sr",
    "kinds-share": "share",
    "kinds-left": "classic-streams",
}


@pytest.fixture(scope="module")
def servers(broker: Broker) -> Iterator[str]:
    """A cluster with these groups."""
    make_topic(admin_of(broker.bootstrap), "kinds", 2)
    client = PlainClient({"bootstrap_servers": broker.bootstrap}, 30)
    consumer = ShareConsumer({**kafka_config(broker.bootstrap), "group.id": "kinds-share"})
    with closing(client), closing(consumer):
        commit_as_nobody(client, "kinds-left", "kinds", STREAMS_METADATA)
        for group, (protocol_type, protocol) in CLASSIC.items():
            commit_as_nobody(client, group, "kinds", "")  # waits until the coordinator is ready
            joined = join(client, group, "kinds", protocol, protocol_type=protocol_type)
            sync(client, group, joined, {joined.member: b""}, protocol, protocol_type)
        consumer.subscribe(["kinds"])
        consumer.poll(1)
        yield broker.bootstrap


def test_every_group_is_listed_with_its_kind(run: Callable[..., Any], servers: str) -> None:
    argv = ["groups", "--bootstrap-server", servers, "--groups", "kinds-.*"]

    def listed() -> bool:
        document = json.loads(run(*argv, "--json").out)
        rows = document["groups"]
        assert findings(document) == []
        return {row["group"]: row["kind"] for row in rows} == KINDS

    until(listed)
    share = next(line for line in run(*argv).out.splitlines() if line.startswith("kinds-share"))
    assert share.split()[1:] == [*"-----", "Stable", "share"]


@pytest.mark.parametrize("group", KINDS)
def test_they_are_refused_by_name(run: Callable[..., Any], servers: str, group: str) -> None:
    start = f"equilag: {servers}: group {group!r} exists, but equilag does not plan it. It is "
    live = ("--bootstrap-server", servers, "--group", group)
    done = run("plan", *live)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(start)
    steward = run("steward", *live, "--listen", "127.0.0.1:0")
    assert steward.status == 2
    assert steward.err.splitlines()[-1].startswith(start)
    assert "event=refused" in steward.err
    assert "role=" not in steward.err


SAMPLED: Final = "sampled"
"""A group and its topic."""
SHARES: Final = (0.05, 0.12, 0.33, 0.33, 0.01, 0.16)
"""Of its partitions in the records that come."""
SPEEDS: Final = {"a": 200.0, "b": 600.0, "c": None}
SECONDS: Final = 8
"""Of which the members' last commits, once a second, miss one at most."""


@pytest.mark.long
def test_rates_and_capacities(run: Callable[..., Any], broker: Broker) -> None:
    """Of a group at work: `a` and `b` have a backlog, `c` can do more than it gets."""
    with ExitStack() as stack:
        make_topic(admin_of(broker.bootstrap), SAMPLED, 6)
        log, members = Log(), []
        for name, speed in SPEEDS.items():
            how = {"auto_commit_interval_ms": 1000, "queued_min_messages": 1000}
            one = RdMember(log, name, broker.bootstrap, SAMPLED, [SAMPLED], speed, **how)
            stack.callback(one.stop)
            members.append(one)
        until(lambda: sorted(map(len, log.held().values())) == [2, 2, 2])
        # Now, since the member without a limit may have held everything until here.
        fill(broker.bootstrap, SAMPLED, [4000, 4000, 12_000, 12_000, 10, 10])
        traffic = Traffic(broker.bootstrap, SAMPLED, 6, 300.0, SHARES)
        stack.enter_context(traffic)
        until(lambda: len(traffic.acked()) == 6)

        def counted() -> list[int]:
            """Records of each partition, and records that each member has read."""
            acked = traffic.acked()
            produced = [acked[SAMPLED, number] for number in range(6)]
            return produced + [one.read.records for one in members]

        before, began = counted(), time.monotonic()
        options = ("--bootstrap-server", broker.bootstrap, "--group", SAMPLED)
        done = run("snapshot", *options, "--sample", f"{SECONDS}s")
        took = time.monotonic() - began
        per_s = [(late - early) / took for early, late in zip(before, counted(), strict=True)]
    document = json.loads(done.out)
    # A producer that sends every 0.2 s may be one time ahead.
    assert document["rates"][SAMPLED] == pytest.approx(per_s[:6], rel=0.05, abs=0.5)
    capacity = {one["client_id"]: one.get("capacity") for one in document["members"]}
    assert capacity["a"] == pytest.approx(per_s[6], rel=0.1)
    assert capacity["b"] == pytest.approx(per_s[7], rel=0.1)
    assert capacity["c"] is None
    assert " 6 rates, " in done.err
    assert "2 capacities, " in done.err
    assert "equilag: 1 member did not always have a backlog: its speed is unknown\n" in done.err
    assert load_snapshot(document).rates is not None
