"""The runner: carries out stages under one budget, whoever watches and whatever they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from equilag.certificate.checks.search_checks import SEARCH_WORK
from equilag.certificate.exhaustive.small_problem import MAX_ITEMS_MOVING, MAX_MEMBERS_MOVING
from equilag.domain.budget import Budget
from equilag.domain.errors import ContradictedBound, InputError
from equilag.domain.plan.claim import Claim
from equilag.domain.policy.objective import SHORT
from equilag.planner.solving.front import candidate_of
from equilag.planner.solving.problem import Problem, Task
from equilag.planner.solving.proofs import Proofs
from equilag.planner.solving.stage import (
    CountingStage,
    Draft,
    ImprovingStage,
    ProgressObserver,
    failure,
)
from equilag.planner.solving.state import Proposal, SolveState, aim_of_policy
from equilag.planner.stages.bounding_stages import CountingBounds, no_lag_claims
from equilag.planner.stages.counting_stages import COUNTING
from equilag.planner.stages.cpsat_stage import FullModel
from equilag.planner.stages.exchange_stages import ExactTransfers, Levels, LevelsWithin
from equilag.planner.stages.exhaustive_stage import MOST_EXTRA, ExhaustiveFront, ExhaustiveSearch
from equilag.planner.stages.few_moves_stage import (
    PROVABLE,
    CountedMoves,
    FewestMovesWithin,
    FewMoves,
)
from equilag.planner.stages.front_stages import FrontRounds, ModelledFront, TowardsOwners
from equilag.planner.stages.improving_stages import (
    BulkDescent,
    EvenlyKeepingUp,
    GreedyDescent,
    PairedExchange,
    WindowSearch,
)
from equilag.planner.stages.priced_stage import PricedLoads
from equilag.planner.stages.shortage_stage import LeastShortage
from equilag.solver.exchange.exchange_beam import WIDTH


class Phase(NamedTuple):
    """Stages that share a part of the time."""

    stages: tuple[ImprovingStage, ...]
    share: float | None = None
    """Of the time left; None for all of it."""


QUICK_WORK: Final = 12_000_000
"""Array elements of the first exhaustive search: about 0.1 s, enough for most groups of 5 x 30."""
POINT_WORK: Final = 8_000_000
"""Array elements that one number of moves may cost in the first search over the front: 0.1 s."""
DEEP_WORK: Final = SEARCH_WORK // 10
"""Array elements of the last one: a tenth of what whoever checks its claim may spend."""

SHORTAGE: Final = Phase((LeastShortage(), EvenlyKeepingUp()))
"""Who falls behind comes first."""
SEARCHING: Final[tuple[Phase, ...]] = (
    Phase(
        (CountingBounds(), GreedyDescent(), FewMoves(), BulkDescent(share=0.8, upto=0.35)),
        share=0.3,
    ),
    SHORTAGE,
    Phase(
        (
            ExhaustiveSearch("exhaustive search", QUICK_WORK, upto=0.4),
            ExhaustiveFront(POINT_WORK, upto=0.3),
            FullModel(searched=True, upto=0.6),
            PairedExchange(),
            Levels(),
            PricedLoads(),
            ExactTransfers(share=0.5, upto=0.6),
            WindowSearch(),
            FullModel(searched=False, upto=0.7),
        ),
        share=0.6,
    ),
    Phase((ExhaustiveSearch("deep exhaustive search", DEEP_WORK, upto=0.7),), share=0.5),
    Phase((BulkDescent(share=0.7, upto=0.78), TowardsOwners(), FrontRounds(0.85)), share=0.5),
)
"""The search over the front, the same for all limits and tolerances: cheap bounds and plans first,
then the most even plan, then what lies between."""
PROVING: Final[tuple[Phase, ...]] = (
    Phase(
        (
            LevelsWithin(),
            FewestMovesWithin(DEEP_WORK // 5),
            CountedMoves(),
            ExhaustiveSearch("proof", DEEP_WORK, aim=aim_of_policy),
            FullModel(searched=None, upto=1.0, aim=aim_of_policy),
        )
    ),
)
"""What closes the gap of the candidate that the policy takes."""
BEFORE_PROOF: Final = Phase((CountingBounds(), GreedyDescent(), FewMoves(within_limit=True)), 0.35)
"""The first plans within a small limit on moves, where the clock alone limits the run."""
EARLY_PROOF: Final = Phase(
    (CountedMoves(), ExhaustiveSearch("proof", DEEP_WORK, aim=aim_of_policy)), share=0.75
)
"""Their proof, before the search goes on for what lies beyond the limit."""
WIDER_BEAM: Final = Phase((FewMoves(1.0, 2 * WIDTH, within_limit=True),), share=0.8)
"""Better plans within the limit where that proof failed, or is too far off to be tried first."""
REMAINING: Final[tuple[Phase, ...]] = (
    Phase(
        (
            BulkDescent(share=0.7, upto=0.0),
            ExactTransfers(share=0.5, upto=0.0),
            WindowSearch(),
            FrontRounds(0.0),
        )
    ),
)
"""What uses the time that is left; none of the work, as all plans of an effort are to agree."""
POINTS: Final[tuple[Phase, ...]] = (Phase((ModelledFront(),)),)
"""What closes the gaps of all points of the front."""


def count(
    task: Task,
    budget: Budget,
    observer: ProgressObserver,
    notes: list[str],
    stages: Sequence[CountingStage] = COUNTING,
) -> Draft:
    """A valid assignment, with exact counts and the fewest moves where time allows.

    Adds what went wrong to `notes`. Raises InputError if the policy allows fewer moves than the
    counts force.
    """
    draft: Draft | None = None
    for stage in stages:
        if draft is not None and draft.final:
            break
        if not stage.applies(task, draft, budget):
            continue
        if budget.expired() and not stage.always(task):
            continue
        observer.enter(stage.name)
        try:
            draft = stage.run(task, draft)
        except InputError:
            raise
        except Exception as error:  # a broken stage must not cost the plan
            if stage.must_answer:
                raise
            notes.append(failure(stage.name, error))
    assert draft is not None  # a heuristic always answers
    return draft


def state_of(task: Task, draft: Draft, notes: list[str]) -> SolveState | None:
    """The state from which the improving stages start; None where counts are not exact."""
    if draft.make_constraint is None:
        return None
    problem = Problem(task, draft.make_constraint, draft.fewest_moves)
    claims = draft.make_claims() + no_lag_claims(task, draft)
    if problem.shortage is not None:
        claims += (Claim(SHORT, problem.shortage.least, "rates"),)
    start = candidate_of(task.group, draft.assigned, draft.algorithm, problem.shortage)
    state = SolveState.of(problem, start, Proofs.of(claims), notes)
    for assigned in draft.others:
        state.record(Proposal(assigned, draft.algorithm))
    return state


def phases_for(state: SolveState, budget: Budget) -> tuple[Phase, ...]:
    """The phases of a run, in their order.

    Where the clock alone limits the run, a small limit on moves comes first, and what lies beyond
    it later. Counted work is spent in the same order for all limits, so that all plans of one
    effort agree.
    """
    limit, problem = state.limit, state.problem
    size = problem.group.n_partitions
    if limit is None or limit > problem.fewest_moves + MOST_EXTRA:
        return (*SEARCHING, *PROVING, *REMAINING)
    if budget.counted or size > MAX_ITEMS_MOVING or problem.active > MAX_MEMBERS_MOVING:
        return (*SEARCHING, *PROVING, *REMAINING)
    near = limit * size <= PROVABLE
    proving = (EARLY_PROOF, WIDER_BEAM) if near else (WIDER_BEAM,)
    first = (BEFORE_PROOF, SHORTAGE, *proving)
    return (*first, *SEARCHING, *PROVING, *REMAINING)


def search(
    state: SolveState, budget: Budget, observer: ProgressObserver, phases: Sequence[Phase]
) -> None:
    """Carry out the phases in turn, each with its share of the time that is left."""
    for phase in phases:
        improve(state, budget.share(phase.share), observer, phase.stages)


def improve(
    state: SolveState,
    budget: Budget,
    observer: ProgressObserver,
    stages: Sequence[ImprovingStage],
) -> None:
    """Carry out the stages in turn until everything is proved or the budget is used up.

    A stage that fails leaves what it found before, and a note. Raises ContradictedBound.
    """
    for stage in stages:
        if budget.time_left <= 0.0:
            budget.mark_cut()
            return
        if state.done:
            return
        if not stage.applies(state, budget):
            continue
        observer.enter(stage.name, state)
        try:
            for contribution in stage.run(state, budget):
                state.record(contribution)
                observer.report(state)
        except (InputError, ContradictedBound):
            raise
        except Exception as error:  # noqa: BLE001  a broken stage must not cost the plan
            state.notes.append(failure(stage.name, error))
