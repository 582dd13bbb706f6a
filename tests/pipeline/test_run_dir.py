"""The directory of a run: new or empty before, complete or removed afterwards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from equilag.domain.errors import InputError
from equilag.pipeline.results.run_dir import (
    FORMAT,
    SUCCESS,
    SUMMARY,
    WORK,
    check_target,
    finish_run,
    new_run,
    read_summary,
    reading_run,
)


class Stop(Exception):
    pass


def tree(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def fill(target: Path) -> None:
    (target / "plans").mkdir()
    (target / "plans/part-0.parquet").write_text("x")
    (target / WORK / "solved").mkdir()
    (target / "notes.txt").write_text("x")


def failing_run(path: Path, error: BaseException) -> None:
    with new_run(str(path)) as target:
        fill(target)
        raise error


def finished_run(path: Path, summary: dict[str, Any]) -> Path:
    with new_run(str(path)) as target:
        finish_run(target, summary)
    return target


def refused(path: Path) -> InputError:
    with pytest.raises(InputError) as caught, new_run(str(path)):
        pytest.fail("was entered")
    assert caught.value.source == str(path)
    return caught.value


@pytest.mark.parametrize("name", ["new", "new/below/it", "größe [1] *"])
def test_a_run(tmp_path: Path, name: str) -> None:
    with new_run(str(tmp_path / name)) as target:
        assert target == tmp_path / name
        assert tree(target) == {WORK}
        fill(target)
        finish_run(target, {"groups": 3})
    assert tree(target) == {"plans", "plans/part-0.parquet", "notes.txt", SUMMARY, SUCCESS}
    assert read_summary(str(target)) == {"format": FORMAT, "groups": 3}


@pytest.mark.parametrize(
    ("inside", "problem"),
    [
        ("notes.txt", "is not empty"),
        (".hidden", "is not empty"),
        (SUMMARY, "is not empty"),
        (SUCCESS, "already holds a run"),
        (WORK, "holds an unfinished run, which can be removed"),
    ],
)
def test_a_directory_that_is_not_empty(tmp_path: Path, inside: str, problem: str) -> None:
    (tmp_path / inside).write_text("mine")
    assert refused(tmp_path).problem == f"{problem}; each run needs its own directory"
    assert (tmp_path / inside).read_text() == "mine"
    assert tree(tmp_path) == {inside}


@pytest.mark.parametrize(("name", "problem"), [("file", "not a directory"),
                                               ("file/out", "file' is not a directory"),
                                               ("file/out/deep", "file' is not a directory"),
                                               ("x" * 300, "File name too long"),
                                               ("link", "File exists")])  # fmt: skip
def test_places_where_there_can_be_no_directory(tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    found = refused(tmp_path / name).problem
    assert found.startswith("cannot be written: ")
    assert problem in found
    assert tree(tmp_path) == {"file", "link"}


@pytest.mark.parametrize("error", [Stop, KeyboardInterrupt, SystemExit, InputError])
@pytest.mark.parametrize("there", [False, True])
def test_nothing_is_left_of_a_run_that_fails(
    tmp_path: Path, error: type[BaseException], there: bool
) -> None:
    out = tmp_path / "out"
    if there:
        out.mkdir()
    inode = out.stat().st_ino if there else None
    with pytest.raises(error):
        failing_run(out, error("x"))
    assert tree(tmp_path) == ({"out"} if there else set())
    assert inode is None or out.stat().st_ino == inode


def test_a_summary_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        finished_run(tmp_path / "out", {"groups": object()})
    assert tree(tmp_path) == set()


def test_success_comes_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(self: Path) -> None:
        assert tree(tmp_path / "out") == {SUMMARY}
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "touch", fails)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        finished_run(tmp_path / "out", {})
    assert tree(tmp_path) == set()


def test_a_directory_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    assert refused(tmp_path / "out").problem == "cannot be written: Permission denied"


def test_looking_makes_nothing(tmp_path: Path) -> None:
    assert check_target(str(tmp_path / "a/b")) == tmp_path / "a/b"
    assert tree(tmp_path) == set()


def test_runs_that_are_none(tmp_path: Path) -> None:
    def problem() -> str:
        with pytest.raises(InputError) as caught:
            read_summary(str(tmp_path / "out"))
        assert caught.value.source == str(tmp_path / "out")
        assert "\n" not in str(caught.value)
        return caught.value.problem

    assert problem() == "cannot be read: no such directory"
    (tmp_path / "out").mkdir()
    assert problem() == "not a finished run: it holds no _SUCCESS"
    (tmp_path / "out" / SUCCESS).touch()
    assert problem().startswith("not a run of equilag fleet: ")
    for content in (b"", b"{", b"\xff"):
        (tmp_path / "out" / SUMMARY).write_bytes(content)
        assert problem().startswith("not a run of equilag fleet: ")
    for document in ([], {}, {"format": "equilag/plan/1"}):
        (tmp_path / "out" / SUMMARY).write_text(json.dumps(document))
        assert problem() == f"must be {FORMAT}"
    (tmp_path / "out" / SUMMARY).write_text(json.dumps({"format": FORMAT}))
    assert read_summary(str(tmp_path / "out")) == {"format": FORMAT}


# Earlier defects.


def test_a_run_that_is_removed_while_it_is_made(tmp_path: Path) -> None:
    def remove_it(run: Path) -> None:
        shutil.rmtree(run)
        raise RuntimeError("the real one")

    with pytest.raises(RuntimeError, match="the real one"), new_run(str(tmp_path / "run")) as run:
        remove_it(run)


def test_what_readers_stumble_over_is_one_line() -> None:
    with (
        pytest.raises(InputError, match="this run is damaged: KeyError: 'balance'"),
        reading_run("run-1"),
    ):
        raise KeyError("balance")
    with pytest.raises(InputError, match=r"^a: b: c$"), reading_run("run-1"):
        raise InputError("c", "b", "a")
