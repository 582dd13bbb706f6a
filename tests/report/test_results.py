"""Reports on results from Python: text, pages, and cells of a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from support.paths import SAMPLES

import equilag

GROUP: Final = equilag.load_snapshot(SAMPLES / "overloaded.snapshot.json")
EFFORT: Final = 0.02


MAKE: Final[dict[str, Callable[[], Any]]] = {
    "plan": lambda: equilag.solve(GROUP, effort=EFFORT),
    "comparison": lambda: equilag.compare(GROUP, effort=EFFORT),
    "frontier": lambda: equilag.frontier(GROUP, effort=EFFORT),
    "explanation": lambda: equilag.explain(GROUP, effort=EFFORT),
    "simulation": lambda: equilag.simulate(GROUP, effort=EFFORT),
    "size": lambda: equilag.size(GROUP, effort=EFFORT),
    "fleet": lambda: equilag.load_fleet(str(SAMPLES / "fleet-run")),
}
"""A result of each kind, by the kind of its report."""


@pytest.mark.parametrize("kind", MAKE)
def test_every_result_has_text_page_and_cell_of_the_same_words(kind: str) -> None:
    """Each has the first words of the text, whose lines are short."""
    result = MAKE[kind]()
    text = equilag.report_text(result, width=80)
    assert max(map(len, text.splitlines())) <= 80
    first = " ".join(text.split()[:4])
    page = equilag.report_page(result)
    assert first in words(page)
    (inside,) = re.findall(r'srcdoc="([^"]*)"', result._repr_html_())
    frame = html.unescape(inside)
    assert first in words(frame)
    assert "<header" in page
    assert "<header" not in frame
    for one in (page, frame):
        assert "http://" not in one
        assert "https://" not in one


def words(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page)).replace("\u00a0", " ")


def test_the_page_of_a_group_is_that_of_the_command() -> None:
    page = equilag.report_page(GROUP, "lag-aware", effort=EFFORT, time_limit=20.0, max_moves=4)
    for anchor in ("members", "moves", "front", "over-time", "sizes", "assignors", "proof"):
        assert f'id="{anchor}"' in page
    assert "equilag plan SNAPSHOT --max-moves 4" in words(page)


@pytest.mark.parametrize("what", [None, GROUP, {"format": "equilag/plan/1"}])
def test_what_is_no_result_is_refused(what: object) -> None:
    with pytest.raises(equilag.InputError, match="is none of Plan, Comparison"):
        equilag.report_text(what)
