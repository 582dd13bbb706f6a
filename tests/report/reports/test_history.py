"""What changed in a group, in words, a table and a curve."""

from __future__ import annotations

from support.orders_service import orders_group
from support.reports import words_of

from equilag.report.report_blocks import Chart, Notes, Report, Table
from equilag.report.reports.history import course_of, history_section

MEMBERS = [{"id": "a", "subscription": ["orders"], "owned": {"orders": [0, 1, 2, 3]}}]


def test_before_and_after() -> None:
    section = history_section([orders_group(), orders_group(members=MEMBERS, lags={})])
    notes, table = section.blocks
    assert isinstance(notes, Notes)
    assert notes.lines == (
        "The lag shrank: 2,286 → 0 records.", "Left: b, c.", "1 of 9 partitions changed hands.",
    )  # fmt: skip
    assert isinstance(table, Table)
    assert [row[:3] for row in table.rows] == [("1", 2286, 3), ("2", 0, 1)]
    assert section.rest == " between 2 snapshots"
    assert history_section([orders_group()]) is None


def test_a_curve_of_snapshots_of_known_times() -> None:
    groups = [
        orders_group(taken_at=f"2026-11-20T0{hour}:00:00Z", lags={"orders": [hour] * 5})
        for hour in range(4)
    ]
    section = history_section(groups, course_of(groups))
    chart = next(one for one in section.blocks if isinstance(one, Chart))
    assert [(point.x, point.y) for point in chart.series[0].points] == [
        (0, 0), (3600, 5), (7200, 10), (10_800, 15),
    ]  # fmt: skip
    assert section.rest == " between 4 snapshots, in 3 h"

    class Given(Report):
        def parts(self) -> list[object]:  # type: ignore[override]
            return [section]

    text = words_of(Given())
    assert "The same 3 members. No partition changed hands." in text
    assert "The lag grew most of orders-0 (0 → 3), orders-1 (0 → 3)" in text
