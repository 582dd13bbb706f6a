"""The steward's pages: the live page, `/status`, `/metrics`, `/scale/` and `/healthz`."""

from __future__ import annotations

from typing import Final

from equilag.live.exporter.exporter_pages import scale_page
from equilag.live.status.http_server import HTML, JSON, TEXT, Answer, PageRequest, Pages, as_json
from equilag.live.status.metric_families import metrics_page, steward_families
from equilag.live.status.status import StewardStatus
from equilag.live.status.steward_report import StewardReport
from equilag.report.page.write_page import cards_of, page_of

REFRESH_S: Final = 5
"""How often the page reads the status: as often as a steward observes its group by default."""


def live_page(state: StewardStatus) -> str:
    """The whole page."""
    return page_of(StewardReport(state.facts, state.history), refresh_s=REFRESH_S)


def live_parts(state: StewardStatus) -> str:
    """What changes of the page, as HTML without a frame."""
    return cards_of(StewardReport(state.facts, state.history))


def steward_pages(state: StewardStatus) -> Pages:
    """Raises MissingExtra without prometheus_client."""

    def health(_: PageRequest) -> Answer:
        facts = state.facts
        words = facts.problem or ("degraded: " + facts.role_reason if facts.degraded else "ok")
        return Answer(503 if facts.problem else 200, TEXT, f"{words}\n".encode())

    return {
        "/": lambda _: Answer(200, HTML, live_page(state).encode()),
        "/parts": lambda _: Answer(200, HTML, live_parts(state).encode()),
        "/history": lambda _: Answer(200, JSON, as_json(state.history.document())),
        "/status": lambda _: Answer(200, JSON, as_json(state.facts.document())),
        "/metrics": metrics_page(lambda: steward_families(state.facts, state.answers())),
        "/scale/": scale_page(state.answer),
        "/healthz": health,
    }
