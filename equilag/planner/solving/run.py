"""The runner: carries out stages under one budget, whoever watches and whatever they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from equilag.domain.budget import Budget
from equilag.domain.errors import ContradictedBound, InputError
from equilag.domain.plan.claim import Claim
from equilag.domain.plan.proofs import Proofs
from equilag.domain.policy.objective import SHORT
from equilag.planner.solving.front import candidate_of
from equilag.planner.solving.problem import Problem, Task
from equilag.planner.solving.stage import (
    CountingStage,
    Draft,
    ProgressObserver,
    Stage,
    Turn,
    failure,
)
from equilag.planner.solving.state import Proposal, SolveState, aim_of_policy
from equilag.planner.stages.bounding_stages import (
    counted_moves,
    counting_bounds,
    no_lag_claims,
    patterned_spread,
    priced_loads,
)
from equilag.planner.stages.counting_stages import COUNTING
from equilag.planner.stages.cpsat_stages import (
    full_model,
    least_shortage,
    modelled_front,
    open_goals,
)
from equilag.planner.stages.descent_stages import (
    descent_keeping_up,
    few_exchanges,
    greedy_descent,
    towards_owners,
)
from equilag.planner.stages.exhaustive_stages import (
    MOST_EXTRA,
    QUICK_WORK,
    exhaustive_front,
    exhaustive_search,
    fewest_within_tolerance,
    keeping_up,
)
from equilag.planner.stages.front_stages import front_rounds
from equilag.planner.stages.levelling_stages import (
    bulk_descent,
    exact_transfers,
    levels,
    levels_within,
    paired_exchange,
    window_search,
)


class Phase(NamedTuple):
    """Stages that share a part of the time."""

    stages: tuple[Stage, ...]
    share: float | None = None
    """Of the time left; None for all of it."""


BOUNDS: Final = Stage("bounds", counting_bounds, share=0.25, upto=0.2)
GREEDY: Final = Stage("greedy descent", greedy_descent, share=0.3, upto=0.3)
FEW: Final = Stage("few exchanges", few_exchanges, share=0.7, upto=0.15)
BULK: Final = Stage("descent in bulk", bulk_descent, share=0.5, upto=0.25)
LEVEL: Final = Stage("levels", levels, share=0.75, upto=0.5)
TRANSFERS: Final = Stage("exact transfers", exact_transfers, share=0.5, upto=0.6)
WINDOWS: Final = Stage("window search", window_search, upto=0.78)
ROUNDS: Final = Stage("front", front_rounds, upto=0.85)
MODEL: Final = partial(full_model, aim_of=aim_of_policy)
PROOF: Final = Stage("proof", partial(exhaustive_search, aim_of=aim_of_policy))
MOVES: Final = Stage("bound for a number of moves", counted_moves)

SHORTAGE: Final = Phase(
    (
        Stage("search for keeping up", keeping_up, upto=0.7),
        Stage("least shortage", least_shortage, share=0.3, upto=0.3),
        Stage("descent without falling behind", descent_keeping_up, share=0.3, upto=0.4),
    )
)
"""Who falls behind comes first."""
SEARCHING: Final[tuple[Phase, ...]] = (
    Phase((BOUNDS, BULK, GREEDY, FEW), share=0.3),
    SHORTAGE,
    Phase(
        (
            Stage("exhaustive search", partial(exhaustive_search, work=QUICK_WORK), upto=0.4),
            Stage("exhaustive front", exhaustive_front, share=0.4, upto=0.3),
            Stage("cp-sat", partial(full_model, searched=True), share=0.7, upto=0.6),
            Stage("prices", partial(priced_loads, early=True), share=0.5, upto=0.65),
            Stage("paired exchange", paired_exchange, share=0.5, upto=0.5),
            LEVEL,
            TRANSFERS,
            WINDOWS,
            Stage("prices", partial(priced_loads, early=False), share=0.5, upto=0.9),
            Stage("patterns", patterned_spread, share=0.5, upto=0.65),
            Stage("cp-sat", partial(full_model, searched=False), share=0.7, upto=0.7),
        ),
        share=0.6,
    ),
    Phase((Stage("deep exhaustive search", exhaustive_search, upto=0.7),), share=0.5),
    Phase(
        (
            BULK._replace(upto=0.8),
            Stage("towards the owners", towards_owners, share=0.5, upto=0.8),
            ROUNDS,
        ),
        share=0.5,
    ),
)
"""The search over the front, the same for all limits and tolerances: cheap bounds and plans first,
then the most even plan, then what lies between."""
PROVING: Final[tuple[Phase, ...]] = (
    Phase(
        (
            Stage("levels within the limit", levels_within, share=0.5),
            Stage("fewest moves within the tolerance", fewest_within_tolerance),
            MOVES,
            PROOF,
            Stage("cp-sat", MODEL, share=0.7),
            Stage("cp-sat", open_goals, share=0.7),
        )
    ),
)
"""What closes the gap of the candidate that the policy takes."""
LIMITED: Final[tuple[Phase, ...]] = (
    Phase(
        (BOUNDS, GREEDY, FEW._replace(run=partial(few_exchanges, within_limit=True), upto=0.25)),
        0.35,
    ),
    SHORTAGE,
)
"""The first plans within a small limit on moves."""
EARLY_PROOF: Final = Phase((MOVES, PROOF._replace(upto=0.75)), share=0.75)
"""Their proof, before the search goes on for what lies beyond the limit."""
REMAINING: Final[tuple[Phase, ...]] = (
    Phase(tuple(stage._replace(upto=0.0) for stage in (LEVEL, BULK, TRANSFERS, WINDOWS, ROUNDS))),
)
"""What uses the time that is left; none of the work, as all plans of an effort are to agree."""
POINTS: Final[tuple[Phase, ...]] = (Phase((Stage("front by cp-sat", modelled_front),)),)
"""What closes the gaps of all points of the front."""
PROVABLE: Final = 1_300
"""Moves times partitions up to which a proof, or a better plan, was seen to come within 2 s."""


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
        observer.enter(stage.name)
        try:
            draft = stage.run(task, draft, budget) or draft
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


def phases_for(state: SolveState) -> tuple[Phase, ...]:
    """The phases of a run, in their order: a proof within a small limit on moves comes first, and
    what lies beyond it later."""
    if state.whole_front:
        return (*SEARCHING, *POINTS, *REMAINING)
    limit, problem = state.limit, state.problem
    usual = (*SEARCHING, *PROVING, *REMAINING)
    if limit is None or limit > problem.fewest_moves + MOST_EXTRA:
        return usual
    if limit * problem.group.n_partitions > PROVABLE:
        return usual
    return (*LIMITED, EARLY_PROOF, *usual)


def search(state: SolveState, budget: Budget, observer: ProgressObserver) -> None:
    """Carry out the phases in turn, each with its share of the time that is left."""
    for phase in phases_for(state):
        improve(state, budget.share(phase.share), observer, phase.stages)


def improve(
    state: SolveState, budget: Budget, observer: ProgressObserver, stages: Sequence[Stage]
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
        observer.enter(stage.name, state)
        try:
            for contribution in stage.run(state, Turn(budget, stage.share, stage.upto)):
                state.record(contribution)
                observer.report(state)
        except (InputError, ContradictedBound):
            raise
        except Exception as error:  # noqa: BLE001  a broken stage must not cost the plan
            state.notes.append(failure(stage.name, error))
