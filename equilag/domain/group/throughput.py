"""Whether members keep up: records per second that are produced beside those they can read."""

from __future__ import annotations

import numpy as np

from equilag.domain.columns import NOBODY, Floats, Index, Ints
from equilag.domain.group.weight import filled_rates, known_rates, knows_rates
from equilag.domain.plan.metrics import member_loads
from equilag.domain.plan.plan_figures import RATE_ROUNDING, HotPartition, ThroughputFigures
from equilag.domain.reduction.reduce import Reduction, known_capacities


def rates_and_capacities(reduction: Reduction) -> tuple[Floats, Floats] | None:
    """[P] and [M] of the given group, unknown ones filled in.

    None where lag or the user's own weights are spread, or no rate or no capacity is known.
    """
    group, weights = reduction.given, reduction.weights
    if weights is None or weights.kind == "given" or not knows_rates(group):
        return None
    if all(member.capacity is None for member in group.members):
        return None
    return filled_rates(group).rate, np.array(known_capacities(group))


def throughput(
    reduction: Reduction, assigned: Index, least_short: float = 0.0
) -> ThroughputFigures | None:
    """The figures of an assignment [P] of the given group, `least_short` as it is proved. O(P).

    None where `rates_and_capacities` is.
    """
    known = rates_and_capacities(reduction)
    if known is None:
        return None
    group, (rate, capacity) = reduction.given, known
    active = ~reduction.group.idle
    held = assigned != NOBODY
    load: Floats = np.zeros(group.n_members)
    np.add.at(load, assigned[held], rate[held])
    used = np.where(active, load / capacity, 0.0)
    over = np.where(load > capacity * (1 + RATE_ROUNDING), load - capacity, 0.0)
    return ThroughputFigures(
        float(load.sum()),
        float(capacity[active].sum()),
        float(used.max(initial=0.0)),
        group.by_member(used),
        float(over[active].sum()),
        least_short,
        tuple(hot_partitions(reduction, known_rates(group), capacity)),
        caught_up(member_loads(assigned, group.lag, group.n_members), load, capacity),
    )


def caught_up(lag: Ints, rate: Floats, capacity: Floats) -> float | None:
    """Seconds until members with these lags, rates and capacities [M] have read everything; None if
    one of them with a lag never has."""
    spare = (capacity - rate)[lag > 0]
    if len(spare) and spare.min() <= 0:
        return None
    return float((lag[lag > 0] / spare).max(initial=0.0))


def hot_partitions(reduction: Reduction, rate: Floats, capacity: Floats) -> list[HotPartition]:
    """Partitions, or units of co-partitioned topics, whose known rate exceeds the capacity of every
    member that may take them; the largest rate first.

    `rate` [P], 0 for unknown, and `capacity` [M] are those of the given group.
    """
    planned = reduction.group
    of_unit = unit_weights(reduction, rate)
    fastest = np.zeros(len(planned.class_topics))
    busy = np.flatnonzero(~planned.idle)
    np.maximum.at(fastest, planned.class_of[busy], capacity[busy])
    taker: Floats = np.where(planned.eligible, fastest, 0.0).max(axis=1, initial=0.0)
    most = taker[planned.partition_class]
    found = np.flatnonzero(of_unit > most)
    hot = found[np.argsort(-of_unit[found], kind="stable")]
    return [
        HotPartition(*planned.partition_name(p), float(of_unit[p]), float(most[p]))
        for p in hot.tolist()
    ]


def unit_weights(reduction: Reduction, weight: Floats) -> Floats:
    """[units] the sum of a weight [P] over the partitions of each unit; 0 where nobody reads it."""
    planned = reduction.group
    unit_of = np.arange(len(weight)) if reduction.unit_of is None else reduction.unit_of
    found: Floats = np.zeros(planned.n_partitions)
    np.add.at(found, unit_of, weight)
    found[~planned.assignable] = 0.0
    return found
