"""`assign`: one heuristic as it is, as a plan."""

from __future__ import annotations

import time

from equilag.certificate.counting import Counting
from equilag.claim import Claim
from equilag.constraint import unconstrained
from equilag.group import Group
from equilag.heuristics import get_assignor
from equilag.heuristics.registry import run_assignor
from equilag.plan import Plan
from equilag.planner.solve import check_group
from equilag.solver.lower_bounds.load_bounds import difference, overall_bounds


def assign(group: Group, assignor: str) -> Plan:
    """The plan of one heuristic, built in or a user's own.

    Its certificate claims nothing about counts or moves, only what holds for any assignment. Raises
    InputError for an unknown assignor and for one whose answer is not valid.
    """
    check_group(group)
    start = time.monotonic()
    assigned = run_assignor(get_assignor(assignor), group)
    bounds = overall_bounds(Counting(group, unconstrained(group)))
    claims: tuple[Claim, ...] = ()
    bound = 0
    if bounds is not None:
        bound = bounds.spread
        claims = (bounds.highest, bounds.lowest, difference(bounds))
    wall = time.monotonic() - start
    return Plan(group, None, "feasible", assignor, assigned, claims, bound, 0, None, wall)
