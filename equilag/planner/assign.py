"""`assign`: one heuristic as it is, as a plan."""

from __future__ import annotations

import time

from equilag.group import Group
from equilag.heuristics import get_assignor
from equilag.heuristics.registry import run_assignor
from equilag.plan import Plan
from equilag.planner.result import unconstrained_claims
from equilag.planner.settings import checked_group


def assign(group: Group, assignor: str) -> Plan:
    """Return the plan of one heuristic, built in or a user's own.

    Its certificate claims nothing about counts or moves, only what holds for any assignment. Raises
    InputError for an unknown assignor and for one whose answer is not valid.
    """
    checked_group(group)
    start = time.monotonic()
    assigned = run_assignor(get_assignor(assignor), group, assignor)
    claims = unconstrained_claims(group)
    bound = claims[-1].value if claims else 0
    wall = time.monotonic() - start
    return Plan(group, None, "feasible", assignor, assigned, claims, bound, 0, None, wall)
