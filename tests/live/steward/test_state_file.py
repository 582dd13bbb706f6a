"""The file that keeps what a steward has learnt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.tracked_loads import TOPIC, observation

from equilag.domain.errors import InputError
from equilag.live.status.state_file import StateFile
from equilag.live.tracking.load_tracker import LoadTracker

WALL = 1_800_000_000.0


def tracker() -> LoadTracker:
    found = LoadTracker()
    for at in range(0, 31, 5):
        found.add(observation(float(at), [at * 10]))
    return found


def test_a_file_that_is_not_there_is_a_new_state(tmp_path: Path) -> None:
    found = StateFile(tmp_path / "state", "g").load(0.0, WALL)
    assert found.rates({TOPIC: 1}).rates == {TOPIC: [None]}


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    file = StateFile(tmp_path / "state", "g")
    file.save(tracker(), 30.0, WALL)
    file.save(tracker(), 30.0, WALL)
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert json.loads((tmp_path / "state").read_text("utf-8"))["group"] == "g"
    assert file.load(0.0, WALL + 10).rates({TOPIC: 1}).rates == {TOPIC: [10]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty; a JSON object is required"),
        ("{", "line 1 column 2: not valid JSON"),
        ("[]", "a list, not an object"),
        ('{"group": "other"}', 'group: "other" is not "g", the group to steward'),
    ],
)
def test_a_foreign_file_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "state"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        StateFile(path, "g").load(0.0, WALL)
    assert str(error.value).startswith(f"{path}: {problem}")


def test_a_place_where_no_file_can_be_is_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "state"
    with pytest.raises(InputError, match="state: there is no such folder"):
        StateFile(path, "g").load(0.0, WALL)
    with pytest.raises(InputError, match="File name too long"):
        StateFile(tmp_path / ("a" * 300), "g").load(0.0, WALL)


def test_a_file_that_cannot_be_written_is_named_and_the_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.mkdir()
    with pytest.raises(InputError, match="state: Is a directory"):
        StateFile(path, "g").save(tracker(), 30.0, WALL)
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
    with pytest.raises(InputError, match="none/state: No such file"):
        StateFile(tmp_path / "none" / "state", "g").save(tracker(), 30.0, WALL)
