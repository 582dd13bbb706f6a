"""Pictures of the documents: small enough, all shown."""

from __future__ import annotations

from support.markdown import pages
from support.paths import CHECKOUT

from benchmarks.pictures.screenshots import SCREENSHOTS

MAX_BYTES = 300_000
"""Of a picture, for readers on a slow line."""
PICTURES = CHECKOUT / "docs" / "pictures"


def test_every_picture_is_small_and_shown() -> None:
    kept = {path.name for path in PICTURES.iterdir()}
    assert {shot.name for shot in SCREENSHOTS} < kept
    assert all((PICTURES / name).stat().st_size < MAX_BYTES for name in kept)
    text = "".join(page.read_text("utf-8") for page in pages())
    assert [name for name in sorted(kept) if f"pictures/{name}" not in text] == []
