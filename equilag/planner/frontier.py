"""`frontier`: all trade-offs between moves and lag spread under the count constraint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias, Unpack

from equilag.domain.budget import Budget
from equilag.domain.document import Shown
from equilag.domain.group.group import Group
from equilag.domain.group.loads import in_unit
from equilag.domain.plan.claim import Evidence
from equilag.domain.plan.metrics import is_valid
from equilag.domain.policy.objective import EXCESS, Objective
from equilag.domain.policy.policy import Policy
from equilag.planner.solving.front import Candidate, ParetoFront, knee
from equilag.planner.solving.problem import Task
from equilag.planner.solving.read_limit import check_found, has_read_limit, state_within_reads
from equilag.planner.solving.run import BOUNDS, count, improve, search, state_of
from equilag.planner.solving.run_settings import Asked, SolveSettings, policy_from, task_of
from equilag.planner.solving.stage import ProgressObserver
from equilag.planner.solving.state import SolveState

Mark: TypeAlias = Literal["current", "knee", "plan"]
"""What a point is besides: the current assignment, the knee, the spread that `solve` takes (with
more moves where these save excess)."""


@dataclass(frozen=True, slots=True)
class Point:
    """A plan with this many moves reaches `spread`; none with as many gets below the bound."""

    moves: int
    spread: float
    """In records; per unit of capacity where capacities differ, and so are the other loads."""
    spread_lower_bound: float
    excess: float = 0.0
    """Sum over members of what lies above the mean load."""
    excess_lower_bound: float = 0
    """No plan at all, whatever its moves, has less."""
    evidence: Evidence | None = None
    """What the bound rests on where it equals the spread; None where it does not."""
    marks: tuple[Mark, ...] = ()
    move_weight: float | None = None
    """What the moves weigh; None unless moves have a weight."""
    short: float | None = None
    """Records per second by which members fall behind; None unless rates and capacities count."""

    @property
    def cost(self) -> float:
        """What the front trades for evenness: the weight of the moves, else their number."""
        return self.moves if self.move_weight is None else self.move_weight

    def to_dict(self) -> dict[str, Any]:
        known = {**asdict(self), "marks": list(self.marks)}
        optional = "move_weight", "short"
        return {name: it for name, it in known.items() if it is not None or name not in optional}


class Front(Shown, list[Point]):
    """The points of a group's front, and what was asked."""

    def __init__(self, points: Iterable[Point], group: Group, policy: Policy) -> None:
        super().__init__(points)
        self.group, self.policy = group, policy


def frontier(
    group: Group, policy: str | Policy = "lag-aware", **settings: Unpack[SolveSettings]
) -> Front:
    """Return the front of moves against lag spread: moves ascending, spread strictly descending.
    Where members fall behind less under the plan than at all of these points, it is one more.

    Exact where every `spread_lower_bound` equals its spread: small groups within the time limit (5
    seconds by default). `policy` and the other settings are those of `solve`: its count balance
    and what it pins decide which plans are on the front, and no point has more than `max_moves`.
    Its move cost and tolerance choose the point that is marked ``plan``, and so change nothing
    else. Of plans with the same spread, the one with the fewest moves is on the front; more moves
    may still save excess. Raises InputError for settings that make no sense.
    """
    run = Asked.of(group, settings, 5.0)
    asked = policy_from(policy, **run.others)
    wanted, observer = task_of(group, asked, run.seed), ProgressObserver(run.progress, run.budget)
    return Front(_points(wanted, run.budget, observer), group, asked)


def _points(wanted: Task, budget: Budget, observer: ProgressObserver) -> list[Point]:
    task = wanted
    if task.objective.moves_rank_first and not task.policy.pins_owned:
        # The whole front is asked for, not only the fewest moves.
        policy = replace(task.policy, name="lag-aware", balance=task.policy.balance)
        task = task.with_policy(policy)
    if has_read_limit(task):
        state = state_within_reads(task, budget, observer)
        state.whole_front = True
        search(state, budget, observer)
        check_found(state, wanted.policy)
        return points_of(state, wanted.objective)
    draft, unlimited = count(task, budget, observer, []), Budget()
    in_time = draft.final
    if not in_time:  # for the fewest moves, where the front starts, nor for the others
        draft = count(task, unlimited, observer, [])
    exact = state_of(task, draft, [])
    assert exact is not None  # without a limit on time
    state = exact
    state.whole_front = in_time
    if in_time:
        search(state, budget, observer)
    else:
        improve(state, unlimited, observer, (BOUNDS,))
    return points_of(state, wanted.objective)


def points_of(state: SolveState, objective: Objective) -> list[Point]:
    """The front with what is proved for each number of moves; `objective` chooses the plan."""
    asked = state.problem.objective
    limit = asked.asked_limit
    weigh = state.problem.task.reduction.moved_weight
    kept = [c for c in state.front.candidates if not asked.too_many(c.moves)]
    front = [c for c in ParetoFront(kept).points() if limit is None or c.moves <= limit]
    plan = state.problem.with_policy(objective.policy).choose(state.front.candidates)
    middle = knee(front) if len(front) > 2 else None
    if state.problem.shortage and all(c.figures.short > plan.figures.short for c in front):
        front = sorted([*front, plan], key=lambda one: one.moves)  # who falls behind comes first
    divisor = state.problem.group.extended.load_divisor
    return [
        Point(
            state.problem.group.extended.moved_partitions(found.moves),
            in_unit(found.spread, divisor),
            in_unit(bound := min(state.bound_within(found.moves), found.spread), divisor),
            in_unit(found.excess, divisor),
            in_unit(state.proofs.value(EXCESS) or 0, divisor),
            _evidence(state, found) if bound == found.spread else None,
            tuple(_marks(state, found, middle, plan)),
            weigh(found.moves),
            state.problem.short_of(found),
        )
        for found in front
    ]


def _evidence(state: SolveState, found: Candidate) -> Evidence:
    """What proves the spread of a point: arithmetic or a search, or a solver's word."""
    if state.problem.forced_spread(found.moves) >= found.spread:
        return "checked"
    claim = state.proofs.strongest("spread_at_least", found.moves)
    return claim.evidence if claim is not None else "checked"


def _marks(
    state: SolveState, found: Candidate, middle: Candidate | None, plan: Candidate
) -> Iterator[Mark]:
    group = state.problem.task.original
    if found.moves == 0 and not state.problem.task.policy.fresh and is_valid(group, group.owner):
        yield "current"
    if found is middle:
        yield "knee"
    if found is plan or (found.spread == plan.spread and found.figures.short == plan.figures.short):
        yield "plan"
