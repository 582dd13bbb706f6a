"""A history out of metrics, as a fleet reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
import pyarrow.parquet as parquet
from support.prometheus_stub import NOW, Stub, lag_exporter, prometheus

from equilag.adapters.prometheus.metrics_text import read_metrics_text
from equilag.adapters.prometheus.server import PrometheusServer
from equilag.domain.errors import InputError
from equilag.pipeline.results.record_metrics import record_metrics

TIMES = [NOW - 30, NOW - 15, NOW]
ENDS = [[100, 50], [160, 60], [220, 70]]
COMMITS = [[10, 20], [40, 25], [70, 30]]


def test_a_round_for_each_scrape(tmp_path: Path) -> None:
    with prometheus(Stub(lag_exporter(ENDS, COMMITS, ["a", "b"], TIMES))) as url:
        record_metrics(PrometheusServer(url).read(NOW, 60.0), str(tmp_path / "h"))
    rows = parquet.read_table(tmp_path / "h" / "offsets").to_pylist()
    found = {(row["ts_ms"], row["partition"]): (row["log_end"], row["committed"]) for row in rows}
    assert found == {
        (round(1000 * at), number): (ENDS[n][number], COMMITS[n][number])
        for n, at in enumerate(TIMES)
        for number in range(2)
    }
    members = parquet.read_table(tmp_path / "h" / "members").to_pylist()
    assert {(row["ts_ms"], row["member"]) for row in members} == {
        (round(1000 * at), member) for at in TIMES for member in "ab"
    }


def test_after_a_rebalance_only_the_last_owners_are_known(tmp_path: Path) -> None:
    before = lag_exporter(ENDS[:2], COMMITS[:2], ["a", "b"], TIMES[:2])
    after = lag_exporter(ENDS[2:], COMMITS[2:], ["b", "b"], TIMES[2:])
    with prometheus(Stub([*before, *after])) as url:
        record_metrics(PrometheusServer(url).read(NOW, 60.0), str(tmp_path / "h"))
    members = parquet.read_table(tmp_path / "h" / "members").to_pylist()
    assert [(row["ts_ms"], row["member"]) for row in members] == [
        (round(1000 * TIMES[0]), None), (round(1000 * TIMES[1]), None),
        (round(1000 * TIMES[2]), "b"),
    ]  # fmt: skip


def test_metrics_without_owners_are_refused(tmp_path: Path) -> None:
    text = 'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="0"} 1\n'
    with pytest.raises(InputError, match="kafka_exporter, which does not say who reads what"):
        record_metrics(read_metrics_text(text, "m.txt"), str(tmp_path / "h"))
