"""Which verdicts a log tells."""

from __future__ import annotations

from equilag.live.rebalance.rebalance_limits import VerdictNews
from equilag.planner.worth.thresholds import Ground, Verdict


def test_a_changed_ground_is_news_once_a_minute() -> None:
    news = VerdictNews()

    def told(ground: Ground, now: float) -> bool:
        return news.is_news(Verdict(ground, "why"), now)

    assert told("even", 0.0)
    assert not told("even", 5.0)
    assert told("patience", 10.0)
    assert not told("even", 15.0)
    assert not told("patience", 20.0)
    assert told("even", 70.0)
    assert told("patience", 75.0)
    assert not told("worth-it", 80.0)
    assert told("patience", 85.0)
