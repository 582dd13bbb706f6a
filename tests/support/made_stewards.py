"""Statuses of stewards with something in every part, without a group."""

from __future__ import annotations

import math
import time
from typing import Final

from equilag.domain.figures import utc
from equilag.live.status.status import StewardStatus
from equilag.live.status.steward_parts import (
    StewardEvent,
    StewardMember,
    StewardMove,
    StewardPlan,
)

HOSTILE: Final = "<script>alert(1)</script>"
"""A name that must stay text."""
_POINTS: Final = 120


def made_steward(members: int = 12, dry_run: bool = False) -> StewardStatus:
    """A leader in its cooldown; the second member has a hostile name."""
    state = StewardStatus(5.0, 10.0)
    by_member = tuple(
        StewardMember(
            name=HOSTILE if number == 1 else f"orders-{number}",
            id=f"orders-{number}-id",
            partitions=4,
            lag=50_000 - 1000 * number,
            load_percent=round(148.2 - 80.0 * number / members, 1),
            rate=420.5,
            speed=1200.0 if number % 2 else None,
            speed_measured=number % 3 > 0,
        )
        for number in range(members)
    )
    state.set(
        group="orders",
        instance="equilag-steward",
        role="dry-run" if dry_run else "leader",
        generation=41,
        protocol="range",
        members=members,
        partitions=4 * members,
        lag_total=sum(one.lag for one in by_member),
        lag_spread=by_member[0].lag - by_member[-1].lag,
        rate_total=5123.4,
        utilisation_percent=61.2,
        heaviest_percent=by_member[0].load_percent,
        relief_possible_percent=34.0,
        cooldown_s=30.0,
        cooldown_left_s=12.0,
        moves_left=430,
        pause_s=3.1,
        by_member=by_member,
        last_plan=StewardPlan(
            utc(time.time()), "worth-it", "relieves a member by 34 % of a fair share", 34.0, 22.6,
            148.2, 109.0, 2,
            (
                StewardMove("orders", 3, by_member[0].name, by_member[1].name, 9000),
                StewardMove("orders", 4, by_member[0].name, by_member[-1].name, 8000),
            ),
        ),
        **({"heaviest_percent_would_be": 104.0, "lag_total_would_be": 20_000} if dry_run else {}),
    )  # fmt: skip
    state.observed()
    state.heartbeat_answered()
    state.count("handouts", "sticky")
    state.decide("even", "at best relieves a member by 7 % of a fair share")
    state.decide("cooldown", "at best relieves a member by 18 %; 12 s left of the cooldown")
    state.record_event(
        StewardEvent(utc(time.time()), "warning", "rebalance", "moves: orders-1 a to b")
    )
    _fill_history(state)
    return state


def _fill_history(state: StewardStatus) -> None:
    facts, now = state.facts, time.time()
    would_be = facts.lag_total_would_be, facts.heaviest_percent_would_be
    for point in range(_POINTS):
        wave = math.sin(point / 12)
        course = int(60_000 + 30_000 * wave), 125.0 + 20 * wave, *would_be
        state._points.append((now - 5.0 * (_POINTS - point), *course))
    state._rebalances.append(now - 300.0)
