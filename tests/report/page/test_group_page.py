"""The page about a group: what stands in it without JavaScript, and what it does in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from equilag.report.page.group_page import group_page
from equilag.report.wording.words import number
from support.browser import browser, look, open_page  # noqa: F401  fixtures
from support.group_pages import SCRIPT, hostile_group, large_group, page_of_sample, report_of
from support.orders_service import orders_snapshot
from support.paths import SAMPLES
from support.waiting import until, within

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from support.browser import OpenPage

Look = Callable[..., "OpenPage"]
GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(245, 246, 248)", "rgb(17, 22, 28)"
MAX_BYTES = 1_500_000
PIXEL_OF_POINT = """(point) => {
    const { chart } = equilag.chart.all.find((one) => one.box.id === "front-chart");
    return chart.convertToPixel({ gridIndex: 0 }, [point.moves, point.spread]);
}"""
SLOW = str(SAMPLES / "slow-member.snapshot.json")
TOKENS = str(SAMPLES / "token-indexer.snapshot.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def slow(folder: Path) -> Path:
    path = folder / "slow.html"
    path.write_text(page_of_sample(SLOW), "utf-8")
    return path


@pytest.fixture(scope="module")
def opened(browser: Browser, slow: Path) -> OpenPage:  # noqa: F811
    """The page of slow-member, for tests that leave it as it is or do not mind."""
    return open_page(browser, slow)


def parts(page: str) -> set[str]:
    return set(re.findall(r'<section class="card[^"]*" id="([^"]+)"', page))


def test_parts_that_nothing_is_known_of_are_left_out() -> None:
    all_parts = {
        "next", "members", "moves", "why-now", "why", "front", "over-time", "sizes", "assignors",
        "proof", "settings",
    }  # fmt: skip
    assert parts(page_of_sample(SLOW)) == all_parts
    assert parts(page_of_sample(TOKENS)) == all_parts - {"over-time", "sizes"}
    nobody = group_page(report_of(orders_snapshot(members=[])))
    assert parts(nobody) == {"reading", "proof", "settings"}
    assert "Nobody reads it: the group has no members" in nobody
    idle = [{"id": name, "subscription": ["nothing"]} for name in "ab"]
    parts_of_idle = parts(group_page(report_of(orders_snapshot(members=idle))))
    assert parts_of_idle == {"reading", "proof", "settings"}
    both = ["orders", "payments"]
    fresh = [{"id": name, "subscription": both} for name in "ab"]
    page = group_page(report_of(orders_snapshot(members=fresh)))
    assert parts(page) == {"next", "members", "why-now", "why", "assignors", "proof", "settings"}
    assert "partitions that nobody owned" in page


def test_names_are_text() -> None:
    page = group_page(report_of(hostile_group()))
    assert SCRIPT not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
    # The scripts of the page, its document and labels, and nothing else ends an element.
    assert page.count("</script>") == page.count("<script")


@pytest.mark.browser
def test_it_fits_and_asks_for_nothing(browser: Browser, opened: OpenPage, folder: Path) -> None:  # noqa: F811
    path = folder / "hostile.html"
    path.write_text(group_page(report_of(hostile_group())), "utf-8")
    for one in (opened, open_page(browser, path)):
        for width in (390, 1440):
            one.page.set_viewport_size({"width": width, "height": 900})
            assert not one.is_wider_than_screen()
        for scheme, ground in (("dark", DARK), ("light", LIGHT)):
            one.page.emulate_media(color_scheme=scheme)
            assert one.page.evaluate(GROUND) == ground
        assert (one.problems, one.requests) == ([], [])
    one.page.context.close()


@pytest.mark.browser
def test_figures_are_those_of_the_document(opened: OpenPage) -> None:
    document = opened.document()
    page = opened.page
    headline = page.locator(".headline").inner_text()
    assert headline.replace("\u00a0", " ") == document["verdict"]["headline"]
    amounts = page.locator("#bars .amount").all_inner_texts()
    loads = [(member["load_before"], member["load"]) for member in document["members"]]
    assert amounts == [number(load) for pair in loads for load in pair]
    rows = page.locator("#moves-table tbody tr").count()
    assert rows == len(document["moves"]["rows"])
    assert page.locator("#bars .block[data-partition]").count() > 24
    for chart in ("flows", "front-chart", "lag-chart", "sizes-chart", "used"):
        assert page.locator(f"#{chart} svg path").count() > 4


@pytest.mark.browser
def test_scripts_write_figures_as_the_templates_do(opened: OpenPage) -> None:
    page = opened.page
    for table in ("members-table", "moves-table", "front-table", "sizes-table", "assignors-table"):
        body = page.locator(f"#{table} tbody")
        before = body.inner_text()
        page.evaluate(f"document.getElementById('{table}').table.draw()")
        assert body.inner_text() == before


@pytest.mark.browser
def test_a_table_is_sorted_and_searched_with_the_keyboard(opened: OpenPage) -> None:
    page = opened.page
    head = page.locator("#members-table th").nth(4)
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    first = page.locator("#members-table tbody tr").first
    assert first.inner_text().startswith("clicks-4")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    assert not first.inner_text().startswith("clicks-4")
    page.locator("#moves-table input").fill("clicks-4 clicks-2")
    assert page.locator("#moves-table tbody tr").count() == 1
    assert page.locator("#moves-table output").inner_text() == "1 of 10 rows"


@pytest.mark.browser
def test_a_point_of_the_front_is_picked(opened: OpenPage) -> None:
    page, points = opened.page, opened.document()["frontier"]["points"]
    pick, command = page.locator("#front-pick"), page.locator("#front-command")
    pick.focus()
    page.keyboard.press("Home")
    assert command.inner_text().strip() == points[0]["command"]
    assert number(points[0]["spread"]) in page.locator("#front-figures").inner_text()
    page.keyboard.press("ArrowRight")
    assert command.inner_text().strip() == points[1]["command"]
    assert pick.get_attribute("aria-valuetext").startswith(f"{points[1]['moves']} moves")
    chart = page.locator("#front-chart")
    chart.scroll_into_view_if_needed()

    def shown_after_a_click() -> bool:
        """The chart may be drawn anew at any time, so each click asks where the point is now."""
        x, y = page.evaluate(PIXEL_OF_POINT, points[-1])
        chart.click(position={"x": x, "y": y})
        return within(lambda: command.inner_text().strip() == points[-1]["command"], 1)

    until(shown_after_a_click)


@pytest.mark.browser
def test_a_command_is_copied_or_marked_with_the_keyboard(opened: OpenPage) -> None:
    page = opened.page
    button = page.locator("#settings .copy")
    button.focus()
    page.keyboard.press("Enter")
    page.locator("#settings .copy:not([data-state='copy'])").wait_for()
    assert button.get_attribute("aria-label") != "Copy the command"
    page.evaluate("() => { Clipboard.prototype.writeText = () => Promise.reject(); }")
    page.evaluate("() => { document.execCommand = () => false; }")
    page.locator("#next .copy").press("Enter")
    page.locator("#next .copy[data-state='marked']").wait_for()
    marked = page.evaluate("String(getSelection())").strip()
    assert marked == page.locator("#next .command").inner_text().strip()
    assert opened.problems == []


@pytest.mark.browser
def test_ticks_of_an_axis_differ(opened: OpenPage) -> None:
    written = "([low, high]) => [low, high].map(equilag.axisNumber(low, high))"
    assert opened.page.evaluate(written, [1_898_334, 1_898_889]) == ["1,898,334", "1,898,889"]
    assert opened.page.evaluate(written, [0, 2_000_000]) == ["0", "2M"]


@pytest.mark.browser
def test_tables_need_no_scrolling_to_the_side_on_a_phone(look: Look, slow: Path) -> None:  # noqa: F811
    page = look(slow, 390).page
    for details in page.locator("details").all():
        details.evaluate("(one) => { one.open = true; }")
    for rows in page.locator(".rows").all():
        assert rows.evaluate("(one) => one.scrollWidth <= one.clientWidth")


@pytest.mark.browser
def test_a_block_tells_its_partition(look: Look, slow: Path) -> None:  # noqa: F811
    page = look(slow, 390, has_touch=True).page
    leaving = page.locator(".strip.now .block.leaves").first
    leaving.tap()
    hint = page.locator("#tip").inner_text()
    assert re.search(r"clicks-\d+\nlag [\d,]+\nfrom clicks-\d\nto clicks-\d", hint)
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    page.locator(".strip.now .block").first.focus()
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").inner_text() != first


@pytest.mark.browser
def test_without_javascript_figures_and_tables_are_there(look: Look, slow: Path) -> None:  # noqa: F811
    page = look(slow, java_script_enabled=False).page
    assert page.locator(".headline").inner_text().startswith("Move ")
    assert page.locator("#members-table tbody tr").count() == 6
    assert page.locator("#bars .block.whole").count() == 12
    assert page.locator("#front-table tbody tr").count() > 3
    assert page.locator(".theme").is_hidden()
    assert page.locator("#flows").is_hidden()


@pytest.mark.browser
def test_it_prints(opened: OpenPage, tmp_path: Path) -> None:
    page = opened.page
    page.emulate_media(color_scheme="dark")
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    surface = page.evaluate("getComputedStyle(document.getElementById('members')).backgroundColor")
    assert surface == "rgb(255, 255, 255)"
    assert page.locator("#flows svg").first.bounding_box()["width"] <= 680
    assert page.locator(".find").first.is_hidden()
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("#front-table td.command").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    page.emulate_media(media="screen", color_scheme="light")
    assert page.evaluate(GROUND) == LIGHT
    assert opened.problems == []


@pytest.mark.browser
def test_a_large_group_stays_usable(look: Look, folder: Path) -> None:  # noqa: F811
    large = folder / "large.html"
    large.write_text(group_page(report_of(large_group())), "utf-8")
    assert large.stat().st_size <= MAX_BYTES
    opened = look(large)
    page, document = opened.page, opened.document()
    moves = document["moves"]["rows"]
    assert len(moves) > 1000
    assert page.locator("#bars .member").count() == 20
    lag = page.locator("#moves-table th").nth(4).get_by_role("button")
    lag.click()
    shown = page.locator("#moves-table tbody tr")
    assert shown.count() < 100
    assert number(min(row[4] for row in moves)) in shown.first.inner_text()
    page.evaluate("document.querySelector('#moves-table .rows').scrollTop = 1e9")
    page.locator(f"#moves-table tr:last-child[aria-rowindex='{len(moves) + 1}']").wait_for()
    assert shown.count() < 100
    page.get_by_role("button", name="Show all 200 members").click()
    assert page.locator("#bars .member").count() == 200
    assert page.locator("#bars .block").count() < 5000
    assert opened.problems == []


@pytest.mark.browser
def test_the_theme_can_be_chosen(opened: OpenPage) -> None:
    page = opened.page
    page.get_by_label("Dark").check(force=True)
    assert page.evaluate(GROUND) == DARK
    text = page.locator("#front-chart svg text").first
    assert text.get_attribute("fill") == "rgb(157, 171, 184)"
    page.get_by_label("Auto").check(force=True)
    assert page.evaluate(GROUND) == LIGHT
