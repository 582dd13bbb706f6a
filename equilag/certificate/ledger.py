"""What a check works with: the plan's constraint and limits, and what has been proved so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from equilag.certificate.bounds.counting import Counting
from equilag.domain.constraint import CountConstraint
from equilag.domain.group.group import Flags, Group, Ints
from equilag.domain.group.member_capacities import Load
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.claim import MOVES, OF_LOADS, PRICE, SQUARES, Claim
from equilag.domain.plan.metrics import topic_squares
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.proofs import Proofs
from equilag.domain.policy.objective import EXCESS, SHORT, SPREAD, VALUE, Objective
from equilag.domain.policy.policy import Policy


def claim_words(claim: Claim, group: Group, value: str) -> str:
    """The claim about a plan of the reduced group; `value` is how its value is written."""
    divisor = group.extended.load_divisor
    unit = ""
    if claim.claim in OF_LOADS and divisor is not None:
        unit = f" at the largest capacity, {float(claim.value) / divisor:.6g} per unit of capacity"
    elif claim.claim == "counts" and group.extended.has_units:
        unit = " units" if claim.value != 1 else " unit"
    return f"{claim.claim} {value}{unit} ({claim.kind})"


class Refuted(Exception):
    """A claim does not hold, or its data cannot be read; the text says why."""


@dataclass
class Ledger:
    """The bounds proved so far for one plan, and what further proofs rest on."""

    group: Group
    """Without owners if the policy says ``fresh``."""
    original: Group
    """With owners, as given."""
    policy: Policy | None
    """None for the plan of a single heuristic."""
    constraint: CountConstraint
    exact_counts: bool
    """True if `constraint` is the policy's and the plan meets it."""
    move_limit: int | None
    """The bounds need to hold only for plans with no more moves; None for no limit."""
    plan_figures: Mapping[str, Load] = field(default_factory=dict)
    """Claim name -> what the plan itself reaches; no claim may rule the plan out."""
    shortage: Shortage | None = None
    """None where nothing is known of rates or capacities."""
    proofs: Proofs = field(default_factory=Proofs)
    """What was proved so far of all plans that the policy allows."""

    @cached_property
    def counting(self) -> Counting:
        """The counting bounds under the constraint."""
        return Counting(self.group, self.constraint)

    @property
    def objective(self) -> Objective | None:
        """The goals of the policy, for loads as they are compared; None without a policy."""
        return None if self.policy is None else Objective.of(self.policy, self.group)

    def window(self, spread: Load) -> tuple[Load, Load]:
        """Above and below which loads all those of a plan with a smaller spread are."""
        return self.proofs.highest - spread, self.proofs.lowest + spread

    def contradicted(self, claim: str, value: Load) -> bool:
        """True if the plan itself shows that the claim is wrong."""
        reached = self.plan_figures.get(claim)
        if reached is None:
            return False
        return value < reached if claim == "min_load_at_most" else value > reached

    @property
    def ids(self) -> list[str]:
        """The ids of the members."""
        return [member.id for member in self.group.members]

    def members_in(self, data: Mapping[str, Any]) -> Flags:
        """[M] the members that a claim is about, from ``data.members``. Raises Refuted."""
        names = data.get("members")
        if names == "all":
            return self.counting.active
        if not isinstance(names, list) or not names:
            raise Refuted('data.members is neither "all" nor a list of members')
        if not all(isinstance(name, str) for name in names):
            raise Refuted("data.members has what is no name")
        chosen = column_of(dict.fromkeys(names, 1), self.ids, "data.members", 1)
        return chosen.astype(np.bool_)


def column_of(table: Any, names: Sequence[str], place: str, most: int, width: int = 1) -> Ints:
    """[names], or [width, names], the whole numbers that an object has for names: a number, or a
    list of `width`, each at most `most` from 0; what is not named is 0. Raises Refuted."""
    if not isinstance(table, dict):
        raise Refuted(f"{place} is not an object")
    number = {name: i for i, name in enumerate(names)}
    columns = np.zeros((width, len(names)), np.int64)
    for name, value in table.items():
        if name not in number:
            raise Refuted(f"{place}: {name!r} is unknown")
        row = value if width > 1 and isinstance(value, list) else [value]
        if len(row) != width or not all(type(x) is int and abs(x) <= most for x in row):
            what = "a whole number" if width == 1 else f"{width} whole numbers"
            raise Refuted(f"{place}.{name} is not {what} that may stand there")
        columns[:, number[name]] = row
    return columns if width > 1 else columns[0]


def natural_in(data: Mapping[str, Any], key: str) -> int:
    """A whole number of 0 or more from a claim's data. Raises Refuted."""
    value = data.get(key)
    if type(value) is not int or value < 0:
        raise Refuted(f"data.{key} is not a whole number of 0 or more")
    return value


def figures_reached(plan: Plan, objective: Objective | None) -> dict[str, Load]:
    """Claim name -> what the plan itself reaches."""
    group, loads, moves = plan.planned.group, plan.compared, plan.moves_price
    cost = 0 if objective is None else objective.cost(moves)
    return {
        MOVES: group.extended.moved_partitions(moves),
        PRICE: moves,
        "max_load_at_least": loads.max,
        "min_load_at_most": loads.min,
        SPREAD: loads.spread,
        VALUE: loads.spread + cost,
        EXCESS: loads.most_excess,
        SHORT: plan.reached.short,
        SQUARES: topic_squares(group, plan.planned.collapse(plan.assigned)),
    }
