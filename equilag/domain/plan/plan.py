"""A plan: an assignment with its figures, its phases and its certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from equilag.domain.document import Shown, to_document
from equilag.domain.group.group import NOBODY, Group, Index
from equilag.domain.group.lag import QUALITY
from equilag.domain.group.loads import MemberLoads
from equilag.domain.group.throughput import shortage_of
from equilag.domain.move_reasons.plan_reasons import PlanReasons
from equilag.domain.plan.assignment import by_name, by_topic, withheld_phase
from equilag.domain.plan.claim import (
    CLAIMS_WHEN_READ,
    MOVES,
    PRICE,
    SQUARES,
    ClaimsWhenRead,
    Evidence,
)
from equilag.domain.plan.extended_figures import extended_figures, loads_differ, square_figures
from equilag.domain.plan.metrics import (
    alike,
    count_moves,
    loads_of,
    member_counts,
    member_loads,
    moved,
)
from equilag.domain.plan.move import Move, moves_of
from equilag.domain.plan.plan_figures import (
    Choice,
    CountFigures,
    ExtendedFigures,
    LagFigures,
    LoadFigures,
    ThroughputFigures,
)
from equilag.domain.plan.proofs import Proofs
from equilag.domain.plan.verdict import VerdictFacts
from equilag.domain.policy.objective import EXCESS, Figures, Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.reduction.reduce import Reduction

Status = Literal["optimal", "feasible", "fallback"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
FORMAT: Final = "equilag/plan/1"
REPEATABLE: Final = "repeatable"
CUT: Final = "cut by the clock"
"""What a plan's JSON says of its run."""


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Shown):
    """An assignment of one group, and how good it is proved to be."""

    group: Group
    policy: Policy | None
    """None for the plan of a single heuristic, which follows no policy."""
    status: Status
    algorithm: str
    assigned: Index
    """[P] member number per partition, NOBODY where the topic has no subscriber."""
    claims: ClaimsWhenRead = CLAIMS_WHEN_READ
    time_limit: float | None = None
    wall_s: float = 0.0
    notes: tuple[str, ...] = ()
    """Problems during the run."""
    choices: tuple[Choice, ...] = ()
    """Other trade-offs: fewest moves, the knee of the front, most even."""
    seed: int = 0
    effort: float | None = None
    """Seconds' worth of counted work that the run was limited to."""
    repeatable: bool = True
    """False if the clock cut the run short: another run may find another plan."""
    interrupted: bool = False
    """True if the run was told to end before it was done."""
    reduction: Reduction | None = None
    """What was planned in place of `group`; None for an assignor's plan, which knows only
    partitions."""
    judge: Callable[[Plan], VerdictFacts] | None = None
    """What makes the verdict when it is read."""

    @staticmethod
    def of_owners(
        group: Group, policy: Policy | None = None, reduction: Reduction | None = None
    ) -> Plan:
        """The current assignment as a plan, of which nothing is proved."""
        return Plan(group, policy, "feasible", "current", group.owner, reduction=reduction)

    @cached_property
    def current(self) -> Plan:
        """The current assignment as another plan of the same group and policy."""
        return Plan.of_owners(self.planned.given, self.policy, self.reduction)

    def __getstate__(self) -> dict[str, Any]:
        """A copy takes its claims along, not what makes them."""
        return {**self.__dict__, "claims": self.claims}

    @property
    def settings(self) -> dict[str, Any]:
        """The policy and every setting in force, as in the plan's JSON."""
        if self.policy is None:
            return {"name": self.algorithm, "balance": UNCONSTRAINED}
        effort = {} if self.effort is None else {"effort": self.effort}
        run = REPEATABLE if self.repeatable else CUT
        return {**self.policy.to_dict(), "seed": self.seed, **effort, "run": run}

    @cached_property
    def proofs(self) -> Proofs:
        """What the claims prove of all plans that the policy allows, whatever limit they name."""
        return Proofs.of(replace(claim, data={}) for claim in self.claims)

    @property
    def moves_lower_bound(self) -> int:
        return int(self.proofs.least(MOVES))

    @cached_property
    def evidence(self) -> Evidence:
        """``solver`` if the status, or else the gap, would differ without a solver's claims."""
        if all(claim.evidence == "checked" for claim in self.claims):
            return "checked"
        objective = None if self.policy is None else Objective.of(self.policy, self.planned.group)
        return self.proofs.evidence(objective, self.reached, self.compared.mean)

    @cached_property
    def assignment(self) -> dict[str, dict[str, list[int]]]:
        """Member to topic to partition numbers; every member is there."""
        return by_name(self.group, self.assigned)

    @cached_property
    def counts(self) -> CountFigures:
        counts = member_counts(self.assigned, self.group.n_members)
        figures = alike(counts, self.planned.group.idle)
        squares: tuple[float, ...] = ()
        if self.policy is not None and self.policy.then_topics:
            squares = square_figures(self.planned, self.assigned, self.proofs.least(SQUARES))
        by_member = self.group.by_member(counts)
        return CountFigures(int(figures.max), int(figures.min), by_member, *squares)

    @cached_property
    def lag(self) -> LagFigures:
        """Bounds on loads that are no lag, or per unit of capacity, are none on the lag."""
        scaled = self.planned.group.extended.load_divisor is not None
        lag = member_loads(self.assigned, self.group.lag, self.group.n_members)
        loads = alike(lag, self.planned.group.idle)
        bound, spread = 0 if scaled else int(self.proofs.spread), int(loads.spread)
        return LagFigures(
            int(loads.max),
            int(loads.min),
            spread,
            loads.mean,
            bound,
            spread - bound,
            100.0 * (spread - bound) / loads.mean if loads.mean else 0.0,
            loads.excess,
            0 if scaled else int(self.proofs.least(EXCESS)),
            self.group.by_member(lag),
            int(self.group.lag.sum()),
        )

    @cached_property
    def compared(self) -> MemberLoads:
        """Loads as the run compared them: of units, by capacity."""
        planned = self.planned
        return loads_of(planned.group, planned.collapse(self.assigned))

    @cached_property
    def reached(self) -> Figures:
        """What goals are about."""
        moves = 0 if self.policy is not None and self.policy.fresh else self.moves_price
        short = shortage_of(self.planned, self.assigned)
        return Figures(self.compared.spread, moves, short=short)

    @cached_property
    def extended(self) -> ExtendedFigures | None:
        """What the plan of an extended group has more; None for a plain group."""
        return extended_figures(self.planned, self.assigned, self.proofs)

    @property
    def throughput(self) -> ThroughputFigures | None:
        """Who keeps up; None unless rates or work are spread, and a rate and a capacity known."""
        return None if self.extended is None else self.extended.throughput

    @property
    def loads(self) -> LoadFigures:
        """The loads to compare: lag, or weight per unit of capacity where these differ."""
        if self.extended is None or not loads_differ(self.planned, self.policy):
            return self.lag
        return self.extended.load

    @cached_property
    def moves_price(self) -> int:
        """The moves as goals have them: their number, or the price of those that have a weight."""
        return count_moves(self.planned.group, self.planned.collapse(self.assigned))

    @property
    def moves_weight(self) -> float | None:
        """What the moves weigh; None unless the group, or the policy, speaks of their weights."""
        return self.planned.moved_weight(self.moves_price)

    @property
    def moves_weight_lower_bound(self) -> float | None:
        """No plan's moves weigh less; 0 where nothing is known."""
        priced = self.planned.group.extended.move_unit is not None
        bound = int(self.proofs.least(PRICE)) if priced else self.moves_lower_bound
        return self.planned.moved_weight(bound)

    @property
    def moves_cost(self) -> float:
        """What evenness is traded for: the weight of the moves, else their number."""
        weight = self.moves_weight
        return len(self.moves) if weight is None else weight

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """By topic and partition."""
        gone = np.flatnonzero(moved(self.group.owner, self.assigned))
        weights = self.planned.move_weights(gone)
        return moves_of(self.group, gone, self.assigned, self.reasons, weights)

    @cached_property
    def reasons(self) -> PlanReasons:
        """What the moves serve."""
        return PlanReasons(self.planned, self.policy, self.assigned)

    @cached_property
    def unassigned(self) -> dict[str, list[int]]:
        """Partitions whose topic no member subscribes to."""
        return by_topic(self.group, np.flatnonzero(self.assigned == NOBODY))

    @property
    def phases(self) -> list[dict[str, Any]]:
        """Rebalances of a cooperative group: two if the first withholds partitions, else one."""
        withheld, final = withheld_phase(self.group, self.assigned), {"assignment": self.assignment}
        return [final] if withheld is None else [withheld, final]

    @property
    def quality(self) -> dict[str, int]:
        """How many partitions' lags carry each quality mark."""
        numbers = np.bincount(self.group.quality, minlength=len(QUALITY)).tolist()
        return {mark: n for mark, n in zip(QUALITY, numbers, strict=True) if n}

    @cached_property
    def verdict(self) -> VerdictFacts | None:
        """What is wrong, and what to do; None for a plan that was read from a file."""
        return None if self.judge is None else self.judge(self)

    @cached_property
    def planned(self) -> Reduction:
        """The group, and what was planned in its place."""
        return self.reduction or Reduction(self.group, self.group)

    def to_dict(self, *, reasons: bool = True) -> dict[str, Any]:
        """The plan's JSON, format ``equilag/plan/1``. Without `reasons` it lacks what no check
        needs: those of moves, and the verdict."""
        weight = {"weight": self.moves_weight, "weight_lower_bound": self.moves_weight_lower_bound}
        document: dict[str, Any] = {
            "format": FORMAT,
            "group": self.group.name,
            "policy": self.settings,
            "status": self.status,
            "evidence": self.evidence,
            "algorithm": self.algorithm,
            "assignment": self.assignment,
            "counts": to_document(self.counts, without_none=True),
            "lag": {**to_document(self.lag), "quality": self.quality},
            **(to_document(self.extended, without_none=True) if self.extended else {}),
            "moves": {
                "count": len(self.moves),
                "lower_bound": self.moves_lower_bound,
                **({} if self.moves_weight is None else weight),
                "partitions": [move.to_dict(reasons) for move in self.moves],
            },
            "phases": self.phases,
            "unassigned": self.unassigned,
            "dropped_claims": self.group.dropped_claims,
            "certificate": {"claims": [claim.to_dict() for claim in self.claims]},
            "timing": {"time_limit_s": self.time_limit, "wall_s": self.wall_s},
        }
        if self.interrupted:
            document["interrupted"] = True
        if self.notes:
            document["notes"] = list(self.notes)
        verdict = self.verdict if reasons else None
        return document if verdict is None else {**document, "verdict": verdict.document()}
