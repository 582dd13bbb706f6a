"""Rounds of a recording, with a cluster and a recording of it that are given."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("kafka")
pytest.importorskip("pyarrow")
import pyarrow.parquet as parquet
from support.prometheus_stub import NOW, Stub, lag_exporter, prometheus

from equilag.adapters.kafka.described import NoAnswer
from equilag.adapters.kafka.sample import MEMBERS, OFFSETS, Sample
from equilag.adapters.prometheus.series import read_metrics_text
from equilag.adapters.prometheus.server import PrometheusServer
from equilag.domain.errors import InputError
from equilag.pipeline.results.rounds import Rounds, record_metrics


def sample(**fields: Any) -> Sample:
    return Sample(0, {name: [] for name in OFFSETS}, {"group": []}, **fields)


class Cluster:
    """A cluster and a recording of it: it answers with the next sample, or not at all."""

    def __init__(self, *answers: Sample | str) -> None:
        self.answers = [*answers]
        self.added: list[int] = []

    def round(self) -> Sample:
        found = self.answers.pop(0)
        if isinstance(found, str):
            raise NoAnswer(found)
        return found

    def add(self, ts_ms: int, *_: object) -> None:
        self.added.append(ts_ms)

    def compact(self, now_ms: int) -> None:
        assert now_ms == self.added[-1]


def record(*answers: Sample | str) -> tuple[Rounds, list[str], list[str]]:
    """The rounds, what was remarked, and the lines."""
    cluster: Any = Cluster(*answers)
    remarks: list[str] = []
    rounds = Rounds(0.001, nullcontext, remarks.append)
    first = rounds.sample(cluster)
    lines = [*rounds.go_on(first, cluster, cluster, len(answers))]
    return rounds, [one for one in remarks if "longer than --every" not in one], lines


def test_groups_that_were_left_out_are_named_together_and_once() -> None:
    left_out = {f"g{i}": "no right" for i in range(8)} | {"other": "it is rebalancing"}
    one = sample(left_out=left_out, remarks=["one more"])
    rounds, remarks, lines = record(one, one, sample())
    assert remarks == [
        "left out: g0, g1, g2, g3, g4, … and 3 more: no right",
        "left out: other: it is rebalancing",
        "one more",
        "no groups to record",
    ]
    assert (rounds.recorded, rounds.skipped, len(lines)) == (0, 3, 3)
    assert "0 groups  0 partitions  lag 0" in lines[0]


def test_what_was_recorded() -> None:
    members = {**{key: [None] for key in MEMBERS}, "group": ["g"]}
    offsets = dict(zip(OFFSETS, [[5], ["g"], ["t"], [0], [0], [9], [3], [None]], strict=True))
    one = Sample(5, offsets, members, {"h": "no right"})
    rounds, remarks, lines = record(one, "no broker answers")
    assert remarks == ["left out: h: no right", "round skipped: no broker answers"]
    assert "1 group  1 partition  lag 6" in lines[0]
    assert rounds.document() == {
        "rounds": {"recorded": 1, "skipped": 1}, "first_ms": 5, "last_ms": 5, "groups": 1,
        "partitions": 1, "lag": 6, "left_out": {"h": "no right"},
    }  # fmt: skip


# Out of metrics, as a fleet reads it.

TIMES = [NOW - 30, NOW - 15, NOW]
ENDS = [[100, 50], [160, 60], [220, 70]]
COMMITS = [[10, 20], [40, 25], [70, 30]]


@pytest.mark.parametrize("last", ["ab", "bb"])
def test_a_round_for_each_scrape(tmp_path: Path, last: str) -> None:
    """After a rebalance only the last owners are known."""
    before = lag_exporter(ENDS[:2], COMMITS[:2], ["a", "b"], TIMES[:2])
    after = lag_exporter(ENDS[2:], COMMITS[2:], [*last], TIMES[2:])
    with prometheus(Stub([*before, *after])) as url:
        record_metrics(PrometheusServer(url).read(NOW, 60.0), str(tmp_path))
    offsets, members = (
        parquet.read_table(tmp_path / table).to_pylist() for table in ("offsets", "members")
    )
    assert {
        (row["ts_ms"], row["partition"], row["log_end"], row["committed"]) for row in offsets
    } == {
        (round(1000 * at), number, ENDS[n][number], COMMITS[n][number])
        for n, at in enumerate(TIMES)
        for number in range(2)
    }
    owners = [["a", "b"] if last == "ab" else [None]] * 2 + [sorted({*last})]
    assert sorted((row["ts_ms"], str(row["member"])) for row in members) == [
        (round(1000 * at), str(one))
        for at, names in zip(TIMES, owners, strict=True)
        for one in names
    ]


def test_metrics_without_owners_are_refused(tmp_path: Path) -> None:
    text = 'kafka_consumergroup_lag{consumergroup="g",topic="t",partition="0"} 1\n'
    with pytest.raises(InputError, match="kafka_exporter, which does not say who reads what"):
        record_metrics(read_metrics_text(text, "m.txt"), str(tmp_path / "h"))
