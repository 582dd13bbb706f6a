"""How long to wait between rebalances, how many moves they may take, which verdicts are news."""

from __future__ import annotations

from equilag.live.rebalance.rebalance_limits import Backoff, MoveBudget, VerdictNews
from equilag.planner.worth.thresholds import Ground, Verdict


def test_a_wait_doubles_while_nothing_is_gained_and_halves_while_something_is() -> None:
    backoff = Backoff(30.0, 5)
    assert backoff.left(5.0) == 0.0
    backoff.start(5.0)
    assert [backoff.left(now) for now in (15.0, 40.0)] == [20.0, 0.0]
    found = []
    for helped in (False, False, False, True, *[True] * 9, *[False] * 9):
        backoff.judge(helped)
        found.append(backoff.seconds)
    assert found[:4] == [60.0, 120.0, 240.0, 120.0]
    assert (found[12], found[-1]) == (30.0, 960.0)


def test_a_budget_starts_full_and_fills_up_within_an_hour() -> None:
    budget = MoveBudget(60)
    assert budget.left(24, 100.0) == 60
    budget.take(40, 24, 100.0)
    assert [budget.left(24, now) for now in (100.0, 700.0, 5000.0)] == [20, 30, 60]


def test_a_changed_ground_is_news_once_a_minute() -> None:
    news = VerdictNews()
    told: list[tuple[Ground, float]] = [
        ("even", 0.0), ("even", 5.0), ("patience", 10.0), ("even", 15.0), ("patience", 20.0),
        ("even", 70.0), ("patience", 75.0), ("worth-it", 80.0), ("patience", 85.0),
    ]  # fmt: skip
    found = [now for ground, now in told if news.is_news(Verdict(ground, "why"), now)]
    assert found == [0.0, 10.0, 70.0, 75.0, 85.0]
