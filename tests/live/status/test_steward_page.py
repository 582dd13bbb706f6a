"""A steward's live page: what it shows, that it follows its steward, and keeps its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from support.browser import browser, look  # noqa: F401  fixtures
from support.steward_fakes import HOSTILE, made_steward

from equilag.live.status.http_server import PageServer, serve
from equilag.live.status.served_pages import live_page, live_parts, steward_pages
from equilag.live.status.status import StewardStatus

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.browser import OpenPage

Look = Callable[..., "OpenPage"]


@pytest.fixture
def state() -> StewardStatus:
    state = made_steward()
    state.session_s = 3600.0  # no heartbeat is answered while a browser works
    return state


@pytest.fixture
def server(state: StewardStatus, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    monkeypatch.setattr("equilag.live.status.served_pages.REFRESH_S", 0.2)
    server = serve(steward_pages(state), "127.0.0.1", 0)
    yield server
    server.shutdown()
    server.server_close()


def address(server: PageServer) -> str:
    return f"http://127.0.0.1:{server.server_address[1]}/"


def test_names_are_text(state: StewardStatus) -> None:
    for html in (live_page(state), live_parts(state)):
        assert HOSTILE not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "connect-src &#39;self&#39;" in live_page(state)


@pytest.mark.parametrize("dry_run", [False, True])
def test_parts_of_any_status(dry_run: bool) -> None:
    empty = live_parts(StewardStatus(5.0, 10.0))
    assert "Starting: the group has not been read yet" in empty
    assert "None so far." in empty
    full = live_parts(made_steward(members=250, dry_run=dry_run))
    assert "100 of 250 rows" in full
    assert ("with the plans of the dry run" in full) is dry_run


def headline_of(page: Page) -> str:
    return page.inner_text(".headline").replace("\u00a0", " ")


@pytest.mark.browser
def test_it_follows_the_steward(look: Look, server: PageServer, state: StewardStatus) -> None:  # noqa: F811
    opened = look(address(server), 390)
    page = opened.page
    assert headline_of(page) == state.facts.headline
    assert page.locator("#members tbody tr").count() == 12
    assert HOSTILE in page.inner_text("#members")
    assert not opened.is_wider_than_screen()
    page.click("#plan summary")
    page.evaluate("document.querySelector('#decisions').scrollIntoView()")
    place = page.evaluate("scrollY")
    state.decide("even", "at best relieves a member by 3 % of a fair share")
    state.set(heaviest_percent=103.0)
    page.wait_for_selector(".headline:has-text('103 %')")
    assert page.inner_text("#decisions tbody tr >> nth=0").split()[1] == "even"
    assert page.locator("#plan details[open]").count() == 1
    assert abs(page.evaluate("scrollY") - place) < 100
    assert opened.problems == []


@pytest.mark.browser
def test_it_says_when_the_steward_is_gone_and_goes_on_when_it_is_back(
    look: Look,  # noqa: F811
    server: PageServer,
    state: StewardStatus,
) -> None:
    opened = look(address(server))
    assert opened.page.locator("#lost").is_hidden()
    port = server.server_address[1]
    server.shutdown()
    server.server_close()
    opened.page.wait_for_selector("#lost:not([hidden])")
    assert "has not answered since" in opened.page.inner_text("#lost")
    assert headline_of(opened.page) == state.facts.headline
    back = serve(steward_pages(state), "127.0.0.1", port)
    try:
        opened.page.wait_for_selector("#lost", state="hidden")
    finally:
        back.shutdown()
        back.server_close()
