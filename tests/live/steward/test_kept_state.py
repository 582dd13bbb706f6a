"""What a steward learnt, over restarts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from equilag.domain.errors import InputError
from equilag.live.status.state_file import KeptState
from equilag.live.tracking.topic_columns import ObservedOffsets

FORMAT = "equilag/steward-state/1"


def test_without_a_file_nothing_is_kept(tmp_path: Path) -> None:
    kept = KeptState.open(None, "g")
    kept.save(1e9)
    assert not list(tmp_path.iterdir())


def test_it_is_written_every_minute(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    kept = KeptState.open(path, "g")
    begin = kept._saved_at
    kept.save_sometimes(begin + 59)
    assert not path.exists()
    kept.save_sometimes(begin + 61)
    assert json.loads(path.read_text("utf-8"))["format"] == FORMAT


def test_rates_are_known_again_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    kept = KeptState.open(path, "g")
    begin = kept._saved_at
    for number in range(6):
        kept.tracker.add(
            ObservedOffsets(
                begin - 30 + 5 * number, {"t": [0]}, {"t": [100 * number]}, {"t": [0]}, {}
            )
        )
    kept.save(begin)
    again = KeptState.open(path, "g").tracker.rates({"t": 1})
    assert again.rates["t"] == [pytest.approx(20.0)]


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    KeptState.open(path, "other").save(0.0)
    with pytest.raises(InputError) as caught:
        KeptState.open(path, "g")
    assert str(path) in str(caught.value)


def test_a_folder_that_is_gone_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    kept = KeptState.open(folder / "state.json", "g")
    folder.rmdir()
    for now in (0.0, 100.0):
        kept.save(now)
    assert [record.getMessage() for record in caplog.records] == ["state-not-kept"]
