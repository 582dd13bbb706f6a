"""A steward that leads a real group: page, `/status`, `/metrics` and `--status` say the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families
from support.kafka_broker import Broker
from support.live_topics import admin_of, commit, fill, make_topic
from support.steward_scene import Scene

from equilag.cli import main

pytestmark = [pytest.mark.broker, pytest.mark.long]

TOPIC = "shown"
LAGS = (100_000, 60_000, 50_000)


def text_at(port: int, path: str) -> str:
    with urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        text: str = answer.read().decode()
        return text


def metrics_at(port: int) -> dict[str, Any]:
    """Name -> value of each gauge without labels."""
    families = text_string_to_metric_families(text_at(port, "/metrics"))
    return {
        one.name.removeprefix("equilag_steward_"): one.value
        for family in families
        for one in family.samples
        if not one.labels
    }


def test_all_outputs_say_the_same(
    scene: Callable[[], Scene], broker: Broker, capsys: pytest.CaptureFixture[str]
) -> None:
    here = scene()
    admin = admin_of(broker.bootstrap)
    make_topic(admin, TOPIC, len(LAGS))
    fill(broker.bootstrap, TOPIC, LAGS)
    commit(admin, here.group, {TOPIC: [0, 0, 0]})
    steward = here.steward("--weight", "lag")
    steward.has("leader")
    for number in range(2):
        here.member(f"rd-{number}", TOPIC, "range")
    here.ends_with([{(TOPIC, 0)}, {(TOPIC, 1), (TOPIC, 2)}])
    steward.wait_for(lambda status: status["decision"] == "even" and status["lag_spread"] == 10_000)
    status = steward.status()
    assert status["healthy"]
    assert status["headline"].startswith("Leave it: the load is even; the heaviest member has 105 ")
    assert [(one["name"], one["partitions"], one["lag"]) for one in status["by_member"]] == [
        (status["by_member"][0]["name"], 2, 110_000),
        (status["by_member"][1]["name"], 1, 100_000),
    ]
    assert {one["name"] for one in status["by_member"]} == {"rd-0", "rd-1"}
    shown = metrics_at(steward.port)
    same = ("lag_total", "lag_spread", "heaviest_percent", "members", "partitions", "moves_left")
    assert {name: shown[name] for name in same} == {name: status[name] for name in same}
    assert shown["healthy"] == 1
    page = text_at(steward.port, "/")
    parts = text_at(steward.port, "/parts")
    listen = f"127.0.0.1:{steward.port}"
    assert main(["steward", "--status", "--listen", listen]) == 0
    screen = capsys.readouterr().out
    for text in (page, parts, screen):
        plain = " ".join(re.sub(r"<[^>]+>", " ", text).split())
        assert status["headline"] in plain
        assert "210,000" in plain
        assert "rd-0" in plain
        assert "handed-out" in plain
