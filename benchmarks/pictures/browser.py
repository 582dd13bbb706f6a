"""A headless browser for pages: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
"""Commands that browsers of this kind have on Linux; on Debian the package `chromium` has the
first."""
ARGUMENTS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
"""Without a screen, as root in a container, and silent on the network."""
PATIENCE_MS: Final = 15_000
"""How long a page may take on a machine that is busy with other tests."""


class NoBrowser(Exception):
    """There is no browser; the message says what to install."""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser without a window. Raises NoBrowser."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise NoBrowser("no chromium here: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class OpenPage:
    """A page in the browser, and what happened in it."""

    page: Page
    problems: list[str] = field(default_factory=list)
    """Errors and warnings on the console, and exceptions that nobody caught."""
    requests: list[str] = field(default_factory=list)
    """Addresses that the page asked for, but for its own."""

    def document(self) -> Any:
        """The JSON that the page carries."""
        return self.page.evaluate("equilag.doc")

    def is_wider_than_screen(self) -> bool:
        """True if the page scrolls to the side."""
        return bool(
            self.page.evaluate(
                "document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
        )


def open_page(
    browser: Browser, path: Path | str, width: int = 1440, height: int = 900, **context: Any
) -> OpenPage:
    """Open a file, or the address of a local server. `context` goes to `Browser.new_context`, such
    as `color_scheme="dark"` or `java_script_enabled=False`."""
    page = browser.new_context(viewport={"width": width, "height": height}, **context).new_page()
    page.set_default_timeout(PATIENCE_MS)
    address = path.resolve().as_uri() if isinstance(path, Path) else path
    opened = OpenPage(page)
    page.on(
        "console",
        lambda said: (
            opened.problems.append(said.text) if said.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: opened.problems.append(str(error)))
    page.on(
        "request", lambda asked: None if asked.url == address else opened.requests.append(asked.url)
    )
    page.goto(address, wait_until="load")
    return opened
