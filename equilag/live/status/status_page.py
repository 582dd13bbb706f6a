"""The live page of a steward: a page of HTML, and the parts of it that change."""

from __future__ import annotations

from typing import Any, Final

from equilag.live.status.status import StewardStatus
from equilag.report.page.render_page import render_page, render_part

REFRESH_S: Final = 5
"""How often the page reads the status: as often as a steward observes its group by default."""
PAGE_POLICY: Final = "frame-ancestors 'none'"
"""What a page cannot say of itself in its head; the rest of its policy is there."""
_SCRIPT: Final = "static/steward.js"
_STYLE: Final = "static/steward.css"


def live_page(state: StewardStatus) -> str:
    """The whole page."""
    document = {**_document(state), "history": state.history.document()}
    return render_page(
        "steward.html", document, scripts=(_SCRIPT,), styles=(_STYLE,), refresh_s=REFRESH_S
    )


def live_parts(state: StewardStatus) -> str:
    """What changes of the page, as HTML without a frame."""
    return render_part("steward_parts.html", _document(state))


def _document(state: StewardStatus) -> dict[str, Any]:
    return {**state.facts.document(), "refresh_s": REFRESH_S}
