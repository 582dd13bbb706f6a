"""The page of a fleet in a browser: quiet, quick with 5,000 groups, and usable by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest
from support.browser import OpenPage, open_page
from support.fleet_rows import FAILED, fleet_gaps, fleet_report, many_groups

from equilag.domain.plan.verdict import Action
from equilag.report.page.write_page import page_of
from equilag.report.reports.fleet import FleetReport

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser]
Look = Callable[..., OpenPage]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """5,000 groups."""
    failures = tuple(FAILED._replace(group=f"gone-{i}") for i in range(300))
    report = replace(fleet_report(*many_groups(5000), failures=failures), gaps=fleet_gaps())
    made = tmp_path_factory.mktemp("pages") / "fleet.html"
    made.write_text(page_of(FleetReport(report, 20)), "utf-8")
    return made


@pytest.fixture(scope="module")
def opened(browser: Browser, path: Path) -> OpenPage:
    """It takes a second to open."""
    return open_page(browser, path)


def test_it_is_quiet_and_fits_every_screen(opened: OpenPage) -> None:
    for width, scheme in ((390, "light"), (1440, "dark")):
        opened.page.set_viewport_size({"width": width, "height": 900})
        opened.page.emulate_media(color_scheme=scheme)
        assert not opened.is_wider_than_screen()
    assert opened.page.locator(".headline").inner_text().startswith("Nobody reads ")
    assert "5,300 groups" in opened.page.title()
    assert (opened.problems, opened.requests) == ([], [])


def test_odd_names_are_shown_as_they_are(opened: OpenPage) -> None:
    names = opened.page.locator("#groups .opens")
    assert names.first.inner_text() == "<script>alert(1)</script>"
    names.nth(1).click()
    opened.page.locator("#row").wait_for(state="visible")
    assert "onerror" in opened.page.locator("#row-title").inner_text()
    assert opened.page.locator("img").count() == 0
    opened.page.keyboard.press("Escape")
    assert opened.problems == []


def test_a_group_is_opened_by_keyboard(opened: OpenPage) -> None:
    page, dialog = opened.page, opened.page.locator("#row")
    page.locator("#groups").get_by_role("searchbox").fill("settlement-0016")
    page.keyboard.press("Tab")
    page.locator("#groups tbody tr:first-child:has-text('settlement-0016')").wait_for()
    page.locator("#groups .opens").first.focus()
    page.keyboard.press("Enter")
    dialog.wait_for(state="visible")
    text = dialog.inner_text()
    assert "team-payments.settlement-0016" in text
    assert "Move 16 of 28 partitions: heaviest member 9,881" in text
    assert "equilag fleet export /runs/1 team-payments.settlement-0016" in text
    assert "equilag plan team-payments.settlement-0016.snapshot.json --policy" in text
    assert "of what it can read" in text
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    assert opened.problems == []


def test_search_sort_and_filter(opened: OpenPage) -> None:
    page = opened.page
    box = page.locator("#groups .table")
    rows = box.locator("tbody tr")
    box.get_by_role("searchbox").fill("settlement-4999")
    box.locator("tbody tr:first-child:has-text('settlement-4999')").wait_for()
    assert box.locator("output").inner_text() == "1 of 5,000 rows"
    box.get_by_role("searchbox").fill("")
    box.locator("output:text-is('5,000 rows')").wait_for()
    assert rows.count() == 100
    box.get_by_role("button", name="Lag").click()
    page.locator("#groups tbody tr:first-child td:last-child:text-is('123,456,789')").wait_for()
    leave = box.get_by_role("button", name="leave it")
    leave.click()
    assert leave.get_attribute("aria-pressed") == "true"
    kept = 5_000 // len(get_args(Action))
    assert box.locator("output").inner_text() == f"{kept} of 5,000 rows"
    assert rows.first.locator("td").nth(1).inner_text() == "leave it"


def test_it_says_the_most_without_scripts(look: Look, path: Path) -> None:
    page = look(path, java_script_enabled=False).page
    assert page.locator("#groups tbody tr").count() == 100
    assert "Scripts show the others" in page.locator("#groups").inner_text()
    assert page.locator(".meter").first.is_visible()
