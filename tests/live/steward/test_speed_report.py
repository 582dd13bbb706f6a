"""Lines on the members' speeds in the steward's log."""

from __future__ import annotations

import logging

import pytest

from equilag.live.status.status_figures import SpeedReport


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.fields["reason"] for record in caplog.records]  # type: ignore[attr-defined]


def test_speeds_are_reported_when_they_change(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    report = SpeedReport()
    report.report({}, (), 0.0)
    assert not caplog.records
    speeds = {f"c-{n}": 120.0 for n in range(5)} | {"slow": 40.04}
    for _ in range(3):
        report.report(speeds, {"slow"}, 512.0)
    assert lines(caplog) == [
        "slow: 40.0 records/s; 5 members: 120.0 records/s assumed, without a backlog so far"
    ]
    assert caplog.records[0].fields["used_percent"] == 80  # type: ignore[attr-defined]
    report.report({"a": 10.0, "b": 10.0}, "ab", 1.0)
    named = "worker-3-25689002-60c4-4600-8d95-0f445392efc6"
    report.report({"a": 10.0, named: 5.0}, ["a", named], 1.0)
    report.report({}, (), 1.0)
    assert lines(caplog)[1:] == [
        "2 members: 10.0 records/s",
        "worker-3: 5.0 records/s; a: 10.0 records/s",
        "no longer known; all members count as equal",
    ]
