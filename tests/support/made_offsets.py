"""Tiny groups with every kind of fault, at random by seed: rows of `offsets`, and their file."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

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


def write_rows(path: Path, rows: list[Row]) -> str:
    """The rows as a parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    whole = pa.int64()
    schema = pa.schema(
        [
            ("ts_ms", whole), ("group", pa.string()), ("topic", pa.string()), ("partition", whole),
            ("log_start", whole), ("log_end", whole), ("committed", whole), ("log_bytes", whole),
        ]
    )  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
    return str(path)
