"""`equilag fleet` on a real cluster: what is read, planned and recorded is what its members say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from support.kafka_broker import running_broker
from support.live_scene import EMPTY, LIVE, PARTITIONS, SHARE, Scene, made_scene, seen_in
from support.made_fleets import read_table

import equilag
from benchmarks.kafka_broker import Broker
from equilag.cli import main
from equilag.pipeline.results.export import export_group

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker, pytest.mark.long]

REASONS: Final = {
    **dict.fromkeys(EMPTY, ("no_members", "the group was empty")),
    SHARE: ("unreadable", "it is a share group (KIP-932)"),
}
OFFSETS: Final = ("log_start", "log_end", "committed")
GROUPS: Final = len(LIVE) + len(REASONS)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A cluster of its own: what is said of all its groups is about no other test's."""
    yield from running_broker(tmp_path_factory.mktemp("kafka"))


def fleet(bootstrap: str, out: Path, *more: str) -> int:
    return main(["fleet", "--bootstrap-server", bootstrap, "--out", str(out), *more])


def test_a_cluster_without_any_group(
    cluster: Broker, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first test here, as the others make groups."""
    assert fleet(cluster.bootstrap, tmp_path / "run") == 2
    problem = "has no consumer groups, or none that may be described"
    assert capsys.readouterr() == ("", f"equilag: {cluster.bootstrap}: {problem}\n")
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def scene(cluster: Broker) -> Iterator[Scene]:
    with made_scene(cluster.bootstrap) as made:
        yield made


@pytest.fixture(scope="module")
def out(scene: Scene, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a run that read the cluster."""
    out = tmp_path_factory.mktemp("live") / "run"
    argv = ["--tasks", "1", "--effort", "0.02", "--time-limit", "60", "--seed", "3"]
    with redirect_stdout(StringIO()) as shown:
        assert fleet(scene.bootstrap, out, *argv) == 0
    assert f"\n\nFleet of {GROUPS} groups by " in shown.getvalue()
    return out


def test_every_group_is_planned_or_has_a_reason(out: Path) -> None:
    assert {row["group"] for row in read_table(out, "plans")} == set(LIVE)
    rows = read_table(out, "failures")
    failures = {row["group"]: (row["kind"], row["reason"]) for row in rows}
    assert failures == REASONS
    assert len(read_table(out, "plans")) + len(rows) == GROUPS
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["groups"] == GROUPS
    assert summary["failed"]["by_kind"] == {"no_members": len(EMPTY), "unreadable": 1}
    assert summary["source"] == {"remarks": []}
    assert not (out / "_work").exists()


@pytest.mark.parametrize("group", LIVE)
def test_a_group_is_what_its_clients_report(scene: Scene, out: Path, group: str) -> None:
    ends, committed = scene.ends(), scene.committed(group)
    assert list(committed.values()).count(None) == 1
    assert len(set(scene.lags(group).values())) > len(PARTITIONS) / 2
    rows = [row for row in read_table(out, "assignment") if row["group"] == group]
    assert {(r["topic"], r["partition"]): r["weight"] for r in rows} == scene.lags(group)
    assert {(r["topic"], r["partition"]): r["from"] for r in rows} == scene.owners(group)
    snapshot, plan = export_group(str(out), group)
    assert {
        (topic, number): tuple(offsets[name][number] for name in OFFSETS)
        for topic, offsets in snapshot["offsets"].items()
        for number in range(snapshot["topics"][topic])
    } == {tp: (0, ends[tp], committed[tp]) for tp in PARTITIONS}
    given = (
        {"group": group, "member": m["id"], "instance_id": None, **m} for m in snapshot["members"]
    )
    assert seen_in(given, group) == scene.seen(group)
    loaded = equilag.load_snapshot(snapshot)
    assert {member.capacity for member in loaded.members} == {None}
    assert equilag.verify(loaded, json.loads(json.dumps(plan.to_dict()))) == []
