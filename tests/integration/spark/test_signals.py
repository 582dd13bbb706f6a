"""Signals and capacities on Spark against plain oracles: hundreds of tiny groups, in one table."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from support import fleet_oracle as oracle
from support.made_offsets import AT, HeldHistory, Row, random_history, random_rows, read_tables

from equilag.adapters.measuring.offset_samples import member_samples
from equilag.adapters.measuring.speeds import BacklogWindows, Capacity, capacity_of, windows_of
from equilag.domain.group.lag import lag_list
from equilag.pipeline.sources.measured_capacities import capacities_of, holders_of
from equilag.pipeline.sources.signals import (
    FAULTS,
    STATES,
    WEIGHTS,
    Span,
    rounds_of,
    signals_of,
    times_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.spark]

GROUPS: Final = 200
WHOLE: Final = Span(AT, window=3_600_000, horizon=3_000)
SHORT: Final = Span(AT, window=4_000, horizon=2_000)
EARLIER: Final = Span(AT - 60_000, window=200_000, horizon=60_000)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return random_rows(GROUPS, seed=1)


@pytest.fixture(scope="module")
def offsets(
    spark: SparkSession, rows: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DataFrame]:
    (table,) = read_tables(spark, tmp_path_factory.mktemp("signals"), {"offsets": rows})
    yield table.persist()
    table.unpersist()


def key_of(row: Row) -> oracle.Key:
    return row["group"], row["topic"], row["partition"]


@pytest.mark.parametrize("at", [AT, AT - 60_000, 5])
def test_rounds_against_the_oracle(
    spark: SparkSession, offsets: DataFrame, rows: list[Row], at: int
) -> None:
    found = {
        row["group"]: row.asDict()
        for row in rounds_of(spark, times_of(spark, offsets), at).collect()
    }
    expected = {group: {"group": group, **row} for group, row in oracle.rounds(rows, at).items()}
    assert found.keys() == expected.keys()
    assert None in found
    for group, row in expected.items():
        assert found[group] == row


@pytest.mark.parametrize(
    ("span", "reset"),
    [(WHOLE, "earliest"), (SHORT, "none"), (EARLIER, "latest")],
    ids=["whole-earliest", "short-none", "earlier"],
)
def test_signals_and_weights_against_the_oracle(
    spark: SparkSession, offsets: DataFrame, rows: list[Row], span: Span, reset: str
) -> None:
    rounds = rounds_of(spark, times_of(spark, offsets), span.at)
    signals = signals_of(spark, offsets, rounds, span, reset)
    weighed = (f"{sql} AS weight_{name}" for name, sql in WEIGHTS.items())
    table = signals.selectExpr("*", *weighed).collect()
    found = {key_of(row.asDict()): {name: row[name] for name in signals.columns} for row in table}
    assert len(table) == len(found)
    expected = oracle.signals(rows, span, reset)
    assert oracle.differences(found, expected) == []
    committed, start, end = (
        [row[name] for row in table] for name in ("committed", "log_start", "log_end")
    )
    assert [row["lag"] for row in table] == lag_list(committed, start, end, reset)
    biggest = max(check_weights(row, expected[key_of(row.asDict())]) for row in table)
    # More than any count of records can be, and still no failed job.
    assert biggest > 2**63 or span is not WHOLE


def check_weights(row: Any, of: dict[str, Any]) -> float:
    """The largest weight of a row as it is exactly."""
    records = of["log_end"] - of["log_start"]
    exact = {
        "lag": of["lag"],
        "rate": (of["produce_per_s"] or 0) * 3600,
        "forecast": of["lag"] if of["forecast"] is None else of["forecast"],
        "bytes": of["lag"] * of["log_bytes"] / records if of["log_bytes"] and records else 0,
    }
    for name, value in exact.items():
        got = row[f"weight_{name}"]
        assert isinstance(got, int)
        # Rounded; a forecast besides is a difference of what may be much larger.
        off = 1 + 1e-10 * of["log_end"]
        assert math.isclose(got, min(value, 2**62), rel_tol=1e-9, abs_tol=off), (name, row)
    return max(exact.values())


def test_the_random_groups_have_everything(rows: list[Row]) -> None:
    """Or the comparison would say little."""
    signals = oracle.signals(rows, WHOLE, "latest")
    for name in FAULTS:
        assert sum(row[name] > 0 for row in signals.values()) >= 10, name
    for name in STATES:
        shares = sum(row[name] for row in signals.values()) / len(signals)
        assert 0.02 < shares < 0.9, name
    for name in ("produce_per_s", "consume_per_s", "forecast", "tested", "kept", "log_bytes"):
        missing = sum(row[name] is None for row in signals.values()) / len(signals)
        assert 0.02 < missing < 0.9, name
    groups = oracle.rounds(rows, AT)
    for name in ("invalid", "after_at"):
        assert sum(row[name] > 0 for row in groups.values()) >= 10, name
    assert sum(row["rounds"] == 1 for row in groups.values()) >= 10
    assert sum(row["rounds"] == 0 for row in groups.values()) >= 3
    assert any(row["interval_ms"] != round(row["interval_ms"] or 0) for row in groups.values())
    assert max(row["lag"] for row in signals.values()) > 2**60
    assert any(row["forecast"] == 0 for row in signals.values())


def test_signals_of_nothing(spark: SparkSession, offsets: DataFrame) -> None:
    span = Span(-1, window=1, horizon=1)
    assert signals_of(
        spark, offsets, rounds_of(spark, times_of(spark, offsets), -1), span
    ).isEmpty()


# Capacities out of random histories: who held what, as the samples were made.


@pytest.mark.parametrize("groups", [20, pytest.param(150, marks=pytest.mark.long)])
def test_capacities_are_those_of_the_plain_code(
    spark: SparkSession, tmp_path: Path, groups: int
) -> None:
    rng = random.Random(5)
    histories = {f"g{n:03}": random_history(f"g{n:03}", rng) for n in range(groups)}
    offsets = [row for history in histories.values() for row in history.offsets]
    members = [row for history in histories.values() for row in history.members]
    rng.shuffle(offsets)
    members = [{**row, "owned": list(row["owned"].items())} for row in members]
    tables = {"offsets": offsets, "members": members}
    offset_table, member_table = read_tables(spark, tmp_path, tables)
    times = times_of(spark, offset_table)
    signals = signals_of(spark, offset_table, rounds_of(spark, times, AT), WHOLE)
    holders = holders_of(spark, member_table, WHOLE)
    table = capacities_of(spark, offset_table, times, holders, signals, WHOLE)
    known = table.where("capacity IS NOT NULL").collect()
    found = {(row["group"], row["member"]): row for row in known}
    measured = 0
    for group, history in histories.items():
        for member, expected in enumerate(capacities_by_member(history)):
            row = found.pop((group, f"m{member}"), None)
            measured += expected is not None
            if expected is None or row is None:
                assert row is expected, (group, member)
                continue
            figures = row["capacity"], row["error"], row["windows"], row["seconds"]
            assert figures == pytest.approx(expected, rel=1e-9), (group, member)
    assert not found
    assert measured > groups / 4


def capacities_by_member(history: HeldHistory) -> list[Capacity | None]:
    """The capacity of each member, from the samples as they were made."""
    samples = history.samples.ordered()
    sums = member_samples(samples)
    windows = [windows_of(samples.times, sums, spell) for spell in range(samples.n_members)]
    return [
        capacity_of(
            BacklogWindows(
                *map(
                    np.concatenate,
                    zip(
                        *(windows[n] for n, of in enumerate(history.member_of) if of == member),
                        strict=True,
                    ),
                )
            )
        )
        for member in range(1 + max(history.member_of))
    ]
