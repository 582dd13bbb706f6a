"""Small made-up fleets, runs over them, a run's tables as plain rows, and a history by hand."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.fleet import history as fleet_history
from benchmarks.fleet.settings import HistorySettings
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import FleetOptions, GroupSettings, Rules

Row = dict[str, Any]

FAULTY: Final = HistorySettings(groups=44, partitions=900, samples=8, every=60, seed=4, faults=True)
TINY: Final = HistorySettings(groups=5, partitions=60, samples=4, every=60, seed=7)
SETTINGS: Final = GroupSettings(Policy(), effort=0.02, time_limit=60.0, seed=3)

TABLES: Final = (
    "signals", "problems", "quality", "plans", "assignment", "baseline", "failures",
)  # fmt: skip
CLOCKS: Final = frozenset({"wall_s", "task_s", "wall_ms"})
"""Columns that say how long something took."""


def make(folder: Path, making: HistorySettings) -> dict[str, Any]:
    """The history of a fleet in `folder`; what is in its made.json."""
    return fleet_history.write_history(folder, making)


def options(history: Path, out: Path, **other: Any) -> FleetOptions:
    """A run over a history, with a few tasks as the fleets are small."""
    usual = FleetOptions(
        str(out),
        Rules(SETTINGS),
        (str(history / "offsets"),),
        (str(history / "members"),),
        horizon=120_000,
        tasks=3,
    )
    return replace(usual, **other)


def read_table(folder: Path, table: str) -> list[Row]:
    """The rows of a table of a history or of a run, by all of their columns, without clocks."""
    rows = pq.read_table(folder / table).to_pylist()
    without = [{k: v for k, v in row.items() if k not in CLOCKS} for row in rows]
    return sorted(without, key=lambda row: [(value is None, str(value)) for value in row.values()])


def write_lines(history: Path, folder: Path, at: int) -> tuple[str, str]:
    """A history up to a time as JSON lines: offsets in three files, one of them packed, what is
    null left out in one; members in a packed one. The directories of both tables."""
    for table in ("offsets", "members"):
        (folder / table).mkdir(parents=True)
        rows = [row for row in pq.read_table(history / table).to_pylist() if row["ts_ms"] <= at]
        for row in rows:
            if "owned" in row:
                row["owned"] = dict(row["owned"])
        third = len(rows) // 3
        short = [{k: v for k, v in row.items() if v is not None} for row in rows[:third]]
        plain, packed = rows[third : 2 * third], rows[2 * third :]
        (folder / table / "a.jsonl").write_text(lines(short), "utf-8")
        (folder / table / "b.ndjson").write_text(lines(plain) + "\n", "utf-8")
        with gzip.open(folder / table / "c.json.gz", "wt", encoding="utf-8") as stream:
            stream.write(lines(packed))
    return str(folder / "offsets"), str(folder / "members")


AT: Final = 1_795_251_600_000
"""2026-11-21T09:00:00Z"""


GROUPS: Final = ("billing", "search", "mail", "audit trail", "λ")
OFFSETS: Final[list[Row]] = [
    {
        "ts_ms": ts, "group": group, "topic": "orders", "partition": partition, "log_start": 0,
        "log_end": 1_000 + (ts - AT) // 600, "log_bytes": 64_000,
        "committed": 950 - (len(group) * 7 + partition * 13) % 50,
    }
    for ts in (AT - 60_000, AT) for group in GROUPS for partition in range(6)
]  # fmt: skip
MEMBERS: Final[list[Row]] = [
    {
        "ts_ms": AT, "group": group, "member": name, "subscription": ["orders"],
        "owned": {"orders": partitions}, "rack": None, "capacity": None,
    }
    for group in GROUPS for name, partitions in (("a", [0, 1, 2, 3]), ("b", [4, 5]))
]  # fmt: skip


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
