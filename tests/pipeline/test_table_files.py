"""The files of a history: how they are found."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.sources.history import TableFiles, find_files, literal


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
    make(tmp_path, name)
    path = str(tmp_path / name)
    found = find_files([path], "offsets")
    assert found == TableFiles(parquet=(path,), lines=())
    assert find_files([str(tmp_path)], "offsets").parquet == tuple(
        sorted([path, str(tmp_path / "a1.parquet")])
    )


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
