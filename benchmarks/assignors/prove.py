"""What is proved of a case: from a plan that `equilag.verify` finds nothing wrong with."""

from __future__ import annotations

from typing import Final

import numpy as np

from benchmarks.assignors.case import Case
from benchmarks.assignors.evaluate import Figures, Proved, evaluate
from equilag.certificate.verify import verify
from equilag.plan import Plan
from equilag.planner.solve import solve

PATIENCE: Final = 60.0
"""Seconds for the proof of a case without lags; far more than it needs."""


def proved(case: Case) -> tuple[Proved, Figures]:
    """Counts, fewest moves and the bound on the spread, and the figures of the plan behind them."""
    if case.lag is None:
        plan = solve(case.group(), "fair-yet-sticky", time_limit=PATIENCE)
    else:
        plan = solve(case.group(), time_limit=case.time_limit)
    return proved_by(case, plan)


def proved_by(case: Case, plan: Plan) -> tuple[Proved, Figures]:
    """The same from a plan that is there already. A plan whose counts are not claimed, or that
    does not hold, proves nothing: `findings` says so."""
    findings = verify(plan.group, plan)
    figures = evaluate(case, plan.assignment)
    needed = ("counts", "fewest_moves") if case.owned else ("counts",)
    names = {claim.claim for claim in plan.claims}
    findings += [f"no claim about {name}" for name in needed if name not in names]
    findings += figures.problems
    counts = figures.counts if not findings else np.zeros(0, np.int64)
    return (
        Proved(counts, plan.moves_lower_bound, plan.spread_lower_bound, tuple(findings)),
        figures,
    )
