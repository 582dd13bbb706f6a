"""Take the screenshots of pages that the documents show: python -m benchmarks.pictures.screenshots.

Needs chromium; `make pictures` runs it after the pictures that need none.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.pictures.browser import NoBrowser, open_page, running_browser
from equilag.cli import main

CHECKOUT: Final = Path(__file__).parents[2]
MADE: Final = "1795357800"
"""The time that pages name as that of their making, the same each time: 2026-11-22."""
LIMITS: Final = ["--effort", "0.5", "--time-limit", "60"]
"""Counted effort, and no end by the clock: the same page on every machine."""


class Screenshot(NamedTuple):
    """A picture of a page."""

    name: str
    page: Callable[[Path], Path]
    """Makes the page in a folder."""
    width: int
    height: int = 0
    """Pixels from the top; 0 for the whole of `part`."""
    part: str = ""
    """The element that it shows, as a CSS selector."""
    dark: bool = False
    click: str = ""
    """What is clicked first; `part` then opens."""


def group_page(folder: Path) -> Path:
    """The page of a group with rates and speeds, which has all of its parts."""
    out = folder / "group.html"
    if not out.exists():
        sample = CHECKOUT / "samples" / "slow-member.snapshot.json"
        if main(["report", str(sample), *LIMITS, "--out", str(out)]):
            raise SystemExit("equilag report failed")
    return out


def fleet_page(folder: Path) -> Path:
    """The page of the run in samples/, which it names as a reader does."""
    out = folder / "fleet.html"
    if not out.exists():
        with chdir(CHECKOUT):
            if main(["fleet", "report", "samples/fleet-run", "--out", str(out)]):
                raise SystemExit("equilag fleet report failed")
    return out


SCREENSHOTS: Final = (
    Screenshot("report-page.png", group_page, 1100, height=1250),
    Screenshot("report-page-dark.png", group_page, 1100, part="#over-time", dark=True),
    Screenshot("report-page-phone.png", group_page, 390, height=844),
    Screenshot("report-moves.png", group_page, 1100, part="#moves"),
    Screenshot("report-front.png", group_page, 1100, part="#front"),
    Screenshot("fleet-page.png", fleet_page, 1100, height=1250),
    Screenshot("fleet-gaps-dark.png", fleet_page, 1100, part="#gaps", dark=True),
    Screenshot("fleet-group.png", fleet_page, 1100, part="#row", click=".opens"),
)


def take_all(out: Path) -> None:
    """Write all screenshots to a folder. Raises NoBrowser."""
    os.environ["SOURCE_DATE_EPOCH"] = MADE
    with TemporaryDirectory() as folder, running_browser() as browser:
        for shot in SCREENSHOTS:
            height = shot.height or 900
            scheme = "dark" if shot.dark else "light"
            file = shot.page(Path(folder))
            page = open_page(browser, file, shot.width, height, color_scheme=scheme).page
            if shot.click:
                page.locator(shot.click).first.click()
            picture = page.locator(shot.part).screenshot() if shot.part else page.screenshot()
            (out / shot.name).write_bytes(picture)
            page.context.close()


if __name__ == "__main__":
    try:
        take_all(CHECKOUT / "docs" / "pictures")
    except NoBrowser as error:
        raise SystemExit(f"no screenshots: {error}") from None
