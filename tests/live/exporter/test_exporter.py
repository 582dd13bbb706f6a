"""The exporter: what it keeps of groups, its pages, and what it says when nothing answers."""

from __future__ import annotations

import json
import logging
import re
import time
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as metrics
from support.exported_groups import Cluster, exporter_of, reading

from equilag.adapters.kafka.reading import Reading
from equilag.domain.errors import EquilagError
from equilag.live.exporter import exporter as exporter_module
from equilag.live.exporter.group_scaler import GroupScaler
from equilag.live.exporter.watched_group import WatchedGroup
from equilag.live.status.http_server import Answer, PageRequest
from equilag.live.status.served_pages import STALE_S, exporter_pages
from equilag.planner.sizes.scaling import ScaleSettings

RATE = 150
"""Records per second of each of four partitions; members read 1,000 each."""


class Scene:
    """An exporter of a cluster, at times that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.cluster = 1_000.0, Cluster()
        self.exporter = exporter_of(self.cluster, 1_000.0)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)

    def rounds(self, *names: str, n: int = 4) -> None:
        """Read groups n times, 15 s apart, in which all that is produced is read."""
        for _ in range(n):
            end = int((self.now + 15) * RATE)
            groups = [reading(name, [end] * 4, [end - 30] * 4) for name in names]
            self.round(groups)

    def round(self, groups: list[Reading], n: int = 1) -> None:
        self.cluster.groups = groups
        for _ in range(n):
            self.now += 15
            self.exporter.round()

    def page(self, path: str, name: str = "", accept: str = "") -> Answer:
        return exporter_pages(self.exporter)[path](PageRequest(name, accept))

    def scale(self) -> Any:
        return json.loads(self.page("/scale/", "orders").body)

    def series(self) -> dict[tuple[str, str], float]:
        """Metric and group -> value."""
        text = self.page("/metrics").body.decode()
        return {
            (one.name, one.labels.get("group", "")): one.value
            for family in metrics(text)
            for one in family.samples
        }

    def ages(self) -> list[float]:
        """Of the reading and the sizes."""
        answer = self.exporter.answer("orders")
        assert answer is not None
        document = answer.scale_document()
        return [document["age_s"], document["sized_age_s"]]


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(monkeypatch)


def test_each_group_has_its_figures(scene: Scene) -> None:
    scene.rounds("orders", "audit")
    found = scene.series()
    assert found["equilag_group_members", "orders"] == 2
    assert found["equilag_group_rate_total", "audit"] == pytest.approx(4 * RATE)
    assert found["equilag_group_lag_total", "orders"] == 120
    assert found["equilag_group_behind_seconds", "orders"] == pytest.approx(0.2)
    assert found["equilag_group_members_needed", "orders"] == 1
    assert found["equilag_group_replicas", "orders"] == 2  # a restart ends no process
    assert found["equilag_group_members_next", "orders"] == 4
    assert found["equilag_group_short", "orders"] == 0
    assert found["equilag_group_hottest_percent", "orders"] == 25
    assert found["equilag_group_age_seconds", "orders"] == 0
    assert found["equilag_exporter_groups", ""] == 2
    assert found["equilag_exporter_up", ""] == 1


def test_no_label_holds_a_member(scene: Scene) -> None:
    scene.rounds("orders")
    assert "orders-1" not in scene.page("/metrics").body.decode()


def test_openmetrics_is_written_for_those_that_accept_it(scene: Scene) -> None:
    scene.rounds('odd"group\n')
    found = scene.page("/metrics", accept="application/openmetrics-text; version=1.0.0")
    assert found.kind.startswith("application/openmetrics-text")
    families = [*openmetrics(found.body.decode())]
    assert {sample.labels.get("group") for one in families for sample in one.samples} == {
        None, 'odd"group\n',
    }  # fmt: skip
    broken = scene.page("/metrics", accept="application/openmetrics-text; version=x")
    assert broken.kind.startswith("text/plain")


def test_series_of_a_group_that_is_gone_leave_within_two_rounds(scene: Scene) -> None:
    scene.rounds("orders", "audit")
    scene.rounds("audit", n=1)
    assert ("equilag_group_members", "orders") in scene.series()
    scene.rounds("audit", n=1)
    assert {group for _, group in scene.series()} == {"", "audit"}


def test_a_group_that_cannot_be_read_keeps_its_answer_with_its_age(scene: Scene) -> None:
    scene.rounds("orders")
    scene.cluster.left_out = {"orders": "it rebalances"}
    scene.round([], 5)
    found = scene.series()
    assert found["equilag_group_age_seconds", "orders"] == 75
    assert found["equilag_exporter_left_out", ""] == 1


def test_log_ends_that_are_away_once_do_not_make_the_lag_nothing(scene: Scene) -> None:
    scene.rounds("orders")
    for lag, age in ((120, 15), (0, 0)):
        lost = reading("orders", [9] * 4, [9] * 4)
        lost.offsets.log_end["t"] = [None] * 4
        lost.offsets.unknown["t"] = [*range(4)]
        scene.round([lost])
        found = scene.series()
        assert found["equilag_group_lag_total", "orders"] == lag
        assert found["equilag_group_age_seconds", "orders"] == age


def test_how_many_processes(scene: Scene) -> None:
    assert scene.page("/scale/", "orders").code == 404
    scene.rounds("orders")
    found = scene.page("/scale/", "orders")
    answer = json.loads(found.body)
    assert found.code == 200
    assert (answer["replicas"], answer["need"], answer["helps"]) == (2, 1, [1, 2, 4])
    assert "1 keeps up with 600 records/s and 20 % more" in answer["reason"]
    assert "2 were needed in the last 300 s" in answer["reason"]
    assert answer["age_s"] == 0
    scene.rounds("orders", n=25)
    assert scene.scale()["replicas"] == 1
    scene.now += STALE_S + 1
    stale = scene.page("/scale/", "orders")
    assert (stale.code, json.loads(stale.body)["age_s"]) == (503, STALE_S + 1)


def test_without_speeds_nothing_is_scaled(scene: Scene) -> None:
    scene.exporter = exporter_of(scene.cluster, None)
    scene.rounds("orders")
    answer = scene.scale()
    assert (answer["replicas"], answer["need"]) == (2, None)
    assert "not known yet" in answer["reason"]


def test_a_cluster_that_goes_and_comes_back(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    assert scene.page("/readyz").code == 503
    scene.rounds("orders")
    assert scene.page("/readyz").code == 200
    scene.cluster.error = EquilagError("no broker answers")
    before = scene.ages()
    scene.round([], 9)
    assert scene.ages() == [age + 135 for age in before]
    assert scene.page("/readyz").body == b"no broker answers\n"
    assert (scene.page("/readyz").code, scene.page("/healthz").code) == (503, 200)
    found = scene.series()
    assert found["equilag_exporter_up", ""] == 0
    assert found["equilag_exporter_failed_rounds", ""] == 9
    assert found["equilag_group_age_seconds", "orders"] == 135
    scene.cluster.error = None
    scene.rounds("orders", n=1)
    assert scene.series()["equilag_exporter_up", ""] == 1
    assert scene.page("/readyz").code == 200
    events = [one.getMessage() for one in caplog.records]
    assert events.count("cannot-read-groups") <= 1


def test_rounds_take_a_bounded_share_of_a_core(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = iter([0.0, *[3.0] * 20])
    monkeypatch.setattr(exporter_module.time, "thread_time", lambda: next(used))
    assert scene.exporter.round() == pytest.approx(75)


def test_groups_are_sized_as_time_allows_and_first_those_that_are_asked_for(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"g{number}" for number in range(4)]
    monkeypatch.setattr(exporter_module.time, "thread_time", lambda: 0.0)
    monkeypatch.setattr(exporter_module, "CORE_SHARE", -1.0)  # time for one group in a round
    scene.rounds("g3", n=1)
    scene.exporter.answer("g3")
    sized = []
    for _ in range(3):
        scene.rounds(*names, n=1)
        scene.exporter.answer("g1")
        answers = scene.exporter.answers()
        assert len(answers) == len(names)
        sized.append({one.group for one in answers if one.scale is not None})
    assert [len(one) for one in sized] == [1, 2, 3]
    assert sized[1] - sized[0] == {"g1"}


def test_one_group_that_cannot_be_judged_does_not_end_the_others(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = WatchedGroup.add

    def fails(watched: WatchedGroup, read: Reading, at: float) -> None:
        if read.group == "bad":
            raise RuntimeError("a mistake")
        add(watched, read, at)

    monkeypatch.setattr(WatchedGroup, "add", fails)
    scene.rounds("bad", "good")
    assert [one.group for one in scene.exporter.answers()] == ["good"]


def test_limits_of_one_group_that_contradict_leave_it_out_and_the_log_says_so_once(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    made = scene.exporter.scaler

    def scaler(group: str) -> GroupScaler:
        return GroupScaler(ScaleSettings(least=3, most=2)) if group == "bad" else made(group)

    scene.exporter.scaler = scaler
    with caplog.at_level(logging.WARNING, "equilag"):
        scene.rounds("bad", "good")
    assert [one.group for one in scene.exporter.answers()] == ["good"]
    assert scene.exporter.facts.left_out == 1
    assert len(caplog.records) == 1


def test_no_group_at_all_is_logged_once(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "equilag"):
        scene.rounds()
        scene.rounds("orders")
        assert [one.getMessage() for one in caplog.records] == ["no-groups"]
    assert scene.exporter.facts.up


def test_every_metric_is_documented(scene: Scene) -> None:
    scene.rounds("orders")
    text = scene.page("/metrics").body.decode()
    for name in re.findall(r"^# TYPE (\w+)", text, re.MULTILINE):
        assert re.search(rf"^# HELP {name} \S", text, re.MULTILINE), name
