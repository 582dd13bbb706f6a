"""Check of a history's files against the columns of its tables: the first wrong one is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.check_history import check_files, check_lines, check_parquet
from equilag.pipeline.sources.history import TABLES, TableColumn, TableName, find_files

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


class Form(NamedTuple):
    """A form of files: kind of a column -> values (types in parquet) that fit, and what errors ask
    for with some that do not."""

    name: str
    good: dict[str, list[Any]]
    bad: dict[str, tuple[str, list[Any]]]

    def row(self, table: TableName) -> dict[str, Any]:
        return {column.name: self.good[column.kind][0] for column in TABLES[table]}

    def file(self, folder: Path, *rows: dict[str, Any] | bytes) -> str:
        """A file with these rows; in parquet one without rows, with columns of these types."""
        path = folder / self.name
        if self is PARQUET:
            pq.write_table(pa.schema([*rows[0].items()]).empty_table(), path)
        else:
            lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
            path.write_bytes(b"\n".join(lines))
        return str(path)

    def check(self, table: TableName, folder: Path, *rows: dict[str, Any] | bytes) -> None:
        check_files(find_files([self.file(folder, *rows)], table), table)

    def refused(self, table: TableName, folder: Path, *rows: dict[str, Any] | bytes) -> InputError:
        with pytest.raises(InputError) as caught:
            self.check(table, folder, *rows)
        assert caught.value.source == str(folder / self.name)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 500
        return caught.value


LINES = Form(
    "x.jsonl",
    {
        "bigint": [7, -(2**63), 2**63 - 1],
        "string": ["g", "", "größe.日\u2028\x00"],
        "double": [1.5, 2],
        "array<string>": [["t"], []],
        "map<string,array<int>>": [{"t": [0, 1], "u": []}, {}, {"t": [2**31 - 1, -(2**31)]}],
    },
    {
        "bigint": ("a whole number", ["7", True, 1e3, 1.5, 2**63, -(2**63) - 1, "2026-11-21"]),
        "string": ("a string", [5, ["t"], 1.5]),
        "double": ("a number", ["1.5", True]),
        "array<string>": ("a list of strings", ["t", ["t", None]]),
        "map<string,array<int>>": (
            "an object of lists of partition numbers",
            [[["t", [0]]], {"t": 0}, {"t": [True]}, {"t": [0.0]}, {"t": [2**31]}],
        ),
    },
)
WHOLE, TEXT, LIST = pa.int64(), pa.string(), pa.list_(pa.string())
OWNED = pa.map_(TEXT, pa.list_(pa.int32()))
ROWS_OF = pa.struct([("key", TEXT), ("value", pa.list_(pa.int32()))])
PARQUET = Form(
    "x.parquet",
    {
        "bigint": [WHOLE, pa.int32(), pa.int16()],
        "string": [TEXT, pa.large_string(), pa.dictionary(pa.int8(), pa.large_string())],
        "double": [pa.float64(), pa.float32()],
        "array<string>": [LIST, pa.large_list(pa.large_string())],
        "map<string,array<int>>": [OWNED, pa.map_(pa.large_string(), pa.list_(pa.int32()))],
    },
    {
        "bigint": (
            "of type int64 (or int32)",
            [pa.timestamp("ms"), pa.float64(), pa.uint32(), pa.decimal128(19, 0), pa.null(), TEXT],
        ),
        "string": ("of type string", [pa.binary(), LIST, pa.int32()]),
        "double": ("of type double", [WHOLE, pa.decimal128(9, 2)]),
        "array<string>": ("of type list<string>", [TEXT, pa.list_(WHOLE)]),
        "map<string,array<int>>": (
            "of type map<string, list<int32>>",
            [pa.map_(TEXT, pa.list_(WHOLE)), pa.map_(pa.int32(), pa.list_(pa.int32())),
             pa.list_(ROWS_OF)],
        ),
    },
)  # fmt: skip
FORMS = [LINES, PARQUET]
OFFSET = LINES.row("offsets")
EVERY = [(table, column) for table, columns in TABLES.items() for column in columns]
in_each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)


@in_each_form
@pytest.mark.parametrize("table", TABLES)
def test_columns_that_fit(tmp_path: Path, form: Form, table: TableName) -> None:
    row, columns = form.row(table), TABLES[table]
    form.check(table, tmp_path, row)
    form.check(table, tmp_path, dict(reversed(row.items())))
    for column in columns:
        for value in form.good[column.kind]:
            form.check(table, tmp_path, {**row, column.name: value})
    least = [c.name for c in columns if not (c.optional if form is PARQUET else c.nullable)]
    form.check(table, tmp_path, {name: row[name] for name in least})
    if form is LINES:
        nulls = {c.name: None if c.nullable else row[c.name] for c in columns}
        form.check(table, tmp_path, nulls)


@in_each_form
@pytest.mark.parametrize(("table", "column"), EVERY, ids=str)
def test_a_column_that_is_missing_or_of_a_wrong_type(
    tmp_path: Path, form: Form, table: TableName, column: TableColumn
) -> None:
    row, name = form.row(table), column.name
    expected, values = form.bad[column.kind]
    of_lines, optional = form is LINES, column.nullable if form is LINES else column.optional
    for value in [*values, *([None] if of_lines and not column.nullable else [])]:
        wrong = {**row, name: value}
        error = form.refused(table, tmp_path, *([row, b"", wrong] if of_lines else [wrong]))
        assert error.place == f"{'line 3: ' if of_lines else ''}column {name}"
        required, _, found = error.problem.partition(", not ")
        hint = " (milliseconds since 1970)" if name == "ts_ms" and not of_lines else ""
        assert required == f"must be {expected}{hint}"
        stored = None if of_lines else pq.read_schema(tmp_path / form.name).field(name).type
        assert found == (json.dumps(value) if of_lines else str(stored))
    if not optional:
        less = {other: value for other, value in row.items() if other != name}
        error = form.refused(table, tmp_path, *([row, less] if of_lines else [less]))
        assert (error.place[-len(name) :], error.problem) == (name, "missing")


@in_each_form
@pytest.mark.parametrize("name", ["lag", "Group", "log bytes", "zwei\nZeilen", "ü", "", "member"])
def test_an_unknown_column(tmp_path: Path, form: Form, name: str) -> None:
    row = form.row("offsets")
    error = form.refused("offsets", tmp_path, {**row, name: row["ts_ms"]})
    assert error.place.endswith(f"column {name}")
    assert error.problem.startswith("unknown; the columns of offsets are ts_ms, group, topic, ")


def test_a_column_that_is_there_twice(tmp_path: Path) -> None:
    columns = [*PARQUET.row("offsets").items(), ("committed", WHOLE)]
    pq.write_table(pa.schema(columns).empty_table(), tmp_path / "x.parquet")
    error = refused_file(tmp_path / "x.parquet")
    assert (error.place, error.problem) == ("column committed", "appears twice")


def refused_file(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        check_parquet(str(path), "offsets")
    assert caught.value.source == str(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_files_that_are_not_parquet(tmp_path: Path) -> None:
    whole = Path(PARQUET.file(tmp_path, PARQUET.row("offsets"))).read_bytes()
    broken = [
        b"", b"PAR1", b"group,topic\n", b'{"ts_ms": 1}\n' * 9,
        whole[:-1], whole[: len(whole) // 2],
        whole[:-8] + b"\xff\xff\xff\x7fPAR1", b"PAR1" + bytes(100) + whole[-8:],
    ]  # fmt: skip
    for number, content in enumerate(broken):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(content)
        assert refused_file(path).problem.startswith("cannot be read as parquet: ")
    assert "o such file" in refused_file(tmp_path / "none.parquet").problem


def test_the_first_wrong_file_is_named(tmp_path: Path) -> None:
    row = PARQUET.row("offsets")
    PARQUET.file(tmp_path, row)
    (tmp_path / "x.parquet").rename(tmp_path / "a.parquet")
    wrong = PARQUET.file(tmp_path, {**row, "lag": WHOLE})
    (tmp_path / "z.jsonl").write_text("no JSON\n")
    with pytest.raises(InputError) as caught:
        check_files(find_files([str(tmp_path)], "offsets"), "offsets")
    assert caught.value.source == wrong


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
        error = LINES.refused("offsets", tmp_path, OFFSET, line)
        assert error.place == ("" if lines is NOT_UTF8 else "line 2")
        assert error.problem.startswith(problem)


def test_empty_lines_and_ends_of_lines(tmp_path: Path) -> None:
    row = json.dumps(OFFSET).encode()
    LINES.check("offsets", tmp_path)
    LINES.check("offsets", tmp_path, b"", b"  \t ", row, b"", b"")
    LINES.check("offsets", tmp_path, row + b"\r", row + b"\r", b"\r", b"")
    LINES.check("offsets", tmp_path, row, row)
    assert LINES.refused("offsets", tmp_path, b"", b"", b"x").place == "line 3"
    assert LINES.refused("offsets", tmp_path, row + b"\r", b"\r", b"x").place == "line 3"


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
    row = {**LINES.row(table), "ts_ms": 1}
    line = json.dumps(row).replace(column, "{" + first + ", " + column[1:])
    LINES.refused(table, tmp_path, line.encode())
