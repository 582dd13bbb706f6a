"""Tables on screens of any width: shorter figures first, then fewer columns; bars and curves."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from support.orders_service import even_assignment, slow_group
from support.reports import text_of

from equilag.planner.simulate import simulate
from equilag.report.report_blocks import Column, Table
from equilag.report.reports.simulation import SimulationReport
from equilag.report.terminal import Screen
from equilag.report.text.table_lines import area, table_lines

COLUMNS = (
    Column("lag spread"), Column("mean", optional=True, note="of all"),
    Column("", "bar", optional=True),
)  # fmt: skip
TABLE = Table(COLUMNS, ((12_345_678, 5, (1.0,)),))


def lines_of(table: Table, width: int, plain: bool = False) -> list[str]:
    found = table_lines(table, Screen(width, ascii=plain), 0, str)
    return [*(line.plain for line in [*found.heading, *found.rows]), *found.notes]


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (90, "12,345,678     5  ██████████"),
        (71, "12,345,678     5  ██████"),
        (20, "12,345,678     5"),
        (16, "12,345,678     5"),
        (15, " 12.3M     5"),
        (11, "12,345,678"),
        (9, " 12.3M"),
        (2, " 12.3M"),
    ],
)
def test_what_a_screen_shows(width: int, row: str) -> None:
    found = lines_of(TABLE, width)
    assert row in (line.rstrip() for line in found)
    left_out = "left out for lack of room: mean"
    assert (left_out in found) == (width < 12)
    assert ("mean: of all" in found) == (width >= 12)


@pytest.mark.parametrize("width", [80, 50])
@pytest.mark.parametrize("plain", [False, True])
def test_names_are_cut_where_they_are_alike(width: int, plain: bool) -> None:
    front = "team-payments.settlement-reconciliation-service"
    names = [f"{front}-{n}-of-the-north-eastern-region" for n in range(3)] + ["注文" * 60]
    columns = (Column("group", "name"), *(Column(str(n)) for n in range(3)))
    table = Table(columns, tuple((name, 10**9, 2, 3) for name in names))
    rows = lines_of(table, width, plain)
    assert max(map(cell_len, rows)) <= width
    assert len({row.split()[0] for row in rows[1:5]}) == 4
    assert all("1,000,000,000" in row or "1G" in row for row in rows[1:5])


def test_words_keep_a_few_columns_where_no_screen_is_wide_enough() -> None:
    words = tuple(Column("", "text") for _ in range(3))
    (line,) = lines_of(Table(words, (("a long sentence",) * 3,)), 20)
    assert line.split("  ") == ["a long …"] * 3


def test_many_rows_are_cut() -> None:
    table = Table((Column("n"),), tuple((n,) for n in range(1, 50)), few=3)
    assert lines_of(table, 80) == ["n", "1", "2", "3", "… and 46 more rows (--json lists all)"]


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
