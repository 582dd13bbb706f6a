"""The oracle, on cases computed by hand, without Spark."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest
from support.fleet_oracle import Row, differences, is_usable, lag_of, rate, rounds, signals

from equilag.pipeline.sources.signals import Span

WIDE: Final = Span(at=100_000, window=100_000, horizon=10_000)


def sample(ts_s: float, end: int | None = 100, committed: int | None = 90, **other: Any) -> Row:
    """A row of partition 0; the time in seconds."""
    return {
        "ts_ms": round(ts_s * 1000), "group": "g", "topic": "t", "partition": 0, "log_start": 0,
        "log_end": end, "committed": committed, "log_bytes": None, **other,
    }  # fmt: skip


def only(rows: list[Row], span: Span = WIDE, reset: str = "latest") -> Row:
    """The signals of partition 0 of topic t of group g."""
    return signals(rows, span, reset)["g", "t", 0]


@pytest.mark.parametrize(
    "change",
    [
        {"group": None}, {"topic": None}, {"ts_ms": None}, {"ts_ms": -1},
        {"ts_ms": 253402300800000}, {"partition": None}, {"partition": -1}, {"partition": 10**7},
        {"log_start": None}, {"log_start": -1}, {"log_start": 101}, {"log_end": None},
        {"log_end": -1}, {"log_end": 2**62}, {"committed": -2}, {"committed": 2**62},
        {"log_bytes": -1},
    ],
    ids=str,
)  # fmt: skip
def test_rows_that_make_no_sense(change: Row) -> None:
    assert is_usable(sample(1))
    assert not is_usable({**sample(1), **change})


@pytest.mark.parametrize(
    "change",
    [
        {"ts_ms": 0}, {"ts_ms": 253402300799999}, {"partition": 10**7 - 1}, {"log_start": 100},
        {"log_end": 2**62 - 1}, {"committed": -1}, {"committed": None}, {"committed": 2**62 - 1},
        {"log_bytes": 0}, {"log_end": 0},
    ],
    ids=str,
)  # fmt: skip
def test_rows_at_the_edge_of_sense(change: Row) -> None:
    assert is_usable({**sample(1), **change})


def test_rounds_are_times_at_which_half_was_sampled() -> None:
    fourth = [sample(ts, partition=n) for ts in (10, 20, 40) for n in range(4)]
    rows = [*fourth, sample(25), sample(50), sample(50, partition=1), sample(110, partition=2)]
    rows += [sample(60, end=None), {**sample(60), "group": None}]
    found = rounds(rows, 100_000)
    assert found["g"] == {
        "rounds": 4, "interval_ms": 10_000.0, "first_ms": 10_000, "last_ms": 50_000,
        "partitions_sampled": 4, "samples": 15, "invalid": 1, "after_at": 1,
    }  # fmt: skip
    assert found[None]["invalid"] == 1
    assert found[None]["rounds"] == found[None]["samples"] == found[None]["after_at"] == 0
    assert found[None]["first_ms"] is found[None]["last_ms"] is found[None]["interval_ms"] is None


def test_the_interval_is_the_median_step() -> None:
    rows = [sample(ts) for ts in (10, 20, 50, 51)]
    assert rounds(rows, 100_000)["g"]["interval_ms"] == 10_000
    assert rounds(rows[:3], 100_000)["g"]["interval_ms"] == 20_000
    assert rounds(rows[:1], 100_000)["g"]["interval_ms"] is None


@pytest.mark.parametrize(
    ("committed", "reset", "lag"),
    [(90, "latest", 10), (100, "latest", 0), (120, "latest", 0), (10, "latest", 60),
     (None, "latest", 0), (None, "earliest", 60), (None, "none", 60)],
)  # fmt: skip
def test_lag(committed: int | None, reset: str, lag: int) -> None:
    assert lag_of(sample(1, 100, committed, log_start=40), reset) == lag


def test_rates_count_steps_within_the_window_that_go_forwards() -> None:
    # Steps of log_end: 100 in 10 s, 20 backwards, 50 in 20 s, none at all in 0 s, 60 in 10 s.
    ends = [(10, 0), (20, 100), (30, 80), (50, 130), (50, 150), (60, 210)]
    rows = [sample(ts, end) for ts, end in ends]
    assert rate(rows, "log_end", 0, 100_000) == Fraction(100 + 50 + 60, 40)
    assert rate(rows, "log_end", 10_000, 60_000) == Fraction(210, 40)
    assert rate(rows, "log_end", 10_001, 60_000) == Fraction(110, 30)
    assert rate(rows, "log_end", 10_000, 59_999) == Fraction(150, 30)
    assert rate(rows, "log_end", 55_000, 60_000) is None
    rows[2]["committed"] = None
    assert rate(rows, "committed", 0, 100_000) == 0
    assert rate(rows, "committed", 15_000, 49_999) is None


def test_forecast_and_backtest() -> None:
    # 10 records in and 5 out per second; then 20 in and 2 out.
    rows = [sample(80, 100, 50), sample(90, 200, 100), sample(100, 400, 120)]
    found = only(rows)
    assert (found["lag"], found["produce_per_s"], found["consume_per_s"]) == (
        280,
        15,
        Fraction(7, 2),
    )
    assert found["lag_s"] == Fraction(280, 15)
    assert found["forecast"] == 280 + 115
    assert (found["kept"], found["tested"]) == (100, 150)
    shrinking = [sample(90, 100, 40), sample(100, 100, 90)]
    assert only(shrinking)["forecast"] == 0
    assert only(shrinking)["lag_s"] is None
    assert (only(shrinking)["kept"], only(shrinking)["tested"]) == (60, None)
    assert only([sample(95), sample(100)])["kept"] is None
    assert only([sample(80), sample(90)])["kept"] is None
    assert only([sample(100, 100, 100)])["lag_s"] == 0


def test_late_and_missing_samples() -> None:
    others = [sample(ts, partition=n) for ts in range(10, 100, 10) for n in (1, 2)]
    found = only([*others, *(sample(ts) for ts in (10, 20, 33, 40, 60, 70))])
    assert (found["late"], found["missing"]) == (1, 1)
    assert found["vanished"]  # so the two rounds after its last are not missing
    found = only([*others, *(sample(ts) for ts in (10, 20, 32, 40, 50, 60, 80))])
    assert (found["late"], found["missing"], found["vanished"]) == (0, 2, False)
    found = only([*others, *(sample(ts) for ts in (10, 90.4))])
    assert (found["late"], found["missing"]) == (0, 7)
    assert only([sample(50)])["missing"] == 0


@pytest.mark.parametrize(("first_s", "appeared"), [(10, False), (25, False), (25.1, True)])
def test_appeared(first_s: float, appeared: bool) -> None:
    others = [sample(ts, partition=n) for ts in range(10, 100, 10) for n in (1, 2, 3)]
    assert only([*others, sample(first_s), sample(90)])["appeared"] is appeared


@pytest.mark.parametrize(("last_s", "vanished"), [(90, False), (75, False), (74.9, True)])
def test_vanished(last_s: float, vanished: bool) -> None:
    others = [sample(ts, partition=n) for ts in range(10, 100, 10) for n in (1, 2, 3)]
    assert only([*others, sample(10), sample(last_s)])["vanished"] is vanished


def test_offsets_that_run_backwards_or_out_of_the_log() -> None:
    found = only(
        [
            sample(10, 100, 90),
            sample(10, 100, 90),
            sample(10, 120, 80),  # of the same time, so nothing ran backwards
            sample(20, 110, 79),
            sample(30, 110, None),
            sample(40, 110, 10, log_start=20),
            sample(50, 100, 101),
        ]
    )
    assert found["duplicates"] == 2
    assert found["end_backwards"] == 2
    assert found["commit_backwards"] == 1
    assert (found["ahead_of_end"], found["below_log_start"]) == (1, 1)


def test_the_newest_sample_is_what_counts() -> None:
    rows = [sample(20, 200, 150), sample(10), sample(20, 200, None), sample(20, 190, 180)]
    found = only([*rows, sample(101, 300, 300)])
    assert (found["ts_ms"], found["log_end"], found["committed"]) == (20_000, 200, 150)
    assert (found["samples"], found["duplicates"]) == (4, 2)
    assert found["no_commit"] is False
    assert only([sample(10), sample(20, committed=-1)])["no_commit"] is True
    assert only([sample(10), sample(20, committed=-1)])["no_rate"] is True


def test_differences_are_found() -> None:
    rows = [sample(80, 100, 50), sample(90, 200, 100), sample(100, 400, 120)]
    key = ("g", "t", 0)
    right = {key: only(rows)}
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
