"""Check of JSON lines against a table's columns: the first wrong line and column are named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.check_history import check_lines
from equilag.pipeline.sources.history import TABLES, TableColumn, TableName

GOOD: dict[str, list[Any]] = {
    "bigint": [7, -(2**63), 2**63 - 1],
    "string": ["g", "", "größe.日\u2028\x00"],
    "double": [1.5, 2],
    "array<string>": [["t"], []],
    "map<string,array<int>>": [{"t": [0, 1], "u": []}, {}, {"t": [2**31 - 1, -(2**31)]}],
}
BAD: dict[str, tuple[str, list[Any]]] = {
    "bigint": ("a whole number", ["7", True, 1e3, 1.5, 2**63, -(2**63) - 1, "2026-11-21"]),
    "string": ("a string", [5, ["t"], 1.5]),
    "double": ("a number", ["1.5", True]),
    "array<string>": ("a list of strings", ["t", ["t", None]]),
    "map<string,array<int>>": (
        "an object of lists of partition numbers",
        [[["t", [0]]], {"t": 0}, {"t": [True]}, {"t": [0.0]}, {"t": [2**31]}],
    ),
}
"""Kind of a column -> what errors ask for, and values that are something else."""
ROW = {table: {one.name: GOOD[one.kind][0] for one in columns} for table, columns in TABLES.items()}
OFFSET, MEMBER = ROW["offsets"], ROW["members"]
EVERY = [(table, column) for table, columns in TABLES.items() for column in columns]


def check(folder: Path, *lines: object, table: TableName = "offsets") -> None:
    """Check a file with these lines, each given as bytes or as an object."""
    path = folder / "x.jsonl"
    written = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"\n".join(written))
    check_lines(str(path), table)


def refused(folder: Path, *lines: object, table: TableName = "offsets") -> InputError:
    with pytest.raises(InputError) as caught:
        check(folder, *lines, table=table)
    assert caught.value.source == str(folder / "x.jsonl")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    return caught.value


def without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {other: value for other, value in row.items() if other != name}


@pytest.mark.parametrize("table", TABLES)
def test_rows_that_fit(tmp_path: Path, table: TableName) -> None:
    row, columns = ROW[table], TABLES[table]
    check(tmp_path, row, table=table)
    for column in columns:
        for value in GOOD[column.kind]:
            check(tmp_path, {**row, column.name: value}, table=table)
    check(tmp_path, {c.name: None if c.nullable else row[c.name] for c in columns}, table=table)
    check(tmp_path, {c.name: row[c.name] for c in columns if not c.nullable}, table=table)


@pytest.mark.parametrize(("table", "column"), EVERY, ids=str)
def test_a_column_that_is_missing_or_of_a_wrong_type(
    tmp_path: Path, table: TableName, column: TableColumn
) -> None:
    row, place = ROW[table], f"column {column.name}"
    expected, values = BAD[column.kind]
    for value in [*values, *([] if column.nullable else [None])]:
        wrong = {**row, column.name: value}
        error = refused(tmp_path, row, b"", wrong, wrong, table=table)
        assert error.place == f"line 3: {place}"
        assert error.problem == f"must be {expected}, not {json.dumps(value)}"
    if not column.nullable:
        error = refused(tmp_path, row, without(row, column.name), table=table)
        assert (error.place, error.problem) == (f"line 2: {place}", "missing")


def test_an_unknown_column(tmp_path: Path) -> None:
    error = refused(tmp_path, {**OFFSET, "lag": 4})
    assert error.place == "line 1: column lag"
    assert error.problem.startswith("unknown; the columns of offsets are ts_ms, group, ")
    assert refused(tmp_path, MEMBER).place == "line 1: column member"
    assert refused(tmp_path, {**OFFSET, "zwei\nZeilen": 4}).problem.startswith("unknown")


NOT_JSON = [
    b"group,topic", b"{", b"{'ts_ms': 1}", b'{"ts_ms": 1,}', b'{"ts_ms": 01}', b"{} {}",
    b'{"ts_ms": ' + b"1" * 5_000 + b"}", b'{"ts_ms": ' + b"[" * 100_000,
    b'{"ts_ms": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", b'{"a": ' * 100_000,
    b'\xef\xbb\xbf{"ts_ms": 1}', b'{"group": "\x01"}', b"\x00",
]  # fmt: skip
NOT_UTF8 = [b"\xff", b'{"group": "gr\xf6\xdfe"}', b'{"a": "\xed\xa0\x80"}']


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([b"[]", b"5", b'"text"', b"null", b"[{}]"], "not an object"),
        (NOT_JSON, "not JSON: "),
        (NOT_UTF8, "not UTF-8"),
    ],
    ids=["values", "JSON", "UTF-8"],
)
def test_lines_that_are_no_objects(tmp_path: Path, lines: list[bytes], problem: str) -> None:
    for line in lines:
        error = refused(tmp_path, OFFSET, line)
        assert error.place == ("" if lines is NOT_UTF8 else "line 2")
        assert error.problem.startswith(problem)


def test_empty_lines_and_ends_of_lines(tmp_path: Path) -> None:
    row = json.dumps(OFFSET).encode()
    check(tmp_path)
    check(tmp_path, b"", b"  \t ", row, b"", b"")
    check(tmp_path, row + b"\r", row + b"\r", b"\r", b"")
    check(tmp_path, row, row)
    assert refused(tmp_path, b"", b"", b"x").place == "line 3"
    assert refused(tmp_path, row + b"\r", b"\r", b"x").place == "line 3"


def test_packed_files(tmp_path: Path) -> None:
    row = json.dumps(OFFSET).encode() + b"\n"
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(row * 3) + gzip.compress(row))
    check_lines(str(path), "offsets")
    path.write_bytes(gzip.compress(row * 2 + b"{}"))
    with pytest.raises(InputError, match="line 3: column ts_ms: missing"):
        check_lines(str(path), "offsets")


def test_packed_files_that_are_broken(tmp_path: Path) -> None:
    rows = b"".join(json.dumps({**OFFSET, "log_end": n * n}).encode() + b"\n" for n in range(999))
    whole = gzip.compress(rows)
    flipped = bytearray(whole)
    flipped[2_000] ^= 0xFF
    for content in (rows, whole[:-1], whole[:-9], whole[:3_000], whole[:5], whole + b"junk",
                    bytes(flipped), whole[:-8] + bytes(8)):  # fmt: skip
        path = tmp_path / "x.jsonl.gz"
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            check_lines(str(path), "offsets")
        assert caught.value.source == str(path)
        assert "\n" not in str(caught.value)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    for name in ("none.jsonl", "none.jsonl.gz", ".", "x" * 5_000):
        with pytest.raises(InputError, match="cannot be read: ") as caught:
            check_lines(str(tmp_path / name), "offsets")
        assert caught.value.source == str(tmp_path / name)


# Earlier defects: lines that passed the check but that Spark could not load unchanged.


@pytest.mark.parametrize(
    ("table", "column", "first"),
    [
        ("offsets", '{"ts_ms"', '"ts_ms": "x"'),
        ("offsets", '{"ts_ms"', '"log_end": 7'),
        ("members", '{"ts_ms"', '"owned": 5'),
        ("members", '{"t"', '"t": [7]'),
        ("members", '{"t"', '"t": "x"'),
    ],
)
def test_a_column_or_a_topic_that_is_there_twice(
    tmp_path: Path, table: TableName, column: str, first: str
) -> None:
    row = {**ROW[table], "ts_ms": 1}
    line = json.dumps(row).replace(column, "{" + first + ", " + column[1:])
    refused(tmp_path, line.encode(), table=table)
