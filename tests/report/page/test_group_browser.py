"""The page about a group in a browser: quiet, for any screen, and usable by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.browser import open_page
from support.group_pages import hostile_group, large_group, page_of_sample, report_of
from support.paths import SAMPLES

from equilag.report.page.write_page import page_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from support.browser import OpenPage

pytestmark = pytest.mark.browser
Look = Callable[..., "OpenPage"]
GROUND = "getComputedStyle(document.body).backgroundColor"
LIGHT, DARK = "rgb(245, 246, 248)", "rgb(17, 22, 28)"
SLOW = str(SAMPLES / "slow-member.snapshot.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def slow(folder: Path) -> Path:
    path = folder / "slow.html"
    path.write_text(page_of_sample(SLOW), "utf-8")
    return path


@pytest.fixture(scope="module")
def opened(browser: Browser, slow: Path) -> OpenPage:
    """The page of slow-member, for tests that leave it as it is or do not mind."""
    return open_page(browser, slow)


def test_it_fits_and_asks_for_nothing(browser: Browser, opened: OpenPage, folder: Path) -> None:
    path = folder / "hostile.html"
    path.write_text(page_of(report_of(hostile_group())), "utf-8")
    for one in (opened, open_page(browser, path)):
        for width in (390, 1440):
            one.page.set_viewport_size({"width": width, "height": 900})
            assert not one.is_wider_than_screen()
        for scheme, ground in (("dark", DARK), ("light", LIGHT)):
            one.page.emulate_media(color_scheme=scheme)
            assert one.page.evaluate(GROUND) == ground
        assert (one.problems, one.requests) == ([], [])
    one.page.context.close()


def test_it_shows_what_the_report_says(opened: OpenPage, tmp_path: Path) -> None:
    page = opened.page
    with page.expect_download() as saved:
        page.locator("#save").click()
    saved.value.save_as(tmp_path / "report.json")
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    headline = page.locator(".headline").first.inner_text()
    assert headline.replace("\u00a0", " ") == document["verdict"]["headline"]
    loads = [(member["load_before"], member["load"]) for member in document["members"]]
    amounts = [float(one.replace(",", "")) for one in page.locator(".amount").all_inner_texts()]
    assert amounts == pytest.approx([load for pair in loads for load in pair], rel=1e-3)
    assert page.locator("#moves tbody tr").count() == document["plan"]["moves"]["count"]
    assert page.locator("#members .strip > span[data-hint]").count() >= 48
    charts = {"moves": 10, "front": 2, "over-time": 2, "sizes": 1}
    assert all(page.locator(f"#{part} svg path").count() >= n for part, n in charts.items())


def test_scripts_leave_rows_as_they_are(opened: OpenPage, look: Look, slow: Path) -> None:
    """What they build again says what the templates wrote."""
    static = look(slow, java_script_enabled=False).page
    for part in ("members", "moves", "front", "sizes", "assignors"):
        rows = f"#{part} tbody"
        assert opened.page.locator(rows).first.text_content().replace("\n", "").replace(
            " ", ""
        ) == static.locator(rows).first.text_content().replace("\n", "").replace(" ", "")


def test_a_table_is_sorted_and_searched_with_the_keyboard(look: Look, folder: Path) -> None:
    path = folder / "hundred.html"
    path.write_text(page_of(report_of(large_group(members=30, partitions=400))), "utf-8")
    page = look(path).page
    table = page.locator("#moves .table")
    head = table.locator("th").nth(3)
    sorted_by = "#moves .table th:nth-child(4)[aria-sort={}]"  # once packed rows are unpacked
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(sorted_by.format("descending"))
    first = table.locator("tbody tr").first
    largest = first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector(sorted_by.format("ascending"))
    assert first.inner_text() != largest
    table.get_by_role("searchbox").fill("topic-03 relieves")
    found, of = table.locator("output").inner_text().split(" of ")
    assert (int(found), of.endswith("rows")) == (table.locator("tbody tr").count(), True)
    assert all("topic-03" in one for one in table.locator("tbody tr").all_inner_texts())
    table.get_by_role("searchbox").fill("nothing like this")
    assert "No row is like that." in table.locator("tbody").inner_text()


def test_a_point_of_the_front_is_picked(opened: OpenPage) -> None:
    page = opened.page
    pick, command = page.locator("#front input[type=range]"), page.locator("#front .pick .command")
    points = page.locator("#front .pick li")
    commands = [one.get_attribute("data-command") for one in points.all()]
    pick.focus()
    page.keyboard.press("Home")
    assert command.inner_text().strip() == commands[0]
    page.keyboard.press("ArrowRight")
    assert command.inner_text().strip() == commands[1]
    assert pick.get_attribute("aria-valuetext") == points.nth(1).text_content()
    assert page.locator("#front .picked").inner_text() == points.nth(1).text_content()
    page.locator("#front .dot:not(.mark)").last.click()
    assert command.inner_text().strip() == commands[-1]
    assert page.locator("#front .dot.chosen").count() == 1


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


def test_on_a_phone_a_row_is_a_card_below_the_names_of_its_figures(look: Look, slow: Path) -> None:
    opened = look(slow, 390)
    page = opened.page
    for details in page.locator("details").all():
        details.evaluate("(one) => { one.open = true; }")
    assert not opened.is_wider_than_screen()
    for table in page.locator("table").all():
        assert table.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    heads = page.locator("#moves th").all()
    cells = page.locator("#moves tbody tr").first.locator("td").all()
    boxes = [
        (head.bounding_box(), cell.bounding_box()) for head, cell in zip(heads, cells, strict=True)
    ]
    assert all(head and cell and head["x"] == cell["x"] for head, cell in boxes)


def test_a_block_tells_its_partition(look: Look, slow: Path) -> None:
    page = look(slow, 390, has_touch=True).page
    page.locator(".strip.now .leaves").first.tap()
    hint = page.locator("#tip").inner_text()
    assert re.search(r"clicks-\d+\n.*\d.*\nfrom clicks-\d\nto clicks-\d", hint)
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()
    page.locator(".strip.now > span").first.focus()
    first = page.locator("#tip").inner_text()
    page.keyboard.press("ArrowRight")
    assert page.locator("#tip").inner_text() != first


def test_members_are_ordered_and_flows_are_by_records_or_partitions(opened: OpenPage) -> None:
    page = opened.page
    page.get_by_label("Order").select_option("load")
    assert page.locator(".who").first.inner_text() == "clicks-4"
    page.get_by_label("Order").select_option("name")
    assert page.locator(".who").first.inner_text() == "clicks-0"
    assert page.locator(".by-records").is_visible()
    page.get_by_label("partitions", exact=True).check()
    assert page.locator(".by-records").is_hidden()
    assert page.locator(".by-partitions").is_visible()


def test_without_javascript_everything_is_there(look: Look, slow: Path) -> None:
    page = look(slow, java_script_enabled=False).page
    assert page.locator(".headline").first.inner_text().startswith("Move ")
    assert page.locator("#members tbody tr").count() == 6
    assert page.locator("#members .strip").count() == 12
    assert page.locator("#moves svg").first.is_visible()
    assert page.locator("#front .plot").is_visible()
    for hidden in (".theme", ".pick", "#save"):
        assert page.locator(hidden).is_hidden()


def test_it_prints_on_few_sheets(opened: OpenPage, tmp_path: Path) -> None:
    page = opened.page
    page.emulate_media(color_scheme="dark")
    page.pdf(path=tmp_path / "page.pdf", format="A4")
    sheets = (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n")
    assert 1 <= sheets <= 4
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    surface = page.evaluate("getComputedStyle(document.getElementById('members')).backgroundColor")
    assert surface == "rgb(255, 255, 255)"
    for hidden in (".find", ".controls", ".contents", "details", "#save"):
        assert page.locator(hidden).first.is_hidden()
    page.set_viewport_size({"width": 703, "height": 1032})  # A4 within its margins, at 96 per inch
    assert not opened.is_wider_than_screen()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen", color_scheme="light")
    assert page.evaluate(GROUND) == LIGHT
    assert opened.problems == []


def test_a_large_group_stays_usable(look: Look, folder: Path) -> None:
    large, report = folder / "large.html", report_of(large_group())
    large.write_text(page_of(report), "utf-8")
    opened = look(large)
    page, moves = opened.page, report.plan.plan.moves
    assert len(moves) > 1000
    assert page.locator(".member").count() == 20
    page.locator("#moves th").nth(3).get_by_role("button").click()
    page.locator("#moves th").nth(3).get_by_role("button").click()
    shown = page.locator("#moves tbody tr")
    least = f"{min(move.lag for move in moves):,}"
    page.locator(f"#moves tbody tr >> nth=0 >> text='{least}'").wait_for()
    assert shown.count() == 100
    page.locator("#moves .more-rows").click()
    assert shown.count() == 500
    page.get_by_role("button", name="Show all 200 members").click()
    assert page.locator(".member").count() == 200
    assert page.locator(".strip > span").count() < 6000
    assert opened.problems == []


def test_the_theme_can_be_chosen(opened: OpenPage) -> None:
    page = opened.page
    page.get_by_label("Dark").check(force=True)
    assert page.evaluate(GROUND) == DARK
    page.get_by_label("Auto").check(force=True)
    assert page.evaluate(GROUND) == LIGHT
