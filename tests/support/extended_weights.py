"""What partitions weigh, from a snapshot alone, and random rates and weights to weigh them by.

Nothing in here uses code of equilag.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any, Final

from support.oracle_groups import Partition
from support.oracle_snapshots import Snapshot, lags_of

KINDS: Final = ("lag", "rate", "work", "given")


def rates_of(snapshot: Snapshot) -> dict[Partition, Fraction]:
    """The rate of each partition; of an unknown one the mean of its topic, else of all, else 0."""
    given = snapshot.get("rates", {})
    rows = {t: given.get(t, [None] * size) for t, size in snapshot["topics"].items()}
    known = {t: [Fraction(rate) for rate in row if rate is not None] for t, row in rows.items()}
    usual = _mean([rate for row in known.values() for rate in row], Fraction(0))
    return {
        (topic, number): _mean(known[topic], usual) if rate is None else Fraction(rate)
        for topic, row in rows.items()
        for number, rate in enumerate(row)
    }


def _mean(rates: list[Fraction], otherwise: Fraction) -> Fraction:
    return sum(rates, Fraction(0)) / len(rates) if rates else otherwise


def weights_of(snapshot: Snapshot, kind: str, horizon: float = 300) -> dict[Partition, Fraction]:
    """What each partition weighs, without rounding."""
    if kind == "lag":
        return lags_of(snapshot)
    if kind == "given":
        given = snapshot["weights"]
        return {(t, n): Fraction(given[t][n] if t in given else 0) for t, n in lags_of(snapshot)}
    rates = rates_of(snapshot)
    if kind == "rate":
        return rates
    lags = lags_of(snapshot)
    return {one: lags[one] + rate * Fraction(horizon) for one, rate in rates.items()}


def give_weights(rng: Random, snapshot: dict[str, Any], decimals: int = 1) -> None:
    """Rates with so many decimals, some of them unknown, and weights of the user's own."""
    for field in ("rates", "weights"):
        snapshot[field] = {}
        for topic, size in snapshot["topics"].items():
            if rng.random() < 0.9:
                row = [rng.choice((0, 1, 10, 100)) * rng.random() for _ in range(size)]
                some = rng.random() < 0.5
                snapshot[field][topic] = (
                    [round(w) for w in row]
                    if field == "weights"
                    else [None if some and rng.random() < 0.3 else round(r, decimals) for r in row]
                )
