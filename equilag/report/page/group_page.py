"""The page about a group."""

from __future__ import annotations

from typing import Any, Final

from equilag.report.facts.group_report import GroupReportFacts
from equilag.report.page.render_page import render_page
from equilag.report.page.report_words import report_words

SCRIPTS: Final = tuple(
    f"static/{name}.js" for name in ("members", "flows", "front", "over-time", "sizes")
)


def group_page(facts: GroupReportFacts, *, made_at: str | None = None) -> str:
    """The page as HTML; `made_at` is the time that it names as that of its making."""
    document: dict[str, Any] = facts.document()
    return render_page(
        "group.html",
        document,
        words=report_words(facts, made_at),
        scripts=SCRIPTS,
    )
