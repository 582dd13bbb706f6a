"""A history on disk: complete however the process ends, with each row once."""

from __future__ import annotations

import errno
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError

pytest.importorskip("pyarrow")
import pyarrow.parquet as pq

from equilag.pipeline.results.record import SCHEMAS, Recorder

HOUR = 3_600_000
T0 = 500_000 * HOUR


def offsets(ts_ms: int) -> dict[str, list[Any]]:
    return {
        "ts_ms": [ts_ms] * 3, "group": ["g"] * 3, "topic": ["t"] * 3, "partition": [2, 1, 0],
        "log_start": [0] * 3, "log_end": [100] * 3, "committed": [50, None, None],
        "log_bytes": [None] * 3,
    }  # fmt: skip


def members(ts_ms: int) -> dict[str, list[Any]]:
    known = {
        "ts_ms": [ts_ms, ts_ms], "group": ["g", "h"], "member": ["m", None],
        "subscription": [["t"], []], "owned": [[("t", [0, 2])], []], "rack": ["r", None],
        "generation": [4, None], "client_id": ["c", None], "host": ["/h", None],
    }  # fmt: skip
    return {name: known.get(name, [None, None]) for name in SCHEMAS["members"].names}


def racks(ts_ms: int) -> dict[str, list[Any]]:
    return {"ts_ms": [ts_ms], "topic": ["t"], "partition": [0], "racks": [["r", "s"]]}


def add(recorder: Recorder, ts_ms: int) -> None:
    recorder.add(ts_ms, offsets(ts_ms), members(ts_ms), racks(ts_ms))


def rows(folder: Path, table: str) -> Counter[tuple[Any, ...]]:
    """All rows that a reader of `*.parquet` sees, and how often."""
    found: Counter[tuple[Any, ...]] = Counter()
    for path in (folder / table).glob("*.parquet"):
        for row in pq.read_table(path, partitioning=None).to_pylist():
            found[tuple(str(value) for value in row.values())] += 1
    return found


def names(folder: Path, table: str) -> list[str]:
    return sorted(path.name for path in (folder / table).iterdir())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "history"


@pytest.fixture
def recorder(folder: Path) -> Iterator[Recorder]:
    with closing(Recorder(str(folder))) as recorder:
        yield recorder


def recorded(folder: Path, *times: int) -> None:
    with closing(Recorder(str(folder))) as recorder:
        for ts_ms in times:
            add(recorder, ts_ms)


def test_a_round_is_a_file_in_each_table(folder: Path) -> None:
    recorded(folder, T0, T0 + 30_000)
    assert names(folder, "offsets") == names(folder, "members")
    assert len(names(folder, "offsets")) == 2
    assert rows(folder, "offsets").total() == 6
    path = next((folder / "members").iterdir())
    assert pq.read_schema(path) == SCHEMAS["members"]
    first = pq.read_table(path, partitioning=None).to_pylist()[0]
    assert (first["subscription"], first["owned"]) == (["t"], [("t", [0, 2])])


def test_only_rounds_with_racks_have_a_file_of_them(folder: Path, recorder: Recorder) -> None:
    for none in (None, {}, {name: [] for name in racks(T0)}):
        recorder.add(T0, offsets(T0), members(T0), none)
    assert not (folder / "racks").exists()  # which a reader would take for a table without files
    add(recorder, T0 + 1)
    recorder.add(T0 + 2, offsets(T0 + 2), members(T0 + 2))
    assert len(names(folder, "racks")) == 1
    recorder.compact(T0 + HOUR)
    recorder.close()
    assert rows(folder, "racks") == {(str(T0 + 1), "t", "0", "['r', 's']"): 1}
    recorded(folder, T0 + HOUR)


def test_past_hours_are_merged(folder: Path, recorder: Recorder) -> None:
    for minute in (0, 20, 40, 60, 80, 130):
        add(recorder, T0 + minute * 60_000)
    before = {table: rows(folder, table) for table in SCHEMAS}
    recorder.compact(T0 + 130 * 60_000)
    assert {table: rows(folder, table) for table in SCHEMAS} == before
    kinds = [name.split("-")[0] for name in names(folder, "offsets")]
    assert kinds == ["hour", "hour", "part"]
    recorder.compact(T0 + 131 * 60_000)
    assert len(names(folder, "offsets")) == 3
    merged = min((folder / "offsets").glob("hour-*"))
    table = pq.read_table(merged, partitioning=None)
    assert table.column("partition").to_pylist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_parts_from_before_a_column_was_there_are_merged(folder: Path) -> None:
    recorded(folder, T0, T0 + 1)
    path = next((folder / "members").iterdir())
    older = pq.read_table(path, partitioning=None)
    pq.write_table(older.drop_columns(["client_id", "host", "max_partitions", "instance"]), path)
    recorder = Recorder(str(folder))
    recorder.compact(T0 + HOUR)
    recorder.close()
    (merged,) = (folder / "members").iterdir()
    hosts = pq.read_table(merged, partitioning=None)["host"].to_pylist()
    assert sorted(map(str, hosts)) == ["/h", "None", "None", "None"]


def test_a_large_hour_is_merged_in_pieces(folder: Path, recorder: Recorder, monkeypatch) -> None:
    monkeypatch.setattr("equilag.pipeline.results.record._MERGED_ROWS", 5)
    for at in range(5):
        add(recorder, T0 + at)
    before = rows(folder, "offsets")
    recorder.compact(T0 + HOUR)
    assert rows(folder, "offsets") == before
    assert pq.ParquetFile(next((folder / "offsets").iterdir())).num_row_groups == 3


# Kills: the same calls, ended at each step that changes the disk.


class Killed(BaseException):
    """No clean-up code catches it, see `kill_at`."""


def kill_at(monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Stop at the `step`-th rename or unlink; the disk does not change after that."""
    left = [step]

    def counted(real: Any) -> Any:
        def call(self: Path, *args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return real(self, *args, **kwargs)

        return call

    monkeypatch.setattr(Path, "rename", counted(Path.rename))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))


@pytest.mark.parametrize("step", range(4))
def test_killed_while_a_round_is_written(folder: Path, monkeypatch, step: int) -> None:
    recorded(folder, T0)
    recorder = Recorder(str(folder))
    with monkeypatch.context() as patch:
        kill_at(patch, step)
        with suppress(Killed):
            add(recorder, T0 + 1)
    recorder.close()
    assert rows(folder, "offsets").total() == (3 if step < 1 else 6)
    Recorder(str(folder)).close()
    # All tables have the round, or none.
    times = {1} if step < 1 else {1, 2}
    for table in SCHEMAS:
        assert len({row[0] for row in rows(folder, table)}) == max(times)
        assert set(rows(folder, table).values()) == {1}
        assert not list((folder / table).glob("*.part"))


@pytest.mark.parametrize("step", range(13))
def test_killed_while_an_hour_is_merged(folder: Path, monkeypatch, step: int) -> None:
    recorded(folder, T0, T0 + 1, T0 + 2)
    before = {table: rows(folder, table) for table in SCHEMAS}
    recorder = Recorder(str(folder))
    with monkeypatch.context() as patch:
        kill_at(patch, step)
        with suppress(Killed):
            recorder.compact(T0 + HOUR)
    recorder.close()
    for table in SCHEMAS:
        seen = rows(folder, table)
        assert set(seen) == set(before[table])  # nothing lost,
        assert set(seen.values()) <= {1, 2}  # and twice only until the next start
    recorder = Recorder(str(folder))
    assert {table: rows(folder, table) for table in SCHEMAS} == before
    recorder.compact(T0 + HOUR)
    recorder.close()
    assert {table: rows(folder, table) for table in SCHEMAS} == before
    assert len(names(folder, "offsets")) == 1


def test_half_a_file_that_a_kill_left_is_removed(folder: Path) -> None:
    recorded(folder, T0)
    for table in SCHEMAS:
        (folder / table / f"part-{T0 + 1}-0123abcd.parquet.part").write_bytes(b"PAR1 and no more")
    (folder / "offsets" / f"hour-{T0}-0123abcd.parquet.part").write_bytes(b"")
    recorded(folder, T0 + 2)
    for table in SCHEMAS:
        assert len(names(folder, table)) == 2
        assert not list((folder / table).glob("*.part"))


def test_a_full_disk_leaves_nothing(folder: Path, recorder: Recorder, monkeypatch) -> None:
    add(recorder, T0)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="history: cannot be written: No space left on device"):
        add(recorder, T0 + 1)
    with pytest.raises(InputError, match="No space left"):
        recorder.compact(T0 + HOUR)
    assert [len(names(folder, table)) for table in SCHEMAS] == [1, 1, 1]


def test_a_part_that_is_broken_is_named(folder: Path) -> None:
    recorded(folder, T0)
    (folder / "offsets" / f"part-{T0 + 1}-0123abcd.parquet").write_bytes(b"no parquet")
    recorder = Recorder(str(folder))
    with pytest.raises(InputError, match=r"0123abcd\.parquet: cannot be read as parquet: "):
        recorder.compact(T0 + HOUR)
    recorder.close()
    assert not list((folder / "offsets").glob("*.part"))


def test_two_recorders_at_once(folder: Path, recorder: Recorder) -> None:
    with pytest.raises(InputError, match="another equilag collect is writing here"):
        Recorder(str(folder))
    recorder.close()
    Recorder(str(folder)).close()


@pytest.mark.parametrize(
    "inside", ["notes.txt", "offsets", "offsets/data.csv", "members/deeper/x.parquet"]
)
def test_a_folder_that_holds_something_else(folder: Path, inside: str) -> None:
    path = folder / inside
    path.parent.mkdir(parents=True)
    path.write_text("mine", "utf-8")
    with pytest.raises(InputError, match="history: not a history: it holds "):
        Recorder(str(folder))
    assert path.read_text("utf-8") == "mine"
    assert not (folder / ".collecting").exists()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a/b", "cannot be created: the directory"),
        ("file", "not a directory"),
        ("x" * 300, "cannot be written: File name too long"),
    ],
)
def test_no_folder_to_make_it_in(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=problem):
        Recorder(str(tmp_path / name))


def test_rows_that_do_not_fit_the_schema_are_refused(folder: Path, recorder: Recorder) -> None:
    with pytest.raises(InputError, match="history: "):
        recorder.add(T0, {**offsets(T0), "partition": ["one", "two", "three"]}, {})
    recorder.close()  # that of the fixture, a second time, does nothing
    assert [list((folder / table).iterdir()) for table in ("offsets", "members")] == [[], []]
