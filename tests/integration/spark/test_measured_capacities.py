"""Capacities out of random histories: who held what, as the samples were made."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import pytest
from support.made_offsets import AT, HeldHistory, random_history, read_tables

from equilag.adapters.measuring.offset_samples import member_samples
from equilag.adapters.measuring.speeds import BacklogWindows, Capacity, capacity_of, windows_of
from equilag.pipeline.sources.measured_capacities import capacities_of, holders_of
from equilag.pipeline.sources.signals import Span, rounds_of, signals_of, times_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark]

SPAN: Final = Span(AT, window=3_600_000, horizon=3_000)


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
    signals = signals_of(spark, offset_table, rounds_of(spark, times, AT), SPAN)
    holders = holders_of(spark, member_table, SPAN)
    table = capacities_of(spark, offset_table, times, holders, signals, SPAN)
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
