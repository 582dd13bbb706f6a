"""Check of JSON lines against a table's columns: the first wrong line and column are named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.check_history import check_lines
from equilag.pipeline.sources.history import TableName

OFFSET: dict[str, Any] = {
    "ts_ms": 1_795_251_600_000, "group": "g", "topic": "t", "partition": 0, "log_start": 0,
    "log_end": 9, "committed": 5, "log_bytes": 900,
}  # fmt: skip
MEMBER: dict[str, Any] = {
    "ts_ms": 1_795_251_600_000, "group": "g", "member": "m", "subscription": ["t"],
    "owned": {"t": [0, 1], "u": []}, "rack": "r", "capacity": 1.5, "instance_id": "i",
    "generation": 3, "client_id": "c", "host": "/h", "max_partitions": 2, "instance": "p",
}  # fmt: skip
RACKS: dict[str, Any] = {"ts_ms": 1, "topic": "t", "partition": 0, "racks": ["r", "s"]}
ROW: dict[TableName, dict[str, Any]] = {"offsets": OFFSET, "members": MEMBER, "racks": RACKS}


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


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("offsets", OFFSET),
        ("offsets", {**OFFSET, "committed": None, "log_bytes": None}),
        ("offsets", without(OFFSET, "committed", "log_bytes")),
        ("offsets", {**OFFSET, "ts_ms": 2**63 - 1, "log_start": -(2**63), "committed": -1}),
        ("offsets", {**OFFSET, "group": "", "topic": "größe.日\u2028\x00"}),
        ("members", MEMBER),
        ("members", {**dict.fromkeys(MEMBER), "ts_ms": 1, "group": "g"}),
        ("members", {"ts_ms": 1, "group": "g"}),
        ("members", {**MEMBER, "capacity": 2, "subscription": [], "owned": {}}),
        ("members", {**MEMBER, "owned": {"t": [2**31 - 1, -(2**31)]}}),
        ("racks", RACKS),
        ("racks", {**RACKS, "ts_ms": None, "racks": None}),
    ],
)
def test_rows_that_fit(tmp_path: Path, table: TableName, row: dict[str, Any]) -> None:
    check(tmp_path, row, table=table)


@pytest.mark.parametrize(
    ("table", "name"),
    [("offsets", name) for name in list(OFFSET)[:6]] + [("members", "ts_ms"), ("members", "group")],
)
def test_a_missing_column(tmp_path: Path, table: TableName, name: str) -> None:
    error = refused(tmp_path, ROW[table], without(ROW[table], name), table=table)
    assert (error.place, error.problem) == (f"line 2: column {name}", "missing")
    error = refused(tmp_path, {**ROW[table], name: None}, table=table)
    assert error.place == f"line 1: column {name}"
    assert error.problem.startswith("must be ")


WHOLE, TEXT = "a whole number", "a string"
OWNED = "an object of lists of partition numbers"
WRONG: list[tuple[TableName, str, Any, str]] = [
    *[("offsets", name, "7", WHOLE) for name in without(OFFSET, "group", "topic")],
    ("offsets", "ts_ms", "2026-11-21T09:00:00Z", WHOLE),
    ("offsets", "partition", True, WHOLE),
    ("offsets", "log_end", 2**63, WHOLE),
    ("offsets", "log_end", -(2**63) - 1, WHOLE),
    ("offsets", "committed", 1e3, WHOLE),
    ("offsets", "group", 5, TEXT),
    ("offsets", "topic", ["t"], TEXT),
    ("members", "member", 1, TEXT),
    ("members", "generation", 1.5, WHOLE),
    ("members", "capacity", "1.5", "a number"),
    ("members", "capacity", True, "a number"),
    ("members", "subscription", "t", "a list of strings"),
    ("members", "subscription", ["t", None], "a list of strings"),
    ("members", "owned", [["t", [0]]], OWNED),
    ("members", "owned", {"t": 0}, OWNED),
    ("members", "owned", {"t": [True]}, OWNED),
    ("members", "owned", {"t": [0.0]}, OWNED),
    ("members", "owned", {"t": [2**31]}, OWNED),
    ("members", "max_partitions", 1.5, WHOLE),
    ("racks", "topic", None, TEXT),
    ("racks", "racks", "r", "a list of strings"),
]


@pytest.mark.parametrize(("table", "name", "value", "expected"), WRONG)
def test_a_wrong_type(
    tmp_path: Path, table: TableName, name: str, value: Any, expected: str
) -> None:
    row = ROW[table]
    error = refused(tmp_path, row, b"", {**row, name: value}, {**row, name: value}, table=table)
    assert error.place == f"line 3: column {name}"
    assert error.problem == f"must be {expected}, not {json.dumps(value)}"


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
    line = json.dumps(ROW[table]).replace(column, "{" + first + ", " + column[1:])
    refused(tmp_path, line.encode(), table=table)
