"""Rounds of a recording, with a cluster and a recording of it that are given."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest

pytest.importorskip("kafka")
from equilag.adapters.kafka.cluster import NoAnswer
from equilag.adapters.kafka.sample import MEMBERS, OFFSETS, Sample
from equilag.pipeline.results.rounds import Rounds


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
