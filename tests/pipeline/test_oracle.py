"""The oracle, on cases computed by hand, without Spark."""

from __future__ import annotations

from fractions import Fraction

from support.fleet_oracle import Row, differences, signals

from equilag.pipeline.sources.signals import Span


def sample(ts_s: int, end: int, committed: int) -> Row:
    return {
        "ts_ms": ts_s * 1000, "group": "g", "topic": "t", "partition": 0, "log_start": 0,
        "log_end": end, "committed": committed, "log_bytes": None,
    }  # fmt: skip


def test_differences_are_found() -> None:
    rows = [sample(80, 100, 50), sample(90, 200, 100), sample(100, 400, 120)]
    right = signals(rows, Span(at=100_000, window=100_000, horizon=10_000), "latest")
    (key,) = right
    names = {"group": "g", "topic": "t", "partition": 0}
    as_read = {name: float(v) if isinstance(v, Fraction) else v for name, v in right[key].items()}
    good = {**names, **as_read}
    assert differences({key: good}, right) == []
    assert len(differences({}, right)) == 1
    assert len(differences({key: {**good, "more": 1}}, right)) == 1
    for name, value in as_read.items():
        wrong = None if value is not None else 1
        assert len(differences({key: {**good, name: wrong}}, right)) == 1, name
        if isinstance(value, float):
            assert len(differences({key: {**good, name: value * (1 + 1e-6)}}, right)) == 1, name
