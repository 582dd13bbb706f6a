"""The files of a history: how they are found, and the columns of a parquet file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.check_history import check_files, check_parquet
from equilag.pipeline.sources.history import TableFiles, TableName, find_files, literal

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

OFFSETS: dict[str, Any] = {
    "ts_ms": pa.int64(), "group": pa.string(), "topic": pa.string(), "partition": pa.int32(),
    "log_start": pa.int64(), "log_end": pa.int64(), "committed": pa.int64(),
}  # fmt: skip
MEMBERS: dict[str, Any] = {
    "ts_ms": pa.int64(), "group": pa.string(), "member": pa.string(),
    "subscription": pa.list_(pa.string()), "owned": pa.map_(pa.string(), pa.list_(pa.int32())),
    "rack": pa.string(), "capacity": pa.float64(),
}  # fmt: skip
RACKS: dict[str, Any] = {
    "topic": pa.string(), "partition": pa.int32(), "racks": pa.list_(pa.string()),
}  # fmt: skip


def write(path: Path, columns: dict[str, Any] | list[tuple[str, Any]]) -> str:
    """A parquet file without rows."""
    fields = columns.items() if isinstance(columns, dict) else columns
    pq.write_table(pa.schema(list(fields)).empty_table(), path)
    return str(path)


def refused(path: str, table: TableName) -> InputError:
    with pytest.raises(InputError) as caught:
        check_parquet(path, table)
    assert caught.value.source == path
    assert "\n" not in str(caught.value)
    return caught.value


# Columns.


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("offsets", OFFSETS),
        ("offsets", {**OFFSETS, "partition": pa.int64(), "log_bytes": pa.int64()}),
        ("offsets", dict(reversed(OFFSETS.items()))),
        ("offsets", {**OFFSETS, "log_start": pa.int32(), "committed": pa.int16()}),
        ("offsets", {**OFFSETS, "group": pa.large_string(), "topic": pa.large_string()}),
        ("offsets", {**OFFSETS, "group": pa.dictionary(pa.int32(), pa.string())}),
        ("members", MEMBERS),
        ("members", {**MEMBERS, "instance_id": pa.string(), "generation": pa.int64()}),
        ("members", {**MEMBERS, "generation": pa.int32(), "capacity": pa.float32()}),
        ("members", {**MEMBERS, "subscription": pa.large_list(pa.large_string())}),
        ("members", {**MEMBERS, "rack": pa.dictionary(pa.int8(), pa.large_string())}),
        ("members", {**MEMBERS, "owned": pa.map_(pa.large_string(), pa.list_(pa.int32()))}),
        ("members", {**MEMBERS, "instance": pa.string(), "max_partitions": pa.int32()}),
        ("members", {**MEMBERS, "client_id": pa.string(), "host": pa.string()}),
        ("racks", RACKS),
        ("racks", {**RACKS, "ts_ms": pa.int64(), "partition": pa.int64()}),
    ],
)
def test_columns_that_fit(tmp_path: Path, table: TableName, columns: dict[str, Any]) -> None:
    path = write(tmp_path / "x.parquet", columns)
    check_parquet(path, table)
    check_files(find_files([path], table), table)


LONG = "int64 (or int32)"
ROWS_OF = pa.struct([("key", pa.string()), ("value", pa.list_(pa.int32()))])
WRONG_TYPES: list[tuple[TableName, str, Any, str]] = [
    ("offsets", "ts_ms", pa.timestamp("ms"), f"{LONG} (milliseconds since 1970)"),
    ("members", "ts_ms", pa.float64(), f"{LONG} (milliseconds since 1970)"),
    ("offsets", "group", pa.binary(), "string"),
    ("offsets", "topic", pa.list_(pa.string()), "string"),
    ("offsets", "partition", pa.uint32(), LONG),
    ("offsets", "log_end", pa.decimal128(19, 0), LONG),
    ("offsets", "committed", pa.null(), LONG),
    ("offsets", "log_bytes", pa.float64(), LONG),
    ("members", "member", pa.int32(), "string"),
    ("members", "subscription", pa.string(), "list<string>"),
    ("members", "subscription", pa.list_(pa.int64()), "list<string>"),
    ("members", "owned", pa.map_(pa.string(), pa.list_(pa.int64())), "map<string, list<int32>>"),
    ("members", "owned", pa.map_(pa.int32(), pa.list_(pa.int32())), "map<string, list<int32>>"),
    ("members", "owned", pa.list_(ROWS_OF), "map<string, list<int32>>"),
    ("members", "capacity", pa.int64(), "double"),
    ("members", "capacity", pa.decimal128(9, 2), "double"),
    ("members", "generation", pa.string(), LONG),
    ("members", "max_partitions", pa.float64(), LONG),
    ("racks", "racks", pa.string(), "list<string>"),
]


@pytest.mark.parametrize(("table", "name", "given", "expected"), WRONG_TYPES, ids=str)
def test_a_column_of_a_wrong_type(
    tmp_path: Path, table: TableName, name: str, given: Any, expected: str
) -> None:
    columns = {**{"offsets": OFFSETS, "members": MEMBERS, "racks": RACKS}[table], name: given}
    path = write(tmp_path / "x.parquet", columns)
    error = refused(path, table)
    assert error.place == f"column {name}"
    required, _, found = error.problem.partition(", not ")
    assert required == f"must be of type {expected}"
    assert found == str(pq.read_schema(path).field(name).type)


@pytest.mark.parametrize(
    ("table", "name"),
    [("offsets", name) for name in OFFSETS] + [("members", name) for name in MEMBERS],
)
def test_a_missing_column(tmp_path: Path, table: TableName, name: str) -> None:
    columns = dict(OFFSETS if table == "offsets" else MEMBERS)
    del columns[name]
    error = refused(write(tmp_path / "x.parquet", columns), table)
    assert (error.place, error.problem) == (f"column {name}", "missing")


@pytest.mark.parametrize("name", ["lag", "Group", "log bytes", "zwei\nZeilen", "ü", ""])
def test_an_unknown_column(tmp_path: Path, name: str) -> None:
    error = refused(write(tmp_path / "x.parquet", {**OFFSETS, name: pa.int64()}), "offsets")
    assert error.place == f"column {name}"
    assert error.problem.startswith("unknown; the columns of offsets are ts_ms, group, topic, ")


def test_a_column_that_is_there_twice(tmp_path: Path) -> None:
    twice = [*OFFSETS.items(), ("committed", pa.int64())]
    error = refused(write(tmp_path / "x.parquet", twice), "offsets")
    assert (error.place, error.problem) == ("column committed", "appears twice")


# Files that are not parquet.


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    whole = Path(write(tmp_path / "x.parquet", OFFSETS)).read_bytes()
    broken = [
        b"", b"PAR1", b"group,topic\n", b'{"ts_ms": 1}\n' * 9,
        whole[:-1], whole[: len(whole) // 2],
        whole[:-8] + b"\xff\xff\xff\x7fPAR1", b"PAR1" + bytes(100) + whole[-8:],
    ]  # fmt: skip
    for number, content in enumerate(broken):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(content)
        assert refused(str(path), "offsets").problem.startswith("cannot be read as parquet: ")
    assert "o such file" in refused(str(tmp_path / "none.parquet"), "offsets").problem


# Finding files.


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/a/b.parquet", "/a/b.parquet"),
        ("/a [1]/*?.json", "/a \\[1\\]/\\*\\?.json"),
        ("{x}\\y", "\\{x\\}\\\\y"),
    ],
)
def test_spark_gets_a_path_escaped(path: str, pattern: str) -> None:
    assert literal(path) == pattern


def make(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()


def names(found: tuple[str, ...], below: Path) -> list[str]:
    return [Path(path).relative_to(below).as_posix() for path in found]


def test_what_is_data_in_a_directory(tmp_path: Path) -> None:
    make(
        tmp_path,
        "b.parquet", "a.PARQUET", "deep/er/c.jsonl", "d.ndjson.gz", "e.json", "f.jsonl.GZ",
        "part.parquet/part-0.parquet", "_SUCCESS", "._SUCCESS.crc", ".b.parquet.crc",
        ".hidden.parquet", "_tmp.parquet", "_temporary/0/x.parquet", ".spool/x.jsonl",
        "deep/_delta_log/0.json", "notes.txt", "x.parquet.tmp", "x.csv", "parquet", "x.gz",
    )  # fmt: skip
    found = find_files([str(tmp_path)], "offsets")
    assert names(found.parquet, tmp_path) == ["a.PARQUET", "b.parquet",
                                              "part.parquet/part-0.parquet"]  # fmt: skip
    assert names(found.lines, tmp_path) == [
        "d.ndjson.gz", "deep/er/c.jsonl", "e.json", "f.jsonl.GZ"
    ]  # fmt: skip


def test_patterns(tmp_path: Path) -> None:
    make(tmp_path, "d1/a.parquet", "d2/b.parquet", "d2/c.jsonl", "d2/c.txt", "d3.parquet/x.parquet")
    make(tmp_path, "d4/c.txt")
    found = find_files([str(tmp_path / "d*/*")], "offsets")
    assert names(found.parquet, tmp_path) == [
        "d1/a.parquet", "d2/b.parquet", "d3.parquet/x.parquet",
    ]  # fmt: skip
    assert names(found.lines, tmp_path) == ["d2/c.jsonl"]
    assert find_files([str(tmp_path / "d?/[ab].parquet")], "offsets").lines == ()


@pytest.mark.parametrize(
    ("there", "sources", "problem"),
    [
        ([], ["none", "none/x.parquet", "x*"], "cannot be read: no such file or directory"),
        (["a.parquet"], ["a.parquet/x.parquet"], "cannot be read: no such file or directory"),
        (["d2/c.txt", "d4/c.txt"], ["d2/*.txt", "d4*"], "cannot be read: no such file or"),
        ([], ["x" * 5_000], "cannot be read"),
        (["x.parquet"], [None], "the path of the offsets is empty"),
        ([], [""], "holds no parquet or JSON-lines files of offsets"),
        (["_SUCCESS"], [""], "holds no parquet or JSON-lines files of offsets"),
        (["x.csv", ".a.parquet", "_b/c.jsonl"], [""], "holds no parquet or JSON-lines files of"),
        (["x.csv", "x", "x.txt"], ["x.csv", "x", "x.txt"], r"must be \.parquet, or \.jsonl"),
        (["a.json.zst"], ["a.json.zst"], r"must be \.parquet, or \.jsonl"),
        (["x.parquet.gz"], ["x.parquet.gz"], r"must be \.parquet, or \.jsonl"),
        (["_a.parquet", ".a.parquet"], ["_a.parquet", ".a.parquet", "_*.parquet"], ""),
        (["2026-11-21T09:00:00.parquet"], ["2026-11-21T09:00:00.parquet"], ""),
        (["a:b.parquet"], ["a:b.parquet"], ""),
    ],
)
def test_sources_without_data(
    tmp_path: Path, there: list[str], sources: list[str | None], problem: str
) -> None:
    make(tmp_path, *there)
    for source in sources:
        path = "" if source is None else str(tmp_path / source)
        with pytest.raises(InputError) as caught:
            find_files([path], "offsets")
        assert re.search(problem, str(caught.value))


@pytest.mark.parametrize(
    "name", ["a[1].parquet", "a b.parquet", "größe-日.parquet", "*.parquet", "{x}#%20;,.parquet"]
)
def test_names_that_are_no_patterns(tmp_path: Path, name: str) -> None:
    make(tmp_path, "a1.parquet")
    path = write(tmp_path / name, OFFSETS)
    found = find_files([path], "offsets")
    assert found == TableFiles(parquet=(path,), lines=())
    check_files(found, "offsets")
    assert find_files([str(tmp_path)], "offsets").parquet == tuple(
        sorted([path, str(tmp_path / "a1.parquet")])
    )


def test_the_first_wrong_file_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", OFFSETS)
    wrong = write(tmp_path / "b.parquet", {**OFFSETS, "lag": pa.int64()})
    (tmp_path / "c.jsonl").write_text("no JSON\n")
    with pytest.raises(InputError) as caught:
        check_files(find_files([str(tmp_path)], "offsets"), "offsets")
    assert caught.value.source == wrong


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    make(tmp_path / "elsewhere", "b.parquet")
    make(tmp_path / "here", "a.parquet")
    (tmp_path / "here" / "day2").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "up").symlink_to(tmp_path / "here")
    found = find_files([str(tmp_path / "here")], "offsets").parquet
    assert names(found, tmp_path / "here") == ["a.parquet", "day2/b.parquet"]


def test_what_is_no_ordinary_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="not a regular file"):
        find_files([str(tmp_path)], "offsets")
