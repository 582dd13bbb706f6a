"""Tiny groups with every kind of fault, at random by seed, as rows of a history.

`random_rows` are of `offsets` alone; `random_history` has members and the samples to measure.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.domain.columns import NOBODY
from equilag.pipeline.results.record import SCHEMAS
from equilag.pipeline.sources.check_history import check_files
from equilag.pipeline.sources.history import TableName, find_files, read_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

AT: Final = 1_000_000_000
"""About when most of the groups were sampled last."""

Row = dict[str, Any]


def random_rows(groups: int, seed: int) -> list[Row]:
    """The rows of all groups, in no order."""
    rng = random.Random(seed)
    rows = [row for number in range(groups) for row in _rows_of_group(f"g{number:03}", rng)]
    rng.shuffle(rows)
    return rows


def _rows_of_group(group: str, rng: random.Random) -> list[Row]:
    n_rounds = rng.randint(1, 8)
    every = rng.choice([1, 7, 1_000, 1_000, 1_000, 1_000, 60_000, 60_000, 400_000])
    # Most end at AT; some before, some go on after it.
    last = AT + rng.choice([0, 0, 0, -1, 1, -every, every, 3 * every, -20 * every])
    times = [last - every * (n_rounds - 1 - n) for n in range(n_rounds)]
    if rng.random() < 0.2:
        times = sorted({ts + rng.choice([0, every // 3, every // 2]) for ts in times})
    rows: list[Row] = []
    for topic in "abc"[: rng.randint(1, 3)]:
        for partition in range(rng.randint(1, 4)):
            rows += _rows_of_partition(group, topic, partition, times, every, rng)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        rows.append(_broken(rng.choice(rows), rng))
    for _ in range(rng.choice([0, 0, 1, 3])):
        rows.append(_doubled(rng.choice(rows), rng))
    return rows


def _rows_of_partition(
    group: str, topic: str, partition: int, times: list[int], every: int, rng: random.Random
) -> list[Row]:
    size = rng.choice([3, 1_000, 10**9, 2**61])
    start = rng.choice([0, 0, rng.randrange(size)])
    end = start + rng.randrange(size)
    committed = rng.randint(start, end)
    faulty = rng.random() < 0.6
    silent = faulty and rng.random() < 0.2
    taken = times
    if faulty and len(times) > 2 and rng.random() < 0.4:
        taken = times[rng.randrange(len(times)) :]
    if faulty and len(taken) > 2 and rng.random() < 0.4:
        taken = taken[: rng.randrange(1, len(taken))]
        if rng.random() < 0.3:  # two rounds before the end, or one and a half
            taken = [*taken[:-1], taken[-1] + every // 2]
    rows = []
    for ts in taken:
        end = min(end + rng.choice([0, 1, rng.randrange(size)]), 2**62 - 1)
        committed = min(end, committed + rng.choice([0, 1, rng.randrange(size)]))
        row = {
            "ts_ms": ts, "group": group, "topic": topic, "partition": partition,
            "log_start": start, "log_end": end, "committed": None if silent else committed,
            "log_bytes": rng.choice([None, 0, rng.randrange(10**12), 2**63 - 1]),
        }  # fmt: skip
        if faulty and not _distort(row, every, rng):
            continue
        start, end = row["log_start"], row["log_end"]
        rows.append(row)
    return rows or [row]


def _distort(row: Row, every: int, rng: random.Random) -> bool:
    """Something may be wrong with a sample, or it may be missing: then False."""
    start, end = row["log_start"], row["log_end"]
    match rng.randrange(16):
        case 0:
            return False
        case 1:
            row["ts_ms"] += rng.choice([every // 10, every // 3, every // 2, 7 * every // 10])
        case 2:
            row["committed"] = rng.choice([None, -1])
        case 3:
            row["committed"] = rng.randint(0, start)
        case 4:
            row["committed"] = min(end + rng.choice([1, 1000, 2**61]), 2**62 - 1)
        case 5 if row["committed"] is not None:
            row["committed"] //= 2
        case 6:
            row["log_start"] = row["log_end"] = rng.choice([0, end // 2])
        case 7:
            row["log_start"] = rng.randint(start, end)
        case 8:
            row["log_end"] = rng.choice([start, start + (end - start) // 2])
    return True


def _broken(row: Row, rng: random.Random) -> Row:
    """A copy that makes no sense, or just about does."""
    odd = {
        "ts_ms": (None, -1, -(2**63), 0, 253402300799999, 253402300800000, 2**63 - 1),
        "group": (None, "", "ü", "G"),
        "topic": (None, ""),
        "partition": (None, -1, 9_999_999, 10_000_000, 2**31, 2**40, -(2**63)),
        "log_start": (None, -1, -(2**63), 2**62, 2**63 - 1),
        "log_end": (None, -1, 0, 2**62 - 1, 2**62, 2**63 - 1),
        "committed": (-2, 2**62 - 1, 2**62, -(2**63)),
        "log_bytes": (-1, -(2**63)),
    }
    name = rng.choice(list(odd))
    return {**row, name: rng.choice(odd[name])}


def _doubled(row: Row, rng: random.Random) -> Row:
    """A second sample of the same time: the same, or of a little later, or at odds with it."""
    copy = dict(row)
    for name in ("log_end", "committed", "log_start", "log_bytes"):
        if copy[name] is not None and rng.random() < 0.3:
            copy[name] = min(max(0, copy[name] + rng.choice([-2, -1, 1, 1])), 2**63 - 1)
    if rng.random() < 0.2:
        copy["committed"] = None if copy["committed"] is not None else row["log_start"]
    return copy


WHOLE: Final = pa.int64()
OFFSETS: Final = pa.schema([
    ("ts_ms", WHOLE), ("group", pa.string()), ("topic", pa.string()), ("partition", WHOLE),
    ("log_start", WHOLE), ("log_end", WHOLE), ("committed", WHOLE), ("log_bytes", WHOLE),
])  # fmt: skip
"""With room for numbers that make no sense."""


def read_tables(
    spark: SparkSession, folder: Path, tables: Mapping[TableName, list[Row]]
) -> list[DataFrame]:
    """The rows of each table, as a run reads them from a parquet file."""
    found = []
    for name, rows in tables.items():
        nullable = pa.schema([field.with_nullable(True) for field in SCHEMAS[name]])
        schema = OFFSETS if name == "offsets" else nullable
        path = folder / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows, schema), path)
        files = find_files([str(path)], name)
        check_files(files, name)
        found.append(read_files(spark, files, name))
    return found


class HeldHistory(NamedTuple):
    """One group."""

    offsets: list[Row]
    members: list[Row]
    samples: OffsetSamples
    """At the rounds; the holders are spells."""
    member_of: list[int]
    """The member of each spell."""


class Spell(NamedTuple):
    """A member holds the same partitions from one round of memberships to another."""

    member: int
    partitions: list[int]
    since: int
    until: int


def random_history(group: str, rng: random.Random) -> HeldHistory:
    """A group of a few partitions and members, with faults in some of them."""
    n_members, n_partitions = rng.randint(1, 3), rng.randint(1, 5)
    every = rng.choice([1_000, 4_000, 5_000, 10_000, 30_000, 60_000])
    times = [
        AT - every * back - rng.choice([0, 0, every // 7]) for back in range(rng.randint(2, 40))
    ]
    times = sorted(set(times))
    faulty = rng.random() < 0.5
    offsets: list[Row] = []
    for partition in range(n_partitions):
        offsets += _partition_rows(group, partition, times, faulty, rng)
    rounds = sorted({*rng.sample(times, min(len(times), rng.randint(1, 4)))})
    owned = _ownerships(rounds, n_members, n_partitions, rng)
    members = [
        {"ts_ms": ts, "group": group, "member": f"m{m}", "subscription": ["t"],
         "owned": {"t": [p for p, owner in enumerate(owners) if owner == m]}}
        for ts, owners in zip(rounds, owned, strict=True) for m in range(n_members)
    ]  # fmt: skip
    spells = _spells(rounds, owned, n_members)
    samples = _samples(offsets, spells, n_partitions)
    return HeldHistory(offsets, members, samples, [spell.member for spell in spells])


def _partition_rows(
    group: str, partition: int, times: list[int], faulty: bool, rng: random.Random
) -> list[Row]:
    behind = rng.random() < 0.7
    committed = 1_000 + rng.randrange(50)
    end = committed + (rng.randrange(50_000) if behind else rng.randrange(3))
    steps = rng.choice([1, 1, 2, 3])
    start, rows = 0, []
    for number, ts in enumerate(times):
        end += rng.randrange(200)
        if number % steps == 0:
            committed = min(end, committed + rng.randrange(300))
        if faulty:
            match rng.randrange(40):
                case 0:
                    continue
                case 1:
                    committed -= rng.randrange(5)
                case 2:
                    end = max(0, end - 10)
                case 3:
                    start = min(end, committed + rng.randrange(3))
        known = None if faulty and rng.random() < 0.03 else committed
        row = {"ts_ms": ts, "group": group, "topic": "t", "partition": partition,
               "log_start": min(start, end), "log_end": end, "committed": known}  # fmt: skip
        if faulty and rng.random() < 0.03:
            rows.append({**row, "log_end": max(0, row["log_end"] - 1)})
        rows.append(row)
    return rows or [row]


def _ownerships(
    rounds: list[int], n_members: int, n_partitions: int, rng: random.Random
) -> list[list[int]]:
    """[rounds][partitions] the owner; it mostly stays."""
    owners = [rng.randrange(n_members) for _ in range(n_partitions)]
    found = []
    for _ in rounds:
        if rng.random() < 0.3:
            owners = [rng.randrange(-1, n_members) for _ in range(n_partitions)]
        found.append(list(owners))
    return found


def _samples(offsets: list[Row], spells: list[Spell], n_partitions: int) -> OffsetSamples:
    by_time: dict[int, dict[int, Row]] = {}
    many: dict[int, int] = {}
    for row in sorted(offsets, key=lambda row: (row["ts_ms"], row["log_end"])):
        by_time.setdefault(row["ts_ms"], {})[row["partition"]] = row
        many[row["ts_ms"]] = many.get(row["ts_ms"], 0) + 1
    times = sorted(ts for ts, rows in many.items() if 2 * rows >= max(many.values()))
    shape = len(times), n_partitions
    columns = {name: np.full(shape, -1) for name in ("log_start", "log_end", "committed")}
    holder = np.full(shape, NOBODY, np.int32)
    for at, ts in enumerate(times):
        for number, spell in enumerate(spells):
            if spell.since <= ts <= spell.until:
                holder[at, spell.partitions] = number
        for partition, row in by_time[ts].items():
            for name, column in columns.items():
                column[at, partition] = -1 if row[name] is None else row[name]
    return OffsetSamples(
        np.array(times) / 1000, columns["log_end"], columns["committed"], holder, len(spells),
        columns["log_start"],
    )  # fmt: skip


def _spells(rounds: list[int], owned: list[list[int]], n_members: int) -> list[Spell]:
    """Rounds one after the other in which a member had the same partitions."""
    spells = []
    for member in range(n_members):
        had = [[p for p, owner in enumerate(owners) if owner == member] for owners in owned]
        for nth, (ts, held) in enumerate(zip(rounds, had, strict=True)):
            if nth and had[nth - 1] == held:
                spells[-1] = spells[-1]._replace(until=ts)
            else:
                spells.append(Spell(member, held, ts, ts))
        spells[-1] = spells[-1]._replace(until=AT)
    return spells
