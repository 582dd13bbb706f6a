"""The proved optimum of a case, from a plan that `equilag.verify` accepts."""

from __future__ import annotations

from typing import Final

import numpy as np

from benchmarks.assignors.case import Case
from benchmarks.assignors.evaluate import Figures, Proved, evaluate
from equilag.certificate.verify import verify
from equilag.domain.plan.plan import Plan
from equilag.planner.solve import solve

PATIENCE: Final = 60.0
"""Seconds for the proof of a case without lags; it needs far less."""


def proved(case: Case) -> tuple[Proved, Figures]:
    """Plan a case; return the proved optimum and the figures of the plan."""
    if case.lag is None:
        plan = solve(case.group(), "fair-yet-sticky", time_limit=PATIENCE, tolerance=0)
    else:
        plan = solve(case.group(), time_limit=case.time_limit, tolerance=0)
    return proved_by(case, plan)


def proved_by(case: Case, plan: Plan) -> tuple[Proved, Figures]:
    """Return the optimum that a plan proves, and the figures of the plan.

    A plan without the required claims, or with findings, proves nothing; see `findings`.
    """
    findings = verify(plan.group, plan)
    figures = evaluate(case, plan.assignment)
    needed = ("counts", "fewest_moves") if case.owned else ("counts",)
    names = {claim.claim for claim in plan.claims}
    findings += [f"no claim about {name}" for name in needed if name not in names]
    findings += figures.problems
    counts = figures.counts if not findings else np.zeros(0, np.int64)
    return (
        Proved(counts, plan.moves_lower_bound, int(plan.proofs.spread), tuple(findings)),
        figures,
    )
