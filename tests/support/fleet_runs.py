"""Small finished runs, made without Spark: real solves, written as a run's tables are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import fleet_rows
from support.problem_rows import member_row, problem_row, topic_row

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.pipeline.fleet_options import GroupSettings
from equilag.pipeline.group_result import PlanGroup
from equilag.pipeline.results.run_dir import FORMAT, SUCCESS, SUMMARY
from equilag.pipeline.solving import arrow_schema, to_arrow

SETTINGS = GroupSettings(Policy(), effort=0.02, time_limit=60.0, seed=3)

_NUMBERS = pa.list_(pa.int64())
PROBLEMS = pa.schema([
    ("group", pa.string()),
    ("last_ms", pa.int64()),
    ("topics", pa.list_(pa.struct([
        ("topic", pa.string()),
        ("partitions", pa.list_(pa.int32())),
        ("log_start", _NUMBERS),
        ("log_end", _NUMBERS),
        ("committed", _NUMBERS),
        ("weights", _NUMBERS),
    ]))),
    ("members", pa.list_(pa.struct([
        ("member", pa.string()),
        ("subscription", pa.list_(pa.string())),
        ("owned", pa.list_(pa.struct([("key", pa.string()), ("value", pa.list_(pa.int32()))]))),
        ("rack", pa.string()),
        ("capacity", pa.float64()),
        ("instance_id", pa.string()),
        ("generation", pa.int64()),
    ]))),
])  # fmt: skip
"""Of `problems/`, what is read again."""
FAILURES = pa.schema([("group", pa.string()), ("kind", pa.string()), ("reason", pa.string())])


def problem(
    group: str,
    lags: Mapping[str, Sequence[int | None]],
    owned: Mapping[str, Mapping[str, Sequence[int]]],
    weights: Mapping[str, Sequence[int]] | None = None,
) -> dict[str, Any]:
    """A row of `problems/`: logs of 1,000,000 records from 10 on; a lag of None is no commit.

    All members in `owned` subscribe to all topics of `lags`. Weights are the lags unless told.
    """
    topics = []
    for topic, behind in lags.items():
        end = 1_000_010
        committed = [None if lag is None else end - lag for lag in behind]
        n, given = len(behind), weights[topic] if weights else [lag or 0 for lag in behind]
        topics.append(topic_row(topic, range(n), [end] * n, committed, [10] * n, given))
    members = [
        member_row(member, sorted(lags), dict(sorted(held.items())), generation=5)
        for member, held in owned.items()
    ]
    return {**problem_row(topics, members, group), "last_ms": 1_764_000_000_500}


UNEVEN = problem(
    "orders",
    {"t": [900, 800, 700, 5, 4, 3], "u": [60, None, 1, 0]},
    {"a": {"t": [0, 1, 2], "u": [0, 1]}, "b": {"t": [3, 4, 5]}, "c": {"u": [2, 3]}},
)
"""Its members carry 2,460, 12 and 1 records."""


def write_run(
    folder: Path,
    problems: Sequence[dict[str, Any]],
    failures: Sequence[tuple[str, str, str]] = (),
    *,
    weight: str = "lag",
    reset: str = "latest",
    settings: GroupSettings | Mapping[str, GroupSettings] = SETTINGS,
) -> str:
    """A run of these problems into `folder`; its path. `settings` may be by group."""
    plan = PlanGroup(weight, reset)
    batches = []
    for row in problems:
        own = settings if isinstance(settings, GroupSettings) else settings[row["group"]]
        batches.append(to_arrow(row["group"], plan(row, own)))
    solved = pa.Table.from_batches(batches, arrow_schema()).to_pylist()
    for table in ("plans", "assignment", "baseline"):
        column = "plan" if table == "plans" else table
        kind = arrow_schema().field(column).type
        rows = [
            {"group": row["group"], **one}
            for row in solved
            for one in ([row["plan"]] if table == "plans" else row[table])
        ]
        fields = kind if table == "plans" else kind.value_type
        columns = pa.schema([pa.field("group", pa.string()), *fields])
        write_table(folder, table, pa.Table.from_pylist(rows, columns))
    write_table(folder, "problems", pa.Table.from_pylist(list(problems), PROBLEMS))
    failed = [dict(zip(FAILURES.names, row, strict=True)) for row in failures]
    write_table(folder, "failures", pa.Table.from_pylist(failed, FAILURES))
    kinds = Counter(kind for _, kind, _ in failures)
    told = {"weight": weight, "auto_offset_reset": reset, "seed": 0}
    document = {
        **fleet_rows.SUMMARY,
        "format": FORMAT,
        "settings": {**fleet_rows.SETTINGS, **told},
        "groups": len(problems) + len(failures),
        "planned": {**fleet_rows.SUMMARY["planned"], "groups": len(problems)},
        "failed": {"groups": len(failures), "by_kind": kinds},
    }
    (folder / SUMMARY).write_text(json.dumps(document), "utf-8")
    (folder / SUCCESS).touch()
    return str(folder)


def write_table(folder: Path, table: str, rows: pa.Table) -> None:
    """In two files, between the marks that Spark leaves."""
    (folder / table).mkdir(parents=True)
    half = len(rows) // 2
    for number, part in enumerate((rows.slice(0, half), rows.slice(half))):
        path = folder / table / f"part-{number:05}-x.zstd.parquet"
        pq.write_table(part, path, compression="zstd")
        path.with_name(f".{path.name}.crc").write_bytes(b"crc")
    (folder / table / "_SUCCESS").touch()


def refusal(read: Callable[[str], object], path: str) -> str:
    """The one-line InputError of reading the run in `path`, without the path that begins it."""
    with pytest.raises(InputError) as caught:
        read(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text.removeprefix(f"{path}: ")
