"""A plan from its JSON, after `verify` has found nothing wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.certificate.plan_document import read_plan
from equilag.certificate.verify import check_plan
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.domain.plan.plan import REPEATABLE, Plan
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import Reduction, reduce_group


def checked_plan(group: Group, document: Mapping[str, Any]) -> Plan:
    """The plan for the group; it has no choices, which no JSON holds.

    Raises InputError at `plan` with what is wrong, if anything is.
    """
    findings = check_plan(group, document).findings
    if findings:
        more = f" (and {len(findings) - 1:,} more: equilag verify lists them)"
        text = findings[0] + (more if len(findings) > 1 else "")
        raise InputError(f"the plan does not hold: {text}", "plan")
    read = read_plan(group, document, [])
    assert read is not None  # else there were findings
    assert read.status is not None
    policy = read.policy
    reduction = Reduction(group, group)
    if policy is not None:
        reduction = reduce_group(shape_group(group, policy), policy)
    claims = tuple(placed.claim for placed in read.claims)
    settings = document["policy"]
    return Plan(
        reduction.given,
        policy,
        read.status,
        str(document["algorithm"]),
        read.assigned,
        claims,
        document["timing"]["time_limit_s"],
        document["timing"]["wall_s"],
        tuple(document.get("notes", ())),
        seed=settings.get("seed", 0),
        effort=settings.get("effort"),
        repeatable=settings.get("run", REPEATABLE) == REPEATABLE,
        interrupted=document.get("interrupted", False),
        reduction=reduction,
    )
