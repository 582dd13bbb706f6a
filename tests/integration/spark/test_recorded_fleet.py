"""A recorded history of a real cluster is planned as the cluster itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pyspark")
pytest.importorskip("confluent_kafka")

from support.kafka_broker import Broker
from support.live_scene import EMPTY, LATER, LIVE, PARTITIONS, UNCOMMITTED, Scene, made_scene
from support.made_fleets import Row, live_options, options, read_table

from equilag.pipeline.job import run_fleet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [
    pytest.mark.spark,
    pytest.mark.broker,
    pytest.mark.long,
]


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scene") / "history"


@pytest.fixture(scope="module")
def scene(cluster: Broker, history: Path) -> Iterator[Scene]:
    with made_scene(cluster.bootstrap, history) as made:
        yield made


@pytest.fixture(scope="module")
def live(scene: Scene, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("live") / "run"
    run_fleet(live_options(scene.bootstrap, out))
    return out


@pytest.fixture(scope="module")
def recorded(
    scene: Scene, history: Path, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    out = tmp_path_factory.mktemp("recorded") / "run"
    run_fleet(options(history, out, tasks=2, weight="lag", racks=(str(history / "racks"),)))
    return out


def of_group(rows: list[Row], group: str) -> list[Row]:
    return [row for row in rows if row["group"] == group]


def test_a_recorded_history_gives_the_same(live: Path, recorded: Path) -> None:
    def problems(folder: Path) -> dict[str, Any]:
        rows = {row["group"]: row for row in read_table(folder, "problems")}
        return {
            group: (
                row["state"],
                # Only a history tells rates, which a run by lag does not use.
                [{**topic, "rates": None} for topic in row["topics"]],
                # Classic groups do not tell their generation to those who ask from outside.
                [{**member, "generation": None} for member in row["members"]],
            )
            for group, row in rows.items()
        }

    now, later = problems(live), problems(recorded)
    assert now.keys() == LIVE.keys() | EMPTY
    assert now == later
    assert read_table(live, "assignment") == read_table(recorded, "assignment")


def test_rates_and_forecasts_of_a_recorded_history(
    scene: Scene, history: Path, spark: SparkSession, tmp_path: Path
) -> None:
    horizon = 60_000
    chosen = options(history, tmp_path / "run", tasks=2, weight="forecast", horizon=horizon)
    run_fleet(chosen)
    offsets = read_table(history, "offsets")
    signals, rows = (read_table(tmp_path / "run", table) for table in ("signals", "assignment"))
    for group in LIVE:
        times = sorted({row["ts_ms"] for row in of_group(offsets, group)})
        assert len(times) >= 3
        per_s = {tp: count * 1000 / (times[-1] - times[0]) for tp, count in LATER.items()}
        shown = {(r["topic"], r["partition"]): r for r in of_group(signals, group)}
        assert {tp: row["produce_per_s"] for tp, row in shown.items()} == pytest.approx(per_s)
        # Nothing was committed meanwhile; without any commit no rate is known to forecast with.
        assert {row["consume_per_s"] for row in shown.values()} == {0.0, None}
        lags = scene.lags(group)
        expected = {
            tp: lags[tp] + (0 if tp == UNCOMMITTED else per_s[tp] * horizon / 1000)
            for tp in PARTITIONS
        }
        weights = {(r["topic"], r["partition"]): r["weight"] for r in of_group(rows, group)}
        assert weights == pytest.approx(expected, abs=0.6)
