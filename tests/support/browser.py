"""The headless browser of `benchmarks.pictures.browser`, for tests of pages.

A conftest.py imports the fixtures that its folder uses. Whoever uses them carries
`pytest.mark.browser`, so that one browser serves all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from benchmarks.pictures.browser import NoBrowser, OpenPage, open_page, running_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["OpenPage", "browser", "look", "open_page"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file of tests. Playwright's event loop would disturb tests of other files."""
    try:
        with running_browser() as running:
            yield running
    except NoBrowser as error:
        pytest.skip(str(error))


@pytest.fixture
def look(browser: Browser) -> Iterator[Callable[..., OpenPage]]:
    """`open_page` in the browser of this file; what was opened is closed after the test."""
    before = {*browser.contexts}
    yield lambda path, width=1440, **more: open_page(browser, path, width, **more)
    for context in {*browser.contexts} - before:
        context.close()
