"""The plan that an operator would make who knew all rates and speeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

import equilag
from equilag.domain.columns import Floats, Ints
from equilag.domain.plan.plan import Plan

_EFFORT: Final = 0.3
"""Counted seconds of one core: more changes nothing for 24 partitions."""
_LIMIT_S: Final = 30.0
"""On a clock, for a busy machine."""


def utilisation(rates: Floats, speeds: Sequence[float], owners: Ints) -> Floats:
    """Return [M] the share of its time that each member needs for its partitions."""
    loads = np.bincount(owners, weights=rates, minlength=len(speeds))
    used: Floats = loads / np.array(speeds)
    return used


def hand_plan(rates: Floats, speeds: Sequence[float], before: Ints | None = None) -> Ints:
    """Return [P] member numbers: the plan whose busiest member has the most time left, among one
    with even counts per speed and one with free counts. Moves from `before` are few."""
    plans = [
        _owners(_solved(rates, speeds, before, balance), len(rates))
        for balance in ("total", "none")
    ]
    return min(plans, key=lambda owners: float(utilisation(rates, speeds, owners).max()))


def _solved(rates: Floats, speeds: Sequence[float], before: Ints | None, balance: str) -> Plan:
    members = [
        {
            "id": str(number),
            "subscription": ["t"],
            "capacity": speed,
            "owned": {} if before is None else {"t": np.flatnonzero(before == number).tolist()},
        }
        for number, speed in enumerate(speeds)
    ]
    group = equilag.load_snapshot(
        {
            "format": "equilag/snapshot/1",
            "group": "by-hand",
            "topics": {"t": len(rates)},
            "members": members,
            "lags": {"t": [0] * len(rates)},
            "rates": {"t": rates.tolist()},
        }
    )
    return equilag.solve(
        group,
        weight="rate",
        balance=balance,
        effort=_EFFORT,
        time_limit=_LIMIT_S,
    )


def _owners(plan: Plan, partitions: int) -> Ints:
    owners = np.zeros(partitions, np.int64)
    for member, topics in plan.assignment.items():
        owners[topics.get("t", [])] = int(member)
    return owners
