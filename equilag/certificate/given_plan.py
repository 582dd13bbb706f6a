"""A plan's JSON as a `Plan`, once it has been verified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equilag.certificate.plan_document import read_plan
from equilag.certificate.verify import check_plan
from equilag.errors import InputError
from equilag.evidence import MOVES, strongest
from equilag.group import Group
from equilag.objective import EXCESS, SPREAD
from equilag.overrides.shape import shape_group
from equilag.plan import REPEATABLE, Plan
from equilag.reduction.reduce import Reduction, reduce_group


def given_plan(group: Group, document: Mapping[str, Any]) -> Plan:
    """The plan that the JSON describes. It has no choices, which no JSON holds.

    Raises InputError for what is no plan, and for a plan that does not hold: its figures are not
    to be shown.
    """
    findings = check_plan(group, document).findings
    read = None if findings else read_plan(group, document, findings)
    if findings or read is None or read.status is None:
        raise InputError(f"does not hold: {findings[0]} (equilag verify lists all)", "plan")
    reduction = Reduction(group, group)
    if read.policy is not None:
        reduction = reduce_group(shape_group(group, read.policy.overrides), read.policy)
    claims = tuple(placed.claim for placed in read.claims)
    proved, settings = strongest(claims), document["policy"]
    return Plan(
        reduction.given,
        read.policy,
        read.status,
        document["algorithm"],
        read.assigned,
        claims,
        proved.get(SPREAD, 0),
        proved.get(MOVES, 0),
        document["timing"]["time_limit_s"],
        document["timing"]["wall_s"],
        tuple(document.get("notes", ())),
        seed=settings.get("seed", 0),
        effort=settings.get("effort"),
        repeatable=settings.get("run", REPEATABLE) == REPEATABLE,
        excess_lower_bound=max((one.value for one in claims if one.claim == EXCESS), default=0),
        interrupted=document.get("interrupted", False),
        reduction=reduction if read.policy is not None else None,
    )
