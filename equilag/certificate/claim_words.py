"""A claim in words, with the unit of its value."""

from __future__ import annotations

from typing import Final

from equilag.domain.group.group import Group
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.metrics import load_divisor
from equilag.domain.policy.objective import EXCESS, SPREAD, VALUE

OF_LOADS: Final = ("max_load_at_least", "min_load_at_most", SPREAD, VALUE, EXCESS)
"""Claims whose values are loads as they are compared."""


def claim_words(claim: Claim, group: Group, value: str) -> str:
    """The claim about a plan of the reduced group; `value` is how its value is written."""
    divisor, real = load_divisor(group), group.real
    unit = ""
    if claim.claim in OF_LOADS and divisor is not None:
        unit = f" in scaled load, {claim.value / divisor:.6g} per unit of capacity"
    elif claim.claim == "counts" and real is not None and real.stakes is not None:
        unit = " units" if claim.value != 1 else " unit"
    return f"{claim.claim} {value}{unit} ({claim.kind})"
