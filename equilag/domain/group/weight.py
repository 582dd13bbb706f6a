"""What a partition weighs: its lag, its rate, the work until a horizon, or a weight of the user's.

Plans are made with whole numbers: a weight is an integer, and a scale says how many make one unit.
What moving a partition costs is 1, its lag, its rate, or a weight of the user's own. The fewest
moves are a sum of whole numbers, and so is the least moved weight with the fewest moves of those
that move so much: a move is priced at its weight times more than there are moves, plus 1. All that
saves, limits or proves moves works on the sum of these *prices*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Ints, are_whole
from equilag.domain.errors import InputError
from equilag.domain.group.extended_columns import MoveUnit
from equilag.domain.group.group import Group
from equilag.domain.group.lag import UNKNOWN

if TYPE_CHECKING:
    from equilag.domain.policy.policy import Policy
    from equilag.domain.policy.policy_settings import WeightKind


UNITS: Final[dict[WeightKind, str]] = {
    "lag": "records", "rate": "records/s", "work": "records", "given": "weight",
}  # fmt: skip
MAX_WEIGHT: Final = 2**60
"""The total of all weights stays below this, as that of all lags stays below 2^62: two scaled loads
can still be added."""
EXACT_TOTAL: Final = 2**46
"""Weights get decimals as long as their total stays below this: room for load factors of 2^15."""
MEAN_DIGITS: Final = 10**4
"""A mean weight of so many units has four digits, more than a measured rate is known to."""
MAX_DECIMALS: Final = 12
"""One record in a year is a rate of 3 × 10^-8, which has its four digits with these."""


class FilledRates(NamedTuple):
    """A rate for every partition."""

    rate: Floats
    """[P] records produced per second; never NaN."""
    unknown: int
    """Partitions of which no rate was known."""


class PartitionWeights(NamedTuple):
    """The weights that a policy asks for."""

    kind: WeightKind
    horizon_s: float | None
    """Seconds; None unless `kind` is ``work``."""
    value: Ints
    """[P] 0 or more."""
    scale: int
    """This many make one unit."""

    @property
    def unit(self) -> str:
        return UNITS[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """``weight`` in a plan's JSON."""
        return {"kind": self.kind, "horizon_s": self.horizon_s, "unit": self.unit}


def filled_rates(group: Group) -> FilledRates:
    """The rate of each partition; for an unknown one the mean of the known rates of its topic, else
    of all, else 0. O(P)."""
    if group.rates is None:
        return FilledRates(np.zeros(group.n_partitions), group.n_partitions)
    known = ~np.isnan(group.rates)
    unknown = int(np.count_nonzero(~known))
    if not unknown:
        return FilledRates(group.rates, 0)
    rate = np.where(known, group.rates, 0.0)
    number = np.bincount(group.topic_of, known, len(group.topics))
    total = np.bincount(group.topic_of, rate, len(group.topics))
    usual = rate.sum() / known.sum() if known.any() else 0.0
    of_topic = np.divide(total, number, out=np.full(len(group.topics), usual), where=number > 0)
    return FilledRates(np.where(known, rate, of_topic[group.topic_of]), unknown)


def known_rates(group: Group) -> Floats:
    """[P] the rate of each partition, 0 where it is unknown."""
    if group.rates is None:
        return np.zeros(group.n_partitions)
    return np.nan_to_num(group.rates)


def knows_rates(group: Group) -> bool:
    """True if the rate of any partition is known."""
    return group.rates is not None and bool((~np.isnan(group.rates)).any())


def total_rate(group: Group) -> float | None:
    """Records per second of all partitions, those of unknown rates included; None if none is
    known."""
    return float(filled_rates(group).rate.sum()) if knows_rates(group) else None


def weighed_policy(policy: Policy, group: Group) -> Policy:
    """The policy with the weights in force. Of partitions, unless it names them: work where the
    group knows rates, those given where nothing else is known. Of moves: those given."""
    if policy.move_weight is None and group.move_weights is not None:
        policy = replace(policy, move_weight="given")
    if policy.weight is not None:
        return policy
    if knows_rates(group):
        return policy.with_weight("work")
    only_weights = group.weights is not None and bool((group.quality == UNKNOWN).all())
    return policy.with_weight("given") if only_weights else policy


def with_known_weight(policy: Policy, group: Group) -> Policy:
    """Return the policy; by lag as long as it weighs by rates and none is known, which is an error
    offline only: a live group must be read and answered from the first second on."""
    waits = policy.weight == "rate" and not knows_rates(group)
    return policy.with_weight("lag") if waits else policy


def partition_weights(
    group: Group, policy: Policy, digits: int = MEAN_DIGITS
) -> PartitionWeights | None:
    """The weights of all partitions; None where lag is what is spread. O(P). A mean weight of so
    many units is exact enough.

    Raises InputError, at `weight` or `rates`, for weights that the group does not know, and for
    rates that add up to too much.
    """
    policy = weighed_policy(policy, group)
    kind = policy.weight
    if kind is None or kind == "lag":
        return None
    if kind == "given":
        if group.weights is None:
            raise InputError("the group has no weights of its own", "weight")
        return PartitionWeights(kind, None, group.weights, 1)
    if kind == "rate":
        return PartitionWeights(kind, None, *_rate_weights(group, "weight", digits))
    ahead = filled_rates(group).rate * policy.horizon
    return PartitionWeights(kind, policy.horizon, *whole_weights(group.lag, ahead, digits))


def _rate_weights(group: Group, place: str, digits: int = MEAN_DIGITS) -> tuple[Ints, int]:
    """The rates as `whole_weights`. Raises InputError at `place` where none is known."""
    if group.n_partitions and not knows_rates(group):
        raise InputError("no partition's rate is known", place)
    return whole_weights(np.zeros_like(group.lag), filled_rates(group).rate, digits)


def whole_weights(lag: Ints, more: Floats, digits: int = MEAN_DIGITS) -> tuple[Ints, int]:
    """[P] `lag` + `more` as integers, and how many of them are 1: a power of ten.

    It is the least that keeps every weight exact, or else makes the mean weight that large.
    """
    total = float(lag.sum()) + float(more.sum())
    if not total < MAX_WEIGHT:
        raise InputError(f"add up to a weight of {total:.3g}; 10^18 is the most", "rates")
    heavy = more[more > 0]
    usual = total / max(1, len(lag))
    scale = 1
    for _ in range(MAX_DECIMALS):
        exact = are_whole(heavy * scale)
        if exact or usual * scale >= digits or total * scale * 10 >= EXACT_TOTAL:
            break
        scale *= 10
    return lag * scale + np.rint(more * scale).astype(np.int64), scale


MAX_PRICE: Final = 2**60
"""The price of moving everything stays below this: potentials of a flow are at most twice as much,
and two of them and a price fit 63 bits."""


class MovePrices(NamedTuple):
    """What each partition costs to move."""

    price: Ints
    """[P]"""
    unit: MoveUnit


def move_prices(group: Group, policy: Policy) -> MovePrices | None:
    """The prices that a policy asks for; None where moves are counted.

    Raises InputError, at `move_weight`, for weights that the group does not know, or that are too
    large in all.
    """
    kind = policy.move_weight or ("count" if group.move_weights is None else "given")
    if kind == "count":
        return None
    scale = 1
    if kind == "given":
        if group.move_weights is None:
            raise InputError("the group has no move_weights", "move_weight")
        weight = group.move_weights
    elif kind == "lag":
        weight = group.lag
    else:
        weight, scale = _rate_weights(group, "move_weight")
    owned = weight[group.owner != NOBODY]
    unit, total = len(owned) + 1, sum(owned.tolist())
    if total * unit + len(owned) >= MAX_PRICE:
        problem = f"the weights of {len(owned):,} owned partitions add up to {total // scale:.3g}"
        most = MAX_PRICE // unit // scale
        raise InputError(f"{problem}; {most:.3g} is the most: use a larger unit", "move_weight")
    # Of partitions without an owner nothing is moved, and their weights may be any.
    price = np.where(group.owner != NOBODY, weight, 0) * unit + 1
    return MovePrices(price, MoveUnit(unit, scale))
