"""Which goals of a policy are proved, and whether the proof rests on a solver's word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from equilag.domain.plan.claim import Claim, Evidence
from equilag.domain.policy.objective import SPREAD, VALUE, Figures, Objective, Proved

MOVES = "fewest_moves"
"""The claim that bounds the moves."""
ACROSS = "fewest_cross_rack"
"""The claim that bounds the partitions read across racks."""
LOWER_BOUNDS = (MOVES, SPREAD, VALUE)
"""The claims that decide whether a plan is optimal; the larger value says more."""


def is_optimal(
    objective: Objective, figures: Figures, mean: float, proved: Mapping[str, int]
) -> bool:
    """Return True if each goal after exact counts is reached and proved.

    `mean` is the mean load, `proved` the strongest value of each claim.
    """
    spread = proved.get(SPREAD, 0)
    fewest = 0 if objective.policy.fresh else proved.get(MOVES, 0)
    bounds = Proved(spread, fewest, max(proved.get(VALUE, 0), spread))
    return objective.is_proved(figures, bounds, mean)


def evidence_for(
    objective: Objective | None,
    figures: Figures,
    mean: float,
    proved: Mapping[str, int],
    checked: Mapping[str, int],
) -> Evidence:
    """Return ``solver`` if the status, or else the gap, would differ without a solver's claims.

    `proved` has the strongest value of each claim, `checked` of those without a solver. `objective`
    is None for the plan of a single heuristic.
    """
    if all(proved.get(name) == checked.get(name) for name in LOWER_BOUNDS):
        return "checked"
    if objective is not None and is_optimal(objective, figures, mean, checked):
        return "checked"
    return "solver"


def bounded_by_solver(claims: Iterable[Claim]) -> bool:
    """True if a solver says more about the spread than what is checked."""
    known = tuple(claims)
    checked = strongest(claim for claim in known if claim.evidence == "checked")
    return strongest(known).get(SPREAD) != checked.get(SPREAD)


def strongest(claims: Iterable[Claim]) -> dict[str, int]:
    """Return the largest value of each claim of LOWER_BOUNDS."""
    values: dict[str, int] = {}
    for claim in claims:
        if claim.claim in LOWER_BOUNDS:
            values[claim.claim] = max(claim.value, values.get(claim.claim, 0))
    return values
