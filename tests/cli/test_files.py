"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest
from support.paths import SAMPLES

from equilag.adapters.files import OutputFile
from equilag.domain.errors import InputError


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_keeps_its_permissions_and_a_link_stays_one(tmp_path) -> None:
    path, usual, link = (tmp_path / name for name in ("plan.json", "usual", "link"))
    usual.touch()
    link.symlink_to(path)
    OutputFile(str(path), "--out").write("a longer text that is there before")
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    for target in (path, link):
        OutputFile(str(target), "--out").write(f"new {target.name}")
        assert path.read_text() == f"new {target.name}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink()
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(InputError, match="cannot be written"):
        OutputFile(str(link), "--out").write("new")


def test_what_is_no_ordinary_file_is_written_to_and_not_replaced(tmp_path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        OutputFile(str(pipe), "--out").write("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()])
@pytest.mark.parametrize(("place", "moment"), [(os, "fsync"), (Path, "replace")])
@pytest.mark.parametrize("before", ["old", None])
def test_a_failure_leaves_everything_as_it_was(
    tmp_path, monkeypatch, error, place, moment, before
) -> None:
    path = tmp_path / "plan.json"
    if before is not None:
        path.write_text(before)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(place, moment, fail)
    with pytest.raises((InputError, KeyboardInterrupt)) as caught:
        OutputFile(str(path), "--out").write("new")
    full = f"{path}: cannot be written: No space left on device"
    assert str(caught.value) == (full if error is FULL else "")
    assert names(tmp_path) == ({"plan.json"} if before else set())
    assert before is None or path.read_text() == before


# Through the commands: refused before any work is done.


@pytest.mark.parametrize(("command", "option"), [("plan", "--out"), ("frontier", "--plot")])
def test_places_where_no_file_can_be(refused, write, tmp_path, command, option) -> None:
    (tmp_path / "folder").mkdir()
    problems = {
        "folder": "it is a directory",
        "none/out": f"there is no directory '{tmp_path / 'none'}'",
        "x" * 5000: "File name too long",
    }
    for name, problem in problems.items():
        path = tmp_path / name
        assert refused(command, write(), option, path) == f"{path}: cannot be written: {problem}"
    assert names(tmp_path) == {"folder", "group.json"}


def test_no_permission(refused, write, tmp_path, monkeypatch) -> None:
    path = tmp_path / "plan.json"
    path.write_text("old")
    # Root, who runs many a test, may write anywhere.
    monkeypatch.setattr(
        os, "access", lambda where, how: not (Path(where) == path and how & os.W_OK)
    )
    said = refused("plan", write(), "--out", path)
    assert said == f"{path}: cannot be written: Permission denied"
    assert path.read_text() == "old"


@pytest.mark.parametrize("name", ["group.json", "link"])
def test_the_input_is_not_overwritten(refused, write, tmp_path, name) -> None:
    snapshot = write()
    before = snapshot.read_text()
    (tmp_path / "link").symlink_to(snapshot)
    said = refused("plan", snapshot, "--out", tmp_path / name)
    assert said.startswith("--out: would overwrite the input")
    assert snapshot.read_text() == before


def test_the_commands_name_the_file_and_the_right_command(refused, tmp_path) -> None:
    told = (
        "the output of kafka-consumer-groups: use --from-describe, as in equilag snapshot"
        " --from-describe TEXT --out group.json"
    )
    text, snapshot = SAMPLES / "stats.describe.txt", SAMPLES / "stats.snapshot.json"
    assert refused("plan", text) == f"{text}: {told}"
    assert told in refused("verify", snapshot, text)
    described = refused("plan", "--from-describe", snapshot)
    assert "a snapshot; a text of kafka-consumer-groups --describe is required" in described
    page = tmp_path / "page.html"
    page.write_text("<html></html>", "utf-8")
    assert "an HTML page; a text of" in refused("plan", "--from-describe", page)
