"""Reading a history's files into Spark tables, with a Spark that records the calls."""

from __future__ import annotations

from typing import Any

import pytest

from equilag.pipeline.results.run_tables import MEMBERS, ddl
from equilag.pipeline.results.table_files import TableFiles
from equilag.pipeline.sources.history import literal, read_files


class FakeReader:
    """Spark's reader; a table is the list of what was read into it."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls = calls

    @property
    def read(self) -> FakeReader:
        return FakeReader([])

    def schema(self, text: str) -> FakeReader:
        return FakeReader([*self.calls, text])

    def option(self, name: str, value: str) -> FakeReader:
        return FakeReader([*self.calls, (name, value)])

    def parquet(self, *paths: str) -> FakeReader:
        return FakeReader([*self.calls, "parquet", *paths])

    def json(self, paths: list[str]) -> FakeReader:
        return FakeReader([*self.calls, "json", *paths])

    def unionByName(self, other: FakeReader) -> FakeReader:  # noqa: N802 - the name in Spark
        return FakeReader([self.calls, other.calls])


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/a/b.parquet", "/a/b.parquet"),
        ("/a [1]/*?.json", "/a \\[1\\]/\\*\\?.json"),
        ("{x}\\y", "\\{x\\}\\\\y"),
    ],
)
def test_a_path_is_escaped(path: str, pattern: str) -> None:
    assert literal(path) == pattern


def test_both_kinds_of_files_become_one_table() -> None:
    spark: Any = FakeReader([])
    schema = ddl(MEMBERS)
    parquet = [schema, "parquet", "/h/\\[1\\].parquet", "/h/2.parquet"]
    lines = [schema, ("mode", "FAILFAST"), "json", "/h/3.jsonl"]
    both = TableFiles(("/h/[1].parquet", "/h/2.parquet"), ("/h/3.jsonl",))

    def calls(files: TableFiles) -> list[Any]:
        table: Any = read_files(spark, files, "members")
        return list(table.calls)

    assert calls(both) == [parquet, lines]
    assert calls(TableFiles(both.parquet, ())) == parquet
    assert calls(TableFiles((), both.lines)) == lines
