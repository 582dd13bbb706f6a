"""Groups to make pages of, and their pages."""

from __future__ import annotations

import random
from functools import cache
from typing import Any, Final

from equilag.adapters.snapshot.read_input import load_snapshot
from equilag.domain.policy.policy import Policy
from equilag.planner.all_answers import all_answers
from equilag.report.page.write_page import page_of
from equilag.report.reports.group_report import GroupReport, ReportBasis

SCRIPT: Final = "<script>alert(1)</script>"
NAMES: Final = (
    SCRIPT, "\"quoted' & <b>", "\u202eright to left\u202c", "🦊 fox\nnewline", "x" * 250,
    "</script><!-- " + "y" * 230, "$(reboot)",
)  # fmt: skip
"""Member ids that would break a page that does not escape them, or its layout."""


def hostile_group() -> dict[str, Any]:
    """A snapshot in which every name is a trap."""
    topics = {SCRIPT: 14, "a</title>": 7}
    members = [
        {
            "id": name,
            "subscription": list(topics),
            "owned": {SCRIPT: [2 * m, 2 * m + 1], "a</title>": [m]},
        }
        for m, name in enumerate(NAMES)
    ]
    return {
        "format": "equilag/snapshot/1",
        "group": f"{SCRIPT}\u202e",
        "topics": topics,
        "members": members,
        "lags": {SCRIPT: [100 * p * p for p in range(14)], "a</title>": [1] * 7},
    }


def large_group(members: int = 200, partitions: int = 5000) -> dict[str, Any]:
    """A snapshot with ids as Kafka makes them; some lags are far larger than others."""
    rng = random.Random(3)
    topics = {f"topic-{t:02d}": partitions // 20 for t in range(20)}
    ids = [
        f"fleet-consumer-{m:03d}-{rng.getrandbits(32):08x}-1111-4222-8333-{rng.getrandbits(48):012x}"
        for m in range(members)
    ]
    owned: list[dict[str, list[int]]] = [{} for _ in ids]
    for topic, count in topics.items():
        for partition in range(count):
            owned[rng.randrange(members)].setdefault(topic, []).append(partition)
    return {
        "format": "equilag/snapshot/1",
        "group": "large",
        "topics": topics,
        "subscriptions": {"all": list(topics)},
        "members": [
            {"id": name, "subscription": "all", "owned": some}
            for name, some in zip(ids, owned, strict=True)
        ],
        "lags": {
            topic: [int(100 * rng.paretovariate(1.5)) for _ in range(count)]
            for topic, count in topics.items()
        },
    }


def report_of(snapshot: Any, effort: float = 0.1) -> GroupReport:
    """The report on a snapshot: its path, or its JSON."""
    answers = all_answers(load_snapshot(snapshot), Policy(), {"time_limit": 60.0, "effort": effort})
    return GroupReport(answers, ReportBasis("group.json", Policy()))


@cache
def page_of_sample(path: str) -> str:
    return page_of(report_of(path))
