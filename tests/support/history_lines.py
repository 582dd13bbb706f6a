"""A small good history of five groups as JSON lines, for tests that put something wrong into it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

AT: Final = 1_795_251_600_000
"""2026-11-21T09:00:00Z"""

Row = dict[str, Any]


def offset_row(group: str, partition: int, ts_ms: int) -> Row:
    behind = (len(group) * 7 + partition * 13) % 50
    return {
        "ts_ms": ts_ms, "group": group, "topic": "orders", "partition": partition, "log_start": 0,
        "log_end": 1_000 + (ts_ms - AT) // 600, "committed": 950 - behind, "log_bytes": 64_000,
    }  # fmt: skip


def member_row(group: str, name: str, partitions: list[int]) -> Row:
    return {
        "ts_ms": AT, "group": group, "member": name, "subscription": ["orders"],
        "owned": {"orders": partitions}, "rack": None, "capacity": None,
    }  # fmt: skip


GROUPS: Final = ("billing", "search", "mail", "audit trail", "λ")
OFFSETS: Final = [
    offset_row(group, partition, ts)
    for ts in (AT - 60_000, AT)
    for group in GROUPS
    for partition in range(6)
]
MEMBERS: Final = [
    row
    for group in GROUPS
    for row in (member_row(group, "a", [0, 1, 2, 3]), member_row(group, "b", [4, 5]))
]


def lines(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_history(folder: Path) -> Path:
    """The history in a new folder; returns the folder."""
    for table, rows in (("offsets", OFFSETS), ("members", MEMBERS)):
        (folder / table).mkdir(parents=True)
        (folder / table / "a.jsonl").write_text(lines(rows), "utf-8")
    return folder


def parquet(path: Path, **change: pa.Array | None) -> Path:
    """Good offsets as parquet, with columns put in their place, added, or left out (None)."""
    table = pa.Table.from_pylist(OFFSETS)
    for name, column in change.items():
        if name in table.column_names:
            table = table.drop_columns([name])
        if column is not None:
            table = table.append_column(name, column)
    pq.write_table(table, path)
    return path
