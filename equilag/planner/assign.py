"""`assign`: one heuristic as it is, as a plan."""

from __future__ import annotations

import time

from equilag.domain.group.group import Group
from equilag.domain.plan.plan import Plan
from equilag.heuristics.registry import AnyAssignor, given_assignor
from equilag.planner.solving.result import judge_when_read, unconstrained_claims
from equilag.planner.solving.run_settings import checked_group


def assign(group: Group, assignor: AnyAssignor) -> Plan:
    """Return the plan of one assignor, built in or a user's own.

    `assignor` is a name or ``module:attribute``; or an object with ``assign(group)``, its class, or
    a function of a group, each of which returns [P] member numbers (-1: nobody reads the topic).
    The plan's `algorithm` is that name; of an object its `name`, or else the name of its class.

    Its certificate claims nothing about counts or moves, only what holds for any assignment. Raises
    InputError for an unknown assignor, and for one that fails or whose answer is not valid.
    """
    checked_group(group)
    start = time.monotonic()
    one = given_assignor(assignor)
    assigned = one.run(group)
    claims = unconstrained_claims(group)
    wall = time.monotonic() - start
    return Plan(
        group, None, "feasible", one.name, assigned, claims, None, wall,
        judge=judge_when_read,
    )  # fmt: skip
