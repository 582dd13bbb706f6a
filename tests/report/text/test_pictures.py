"""Bars and curves of characters."""

from __future__ import annotations

from support.orders_service import even_assignment, slow_group
from support.reports import text_of

from equilag.planner.simulate import simulate
from equilag.report.reports.simulation import SimulationReport
from equilag.report.text.table_lines import area


def test_a_screen_without_block_characters_has_no_picture() -> None:
    report = SimulationReport(simulate(slow_group(), even_assignment()))
    assert "full height" in text_of(report)
    plain = text_of(report, 80, ascii=True)
    assert "full height" not in plain
    assert plain.isascii()
    nothing = slow_group(lags={"t": [0] * 6}, rates={"t": [0] * 6})
    assert "█" not in text_of(SimulationReport(simulate(nothing, even_assignment())))


def test_pictures() -> None:
    assert area([0, 1, 4, 8], 8, 1) == [" ▁▄█"]
    assert area([0, 8, 12, 16], 16, 2) == ["  ▄█", " ███"]
    assert area([1e-9, 5], 1e9, 2) == ["  ", "▁▁"]
    assert area([0, 0], 0, 1) == ["  "]
