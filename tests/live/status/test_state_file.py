"""The file that keeps what a steward has learnt over restarts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.tracked_loads import TOPIC, observation

from equilag.domain.errors import InputError
from equilag.live.status.state_file import KeptState


def learnt(path: Path | None, group: str = "g") -> KeptState:
    """A state that knows the rate of the topic, 20 records/s."""
    kept = KeptState(path, group)
    for step in range(6):
        kept.tracker.add(observation(kept._saved_at - 30 + 5 * step, [100 * step]))
    return kept


def rates(kept: KeptState) -> list[float | None]:
    return kept.tracker.rates({TOPIC: 1})[0][TOPIC]


def test_without_a_file_nothing_is_kept(tmp_path: Path) -> None:
    learnt(None).save(1e9)
    assert rates(KeptState(None, "g")) == [None]
    assert not list(tmp_path.iterdir())


def test_it_is_written_every_minute(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    kept = KeptState(path, "g")
    begin = kept._saved_at
    kept.save_sometimes(begin + 59)
    assert not path.exists()
    kept.save_sometimes(begin + 61)
    kept.save(begin + 62)
    assert [one.name for one in tmp_path.iterdir()] == ["state.json"]
    written = json.loads(path.read_text("utf-8"))
    assert (written["format"], written["group"]) == ("equilag/steward-state/1", "g")


def test_rates_are_known_again_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    assert rates(KeptState(path, "g")) == [None]
    kept = learnt(path)
    kept.save(kept._saved_at)
    assert rates(KeptState(path, "g")) == [pytest.approx(20.0)]


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
        KeptState(path, "g")
    assert str(error.value).startswith(f"{path}: {problem}")


def test_a_place_where_no_file_can_be_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="state: there is no such folder"):
        KeptState(tmp_path / "missing" / "state", "g")
    with pytest.raises(InputError, match="File name too long"):
        KeptState(tmp_path / ("a" * 300), "g")


def test_a_folder_that_is_gone_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    kept = KeptState(folder / "state", "g")
    folder.rmdir()
    for now in (0.0, 100.0):
        kept.save(now)
    (record,) = caplog.records
    assert record.getMessage() == "state-not-kept"
    problem = record.fields["problem"]  # type: ignore[attr-defined]
    assert problem == f"{folder / 'state'}: No such file or directory"
    folder.mkdir()
    kept.save(200.0)
    (folder / "state").unlink()
    folder.rmdir()
    kept.save(300.0)
    assert len(caplog.records) == 2
