"""Write a fleet and its logs as the two tables of a history, in parquet files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.fleet.faults import Bools, Ints
from benchmarks.fleet.logs import Columns, rounds
from benchmarks.fleet.settings import HistorySettings
from benchmarks.fleet.shape import Fleet, within

_ROWS_PER_ROW_GROUP: Final = 500_000

OFFSETS: Final = pa.schema(
    [
        ("ts_ms", pa.int64()),
        ("group", pa.string()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("log_start", pa.int64()),
        ("log_end", pa.int64()),
        ("committed", pa.int64()),
        ("log_bytes", pa.int64()),
    ]
)
MEMBERS: Final = pa.schema(
    [
        ("ts_ms", pa.int64()),
        ("group", pa.string()),
        ("member", pa.string()),
        ("subscription", pa.list_(pa.string())),
        ("owned", pa.map_(pa.string(), pa.list_(pa.int32()))),
        ("rack", pa.string()),
        ("capacity", pa.float64()),
        ("instance_id", pa.string()),
        ("generation", pa.int64()),
    ]
)


def offset_tables(fleet: Fleet, settings: HistorySettings) -> Iterator[pa.Table]:
    """Yield tables of OFFSETS, one per round, and at the end one with the stale groups."""
    groups, topics = pa.array(fleet.group_names), pa.array(fleet.topic_names)
    is_stale = np.zeros(settings.groups, dtype=np.bool_)
    is_stale[fleet.faults.whole("stale")] = True
    earlier = []

    def table(rows: Columns) -> pa.Table:
        arrays = {
            "group": groups.take(pa.array(fleet.group[rows["at"]])),
            "topic": topics.take(pa.array(fleet.topic[rows["at"]])),
            "partition": pa.array(rows["partition"].astype(np.int32)),
            "committed": pa.array(rows["committed"], mask=rows["silent"]),
        }
        columns = [arrays.get(name, rows.get(name)) for name in OFFSETS.names]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=OFFSETS)

    for rows in rounds(fleet, settings):
        stale = is_stale[fleet.group[rows["at"]]]
        if stale.any():
            shifted = {name: column[stale] for name, column in rows.items()}
            shifted["ts_ms"] -= settings.stale_ms
            earlier.append(table(shifted))
        yield table({name: column[~stale] for name, column in rows.items()})
    if earlier:
        yield pa.concat_tables(earlier)


def member_tables(fleet: Fleet, settings: HistorySettings) -> Iterator[pa.Table]:
    """Yield tables of MEMBERS, one per round: the last round and others at equal distances."""
    faults, layout = fleet.faults, fleet.layout
    many = min(settings.member_rounds, settings.samples)
    last_round = settings.samples - 1
    taken = np.linspace(0, last_round, many).round().astype(np.int64) if many > 1 else [last_round]
    first, last = faults.lifetime(len(fleet.topic), settings.samples)
    group = np.repeat(np.arange(settings.groups), layout.members)
    columns = _member_columns(fleet, group, settings)
    shift = np.zeros(settings.groups, dtype=np.int64)
    shift[faults.whole("stale")] = settings.stale_ms
    absent = np.isin(group, faults.whole("no_members:absent"))
    left = np.isin(group, faults.whole("no_members:null"))
    for at_round in map(int, taken):
        is_last = at_round == last_round
        here = np.flatnonzero(~absent & ~(left & is_last) & (is_last | ~fleet.newcomer))
        alive = (first <= at_round) & (at_round <= last)
        ts_ms = settings.start_ms + at_round * settings.every * 1000
        entries = {
            **{name: column.take(pa.array(here)) for name, column in columns.items()},
            "ts_ms": pa.array(ts_ms - shift[group[here]]),
            "owned": _owned(fleet, alive).take(pa.array(here)),
        }
        if not is_last:  # the group was rebalanced when the newcomers joined
            recent = np.bincount(group, fleet.newcomer, settings.groups) > 0
            past = pa.array(recent[group[here]].astype(np.int64))
            entries["generation"] = pc.subtract(entries["generation"], past)
        yield pa.Table.from_arrays([entries[name] for name in MEMBERS.names], schema=MEMBERS)
        empty = faults.whole("no_members:null") if is_last else np.empty(0, dtype=np.int64)
        if len(empty):
            rows = [
                {"ts_ms": ts_ms, "group": fleet.group_names[g], "subscription": [], "owned": []}
                for g in empty.tolist()
            ]
            yield pa.Table.from_pylist(rows, schema=MEMBERS)


def _member_columns(fleet: Fleet, group: Ints, settings: HistorySettings) -> dict[str, pa.Array]:
    """Return the columns of members that do not change between rounds; [M] each."""
    rng, n_groups = settings.rng(7), settings.groups
    many = len(group)
    static = (rng.random(n_groups) < 0.1)[group]
    racked = (rng.random(n_groups) < 0.5)[group]
    rated = (rng.random(n_groups) < 0.1)[group]
    capacity = np.ones(many)
    uneven = np.isin(group, fleet.faults.whole("capacity"))
    place = within(fleet.layout.members)
    capacity[uneven] = 1 - 2 * (place[uneven] % 2)  # below 0, which no planner takes
    text = rng.bytes(16 * many).hex()
    ids, instances = [], []
    for who, (of, nth, is_static) in enumerate(
        zip(group.tolist(), place.tolist(), static.tolist(), strict=True)
    ):
        tail = text[32 * who : 32 * who + 32]
        name = (
            f"{fleet.group_names[of]}-{nth}" if is_static else f"consumer-{fleet.group_names[of]}"
        )
        ids.append(f"{name}-{tail[:8]}-{tail[8:12]}-{tail[12:16]}-{tail[16:20]}-{tail[20:]}")
        instances.append(name if is_static else None)
    member, topic = fleet.readers
    lengths = np.bincount(member, minlength=many)
    return {
        "group": pa.array(fleet.group_names).take(pa.array(group)),
        "member": pa.array(ids),
        "subscription": pa.ListArray.from_arrays(
            _bounds(lengths), pa.array(fleet.topic_names).take(pa.array(topic))
        ),
        "rack": pa.array(["rack-a", "rack-b", "rack-c"]).take(
            pa.array(rng.integers(0, 3, many), mask=~racked)
        ),
        "capacity": pa.array(capacity, mask=~(rated | uneven)),
        "instance_id": pa.array(instances, pa.string()),
        "generation": pa.array(rng.integers(2, 500, n_groups)[group]),
    }


def _bounds(lengths: Ints) -> pa.Array:
    """Return the Arrow offsets of lists with these lengths."""
    return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32))


def _owned(fleet: Fleet, alive: Bools) -> pa.Array:
    """Return [M] topic -> owned partitions."""
    at = np.flatnonzero(alive & (fleet.owner >= 0))
    at = at[np.argsort(fleet.owner[at], kind="stable")]  # stable: by topic and number within owner
    owner, topic = fleet.owner[at], fleet.topic[at]
    fresh = np.ones(len(at), dtype=np.bool_)
    fresh[1:] = (owner[1:] != owner[:-1]) | (topic[1:] != topic[:-1])
    head = np.flatnonzero(fresh)
    lists = pa.ListArray.from_arrays(
        _bounds(np.diff(np.append(head, len(at)))), pa.array(fleet.number[at].astype(np.int32))
    )
    return pa.MapArray.from_arrays(
        _bounds(np.bincount(owner[head], minlength=len(fleet.newcomer))),
        pa.array(fleet.topic_names).take(pa.array(topic[head])),
        lists,
    )


def write_tables(tables: Iterator[pa.Table], folder: Path, rows_per_file: int) -> int:
    """Write tables to files of at most `rows_per_file` rows; return the number of rows.

    A table is split only if it is larger than a file.
    """
    folder.mkdir(parents=True)
    waiting: list[pa.Table] = []
    files = rows = 0

    def flush() -> None:
        nonlocal files
        if waiting:
            table = pa.concat_tables(waiting)
            for begins in range(0, table.num_rows, rows_per_file):
                pq.write_table(
                    table.slice(begins, rows_per_file),
                    folder / f"part-{files:05d}.parquet",
                    compression="zstd",
                    row_group_size=_ROWS_PER_ROW_GROUP,
                )
                files += 1
            waiting.clear()

    for table in tables:
        if sum(one.num_rows for one in waiting) + table.num_rows > rows_per_file:
            flush()
        waiting.append(table)
        rows += table.num_rows
    flush()
    return rows
