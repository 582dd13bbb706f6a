"""Commands at a real broker: a live group in place of a file, and the list of all groups."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import ResourceType
from support.json_schemas import findings
from support.kafka_broker import Broker
from support.live_groups import (
    RANGE,
    add_user,
    allow,
    every_partition,
    login_properties,
    owned_by,
    pairs,
)
from support.live_topics import admin_of, commit, fill, make_topic
from support.markdown import broker_commands
from support.paths import CHECKOUT
from support.waiting import until

from equilag.adapters.kafka.client_config import kafka_config
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
    done = run("plan", *live, *LIMIT, "--out", plan, "--save-snapshot", snapshot)
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


def test_snapshot(run: Callable[..., Any], live: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "g.json"
    done = run("snapshot", *live, "--out", out, "--isolation-level", "read_committed")
    assert (done.status, done.out, done.err) == (0, "", UNKNOWN)
    printed = json.loads(run("snapshot", *live, "--auto-offset-reset", "NONE").out)
    assert printed["auto_offset_reset"] == "none"
    written = json.loads(out.read_text("utf-8"))
    assert written.pop("unknown_lags") == {"cli-orders": [3]}
    assert {**written, "taken_at": "", "auto_offset_reset": "none"} == {**printed, "taken_at": ""}


def test_groups(run: Callable[..., Any], live: tuple[str, ...], broker: Broker) -> None:
    commit(admin_of(broker.bootstrap), "cli-left", {TOPIC: [5, 3, 205, 305]})
    argv = ["groups", "--bootstrap-server", broker.bootstrap, "--groups", "cli-l(ive|eft)"]
    done = run(*argv)
    assert (done.status, done.err) == (0, f"equilag: 1 partition with {NO_COMMIT}\n")
    heading, blank, _, *rows, _, then, command = done.out.splitlines()
    assert (heading, blank) == ("2 groups, total lag 402", "")
    assert then == "Plan the most uneven group:"
    planned = f"equilag plan --bootstrap-server {broker.bootstrap} --group cli-live"
    assert command == f"  {planned}"
    assert [row.split() for row in rows] == [
        ["cli-live", "Stable", "classic", "2", "4", "300", "100", "66.7", "%"],
        ["cli-left", "Empty", "classic", "0", "4", "102", "-", "-"],
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


def test_a_group_that_is_not_there(run: Callable[..., Any], broker: Broker, tmp_path: Path) -> None:
    argv = ["--bootstrap-server", broker.bootstrap, "--group", "cli-nobody"]
    for command in ("plan", "snapshot"):
        done = run(command, *argv, "--out", tmp_path / "p.json")
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        start = f"equilag: {broker.bootstrap}: --group: there is no group 'cli-nobody' "
        assert done.err.startswith(start)
    assert not list(tmp_path.iterdir())


def test_rights(
    run: Callable[..., Any],
    live: tuple[str, ...],
    broker: Broker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Missing, then given, with a file as Kafka's own tools take it."""
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
    assert run("groups", *login).out.startswith("1 group, total lag 300\n")
    monkeypatch.setattr("equilag.adapters.kafka.cluster.WAIT_S", 1.5)
    properties.write_text(login_properties("cli-reader", "wrong"), "utf-8")
    wrong = run(*argv)
    assert (wrong.status, wrong.out, wrong.err.count("\n")) == (2, "", 1)
    assert wrong.err.startswith(f"equilag: {broker.sasl}: ")
    assert "uthentication failed" in wrong.err


def test_the_examples_of_the_pages_run_on_a_live_group(
    broker: Broker,
    live: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = 0
    for page in ("docs/first-plan.md", "docs/guide.md", "docs/live.md"):
        text = (CHECKOUT / page).read_text("utf-8")
        for argv in broker_commands(text, broker.bootstrap, "cli-live"):
            assert main(argv) == 0, argv
            ran += 1
    assert ran > 5
