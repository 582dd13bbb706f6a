"""The files of a history: how they are found, and the columns of a parquet file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.check_history import check_files, check_parquet
from equilag.pipeline.sources.history import (
    TABLES,
    TableColumn,
    TableFiles,
    TableName,
    find_files,
    literal,
)

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

WHOLE, TEXT, LIST = pa.int64(), pa.string(), pa.list_(pa.string())
OWNED = pa.map_(TEXT, pa.list_(pa.int32()))
GOOD: dict[str, list[Any]] = {
    "bigint": [WHOLE, pa.int32(), pa.int16()],
    "string": [TEXT, pa.large_string(), pa.dictionary(pa.int8(), pa.large_string())],
    "double": [pa.float64(), pa.float32()],
    "array<string>": [LIST, pa.large_list(pa.large_string())],
    "map<string,array<int>>": [OWNED, pa.map_(pa.large_string(), pa.list_(pa.int32()))],
}
LONG = "int64 (or int32)"
ROWS_OF = pa.struct([("key", TEXT), ("value", pa.list_(pa.int32()))])
BAD: dict[str, tuple[str, list[Any]]] = {
    "bigint": (
        LONG, [pa.timestamp("ms"), pa.float64(), pa.uint32(), pa.decimal128(19, 0), pa.null(), TEXT]
    ),
    "string": ("string", [pa.binary(), LIST, pa.int32()]),
    "double": ("double", [WHOLE, pa.decimal128(9, 2)]),
    "array<string>": ("list<string>", [TEXT, pa.list_(WHOLE)]),
    "map<string,array<int>>": (
        "map<string, list<int32>>",
        [pa.map_(TEXT, pa.list_(WHOLE)), pa.map_(pa.int32(), pa.list_(pa.int32())),
         pa.list_(ROWS_OF)],
    ),
}  # fmt: skip
"""Kind of a column -> what errors ask for, and types that are something else."""
COLUMNS = {table: {one.name: GOOD[one.kind][0] for one in rows} for table, rows in TABLES.items()}
OFFSETS = COLUMNS["offsets"]
EVERY = [(table, column) for table, columns in TABLES.items() for column in columns]


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


@pytest.mark.parametrize("table", TABLES)
def test_columns_that_fit(tmp_path: Path, table: TableName) -> None:
    columns, path = COLUMNS[table], tmp_path / "x.parquet"
    least = {column.name: columns[column.name] for column in TABLES[table] if not column.optional}
    for fitting in (columns, least, dict(reversed(columns.items()))):
        check_parquet(write(path, fitting), table)
    for column in TABLES[table]:
        for kind in GOOD[column.kind]:
            check_parquet(write(path, {**columns, column.name: kind}), table)
    check_files(find_files([str(path)], table), table)


@pytest.mark.parametrize(("table", "column"), EVERY, ids=str)
def test_a_column_that_is_missing_or_of_a_wrong_type(
    tmp_path: Path, table: TableName, column: TableColumn
) -> None:
    path, name = tmp_path / "x.parquet", column.name
    expected, kinds = BAD[column.kind]
    for kind in kinds:
        error = refused(write(path, {**COLUMNS[table], name: kind}), table)
        assert error.place == f"column {name}"
        required, _, found = error.problem.partition(", not ")
        hint = " (milliseconds since 1970)" if name == "ts_ms" else ""
        assert required == f"must be of type {expected}{hint}"
        assert found == str(pq.read_schema(path).field(name).type)
    if not column.optional:
        columns = {other: kind for other, kind in COLUMNS[table].items() if other != name}
        error = refused(write(path, columns), table)
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
