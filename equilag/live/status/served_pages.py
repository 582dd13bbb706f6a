"""The pages of exporter and steward, and the one on how many processes to run, which both have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from equilag.live.exporter.exporter import Exporter
from equilag.live.exporter.group_answer import GroupAnswer
from equilag.live.status.http_server import HTML, JSON, TEXT, Answer, PageRequest, Pages, as_json
from equilag.live.status.metric_families import (
    gauges,
    group_families,
    metrics_page,
    steward_families,
)
from equilag.live.status.status import StewardStatus
from equilag.live.status.steward_report import StewardReport
from equilag.report.page.write_page import cards_of, page_of

STALE_S: Final = 120.0
"""Age of an answer beyond which nobody should scale by it."""
RETRY: Final = {"Retry-After": "15"}


def scale_page(answer: Callable[[str], GroupAnswer | None]) -> Callable[[PageRequest], Answer]:
    """Return what answers `/scale/GROUP`: 404 for a group that is not known, 503 for an answer that
    is missing or too old to scale by."""

    def page(request: PageRequest) -> Answer:
        found = answer(request.name)
        if found is None:
            return Answer(404, JSON, as_json({"problem": f"no answer on group {request.name!r}"}))
        age = found.age_s or 0.0
        if age > STALE_S:
            problem = f"the group was last read {age:.0f} s ago"
        elif found.scale is None:
            problem = "how many members help has not been computed yet"
        else:
            return Answer(200, JSON, as_json(found.scale_document()))
        stale = {"group": found.group, "problem": problem, "age_s": round(age, 1)}
        return Answer(503, JSON, as_json(stale), RETRY)

    return page


def exporter_pages(exporter: Exporter) -> Pages:
    """Raises MissingExtra without prometheus_client."""

    def families() -> Iterator[Any]:
        yield from gauges("equilag_exporter", [exporter.facts])
        yield from group_families(exporter.answers())

    def ready(_: PageRequest) -> Answer:
        facts = exporter.facts
        is_ready = facts.last_read_age_s is not None and facts.last_read_age_s <= STALE_S
        return Answer(200 if is_ready else 503, TEXT, f"{facts.problem or 'ok'}\n".encode())

    def front(_: PageRequest) -> Answer:
        return Answer(200, TEXT, "\n".join([*sorted(pages), ""]).encode())

    pages: Pages = {
        "/": front,
        "/metrics": metrics_page(families),
        "/scale/": scale_page(exporter.answer),
        # Whatever is gone, a restart would not bring it back.
        "/healthz": lambda _: Answer(200, TEXT, b"ok\n"),
        "/readyz": ready,
    }
    return pages


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
