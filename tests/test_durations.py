"""The report on tests that got slow."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import durations as module
from support.durations import durations, slower, sums

REPORT = """<testsuites><testsuite>
<testcase classname="tests.a" name="test_one" time="1.2"/>
<testcase classname="tests.a" name="test_two" time="2.04"/>
<testcase classname="tests.b" name="test_one" time="0.5"/>
</testsuite></testsuites>"""


def test_seconds_add_up_by_module(tmp_path: Path) -> None:
    (tmp_path / "tests.xml").write_text(REPORT)
    assert sums(durations(tmp_path / "tests.xml")) == {"tests.a": 3.2, "tests.b": 0.5}


def test_what_got_slow_is_named_whatever_the_machine() -> None:
    kept = {"a": 10.0, "b": 4.0, "c": 0.1, "gone": 9.0}
    for pace in (1.0, 3.0):
        now = {"a": {"x": 10.0 * pace}, "b": {"x": 3.0 * pace, "y": 1.0 * pace},
               "c": {"x": 3.0 * pace}, "new": {"x": 2.9 * pace}}  # fmt: skip
        assert slower(now, kept) == []
        now["b"] = {"x": 3.0 * pace, "y": 4.1 * pace}
        now["d"] = {"x": 3.1 * pace}
        now["a2"] = {"x": 10.0 * pace}
        assert slower(now, {**kept, "a2": 10.0}) == [
            "b: 7.1 s, usually 4.0 s; most in y", "d: 3.1 s, usually 0.0 s; most in x",
        ]  # fmt: skip


def test_without_anything_kept_slow_files_are_named() -> None:
    assert slower({"a": {"x": 9.0}}, {}) == ["a: 9.0 s, usually 0.0 s; most in x"]


def test_a_run_that_wrote_no_report_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that was killed at its limit has none."""
    monkeypatch.setattr(module, "LAST", tmp_path / "tests.xml")
    assert module.main() == 1
    assert f"{tmp_path / 'tests.xml'} is missing" in capsys.readouterr().err
