"""Scripts and styles that pages carry."""

from __future__ import annotations

import hashlib
from base64 import b64decode
from pathlib import Path
from typing import Final

import pytest
from equilag.report.page.render_page import CHARTS, inline_file

ROOM: Final = Path(__file__).parents[3] / "equilag" / "report" / "page"
FILES: Final = sorted(
    path.relative_to(ROOM).as_posix()
    for ending in ("js", "css")
    for path in ROOM.rglob(f"*.{ending}")
)


def test_the_charts_library_is_what_was_built() -> None:
    built = (ROOM / CHARTS).read_bytes()
    digest, name = (ROOM / f"{CHARTS}.sha256").read_text("utf-8").split()
    assert (hashlib.sha256(built).hexdigest(), name) == (digest, Path(CHARTS).name)


def test_the_charts_library_carries_its_notices() -> None:
    head = (ROOM / CHARTS).read_text("utf-8")[:4000]
    for name in ("NOTICE", "LICENSE.zrender"):
        assert (ROOM / "assets" / name).read_text("utf-8").strip() in head
    assert "Apache License" in (ROOM / "assets" / "LICENSE").read_text("utf-8")


def test_the_charts_library_leaves_room_for_data() -> None:
    assert (ROOM / CHARTS).stat().st_size < 700_000


def test_there_are_scripts_and_styles() -> None:
    assert {CHARTS, "static/core.js", "static/page.css"} <= {*FILES}


@pytest.mark.parametrize("name", FILES)
def test_no_file_ends_its_element(name: str) -> None:
    found = inline_file(name)
    assert "</script" not in found.text.lower()
    assert "</style" not in found.text.lower()
    assert "<!--" not in found.text
    digest = b64decode(found.digest.removeprefix("'sha256-").removesuffix("'"))
    assert digest == hashlib.sha256((ROOM / name).read_bytes()).digest()
