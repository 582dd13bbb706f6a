"""Tables of figures on screens of any width: shorter figures first, then fewer columns."""

from __future__ import annotations

import pytest
from equilag.report.text.tables.fitted import Room, Write, fitted, fitted_table
from equilag.report.text.tables.layout import Column, page
from rich.bar import Bar
from rich.console import RenderableType

from equilag.report.terminal import Screen

COLUMNS = [
    Column("lag\nspread"), Column("mean", is_optional=True), Column("bar", is_optional=True),
]  # fmt: skip


def figures(write: Write) -> list[list[RenderableType]]:
    return [[write(12_345_678), "5", Bar(1, 0, 1, width=10)]]


@pytest.mark.parametrize(
    ("width", "kept", "spread"),
    [
        (28, ["lag\nspread", "mean", "bar"], "12,345,678"),
        (24, ["lag\nspread", "mean", "bar"], "12.3M"),
        (23, ["lag\nspread", "mean"], "12,345,678"),
        (16, ["lag\nspread", "mean"], "12,345,678"),
        (15, ["lag\nspread", "mean"], "12.3M"),
        (12, ["lag\nspread", "mean"], "12.3M"),
        (11, ["lag\nspread"], "12,345,678"),
        (9, ["lag\nspread"], "12.3M"),
        (2, ["lag\nspread"], "12.3M"),
    ],
)
def test_what_a_screen_shows(width: int, kept: list[str], spread: str) -> None:
    screen = Screen(width)
    found = fitted(COLUMNS, figures, screen, 0, Room(-2, -2))
    assert [column.heading for column in found.columns] == kept
    assert found.rows[0][0] == spread
    lines = page([[fitted_table(COLUMNS, figures, screen)]], Screen(80)).splitlines()
    assert lines[0].strip() == "lag"
    assert spread in lines[2]


def test_names_may_want_more_room_than_they_need() -> None:
    for wanted, least, spread, columns in ((0, 0, "12,345,678", 3), (9, 0, "12.3M", 3),
                                           (9, 9, "12,345,678", 2)):  # fmt: skip
        found = fitted(COLUMNS, figures, Screen(32), 0, Room(wanted, least))
        assert (found.rows[0][0], len(found.columns)) == (spread, columns)
