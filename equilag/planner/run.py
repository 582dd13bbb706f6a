"""Carries the stages out under one deadline, and words what they found as a plan."""

from __future__ import annotations

from typing import Final

from equilag.certificate.counting import Counting
from equilag.claim import Claim
from equilag.constraint import unconstrained
from equilag.errors import ContradictedBound, InputError
from equilag.plan import Choice, Plan, Status
from equilag.planner.descent import (
    EvenOut,
    FewerMoves,
    Knee,
    Level,
    Neighbourhoods,
    Restarts,
    Sweeps,
    Trade,
)
from equilag.planner.exact import DEEP, QUICK, FullModel, SmallSearch
from equilag.planner.matching_bound import Pairs
from equilag.planner.stages import (
    Bounds,
    Counts,
    Heuristic,
    Moves,
    QuotasAtOnce,
    Stage,
)
from equilag.planner.work import Candidate, Work, knee
from equilag.solver.lower_bounds.load_bounds import difference, overall_bounds

STAGES: Final[tuple[Stage, ...]] = (
    QuotasAtOnce(),
    Heuristic(early=True),
    Counts(),
    Heuristic(),
    Moves(),
    Bounds(),
    Trade(),
    SmallSearch("search", QUICK, upto=0.5),
    FullModel(searched=True),
    EvenOut(),
    Sweeps(),
    Level(),
    Neighbourhoods(),
    Pairs(),
    Restarts(),
    FullModel(searched=False),
    SmallSearch("deep search", DEEP, upto=0.9),
    FewerMoves(),
    Knee(),
)
CLAIM_ORDER: Final = (
    "counts",
    "fewest_moves",
    "max_load_at_least",
    "min_load_at_most",
    "spread_at_least",
    "cost_at_least",
)


def run(work: Work, stages: tuple[Stage, ...]) -> None:
    """The stages in turn; one that fails leaves the best plan so far, and a note."""
    for stage in stages:
        if work.deadline.left <= 0.0 and not _owed(work, stage):
            work.deadline.cut = True
            continue
        if work.done:
            break
        if not stage.applies(work):
            continue
        work.tell(stage.name)
        try:
            stage.run(work)
        except (InputError, ContradictedBound):
            raise
        except Exception as error:  # a broken stage must not cost the plan
            if isinstance(stage, Heuristic):  # nothing else makes a plan from nothing
                raise
            text = str(error)[:200]
            work.notes.append(f"{stage.name} failed ({type(error).__name__}: {text})")


def _owed(work: Work, stage: Stage) -> bool:
    """What is done even without time: any plan at all, and whether a move budget can be met."""
    if isinstance(stage, Heuristic):
        return True
    return work.policy.max_moves is not None and isinstance(stage, (QuotasAtOnce, Counts, Moves))


def finish(work: Work) -> Plan:
    best = work.best
    assert best is not None
    if not work.exact:
        return _fallback(work, best)
    claims = tuple(work.claims[name] for name in CLAIM_ORDER if name in work.claims)
    status: Status = "optimal" if work.optimal else "feasible"
    return Plan(
        work.real,
        work.policy,
        status,
        best.algorithm,
        best.assigned,
        claims,
        work.spread_bound,
        work.moves_bound,
        work.deadline.limit,
        work.deadline.elapsed,
        tuple(work.notes),
        choices(work),
        *_settings(work),
    )


def _fallback(work: Work, best: Candidate) -> Plan:
    """A heuristic's plan: what is claimed holds for any assignment at all, whatever its counts."""
    claims: tuple[Claim, ...] = ()
    value = 0
    size = work.group.n_partitions + work.group.eligible.size
    if work.deadline.limit > 0 and size < 200_000:
        bounds = overall_bounds(Counting(work.group, unconstrained(work.group)))
        if bounds is not None:
            claims = (bounds.highest, bounds.lowest, difference(bounds))
            value = bounds.spread
    return Plan(
        work.real,
        work.policy,
        "fallback",
        best.algorithm,
        best.assigned,
        claims,
        value,
        0,
        work.deadline.limit,
        work.deadline.elapsed,
        tuple(work.notes),
        (),
        *_settings(work),
    )


def _settings(work: Work) -> tuple[int, float | None, bool]:
    effort = work.effort.limit if work.effort.limited else None
    return work.seed, effort, not work.deadline.cut


def choices(work: Work) -> tuple[Choice, ...]:
    """Two or three points of the front: fewest moves, the knee, the most even."""
    front = work.points()
    if not front:
        return ()
    first, last = front[0], front[-1]
    points = [Choice("fewest moves", first.moves, first.spread)]
    if len(front) > 2:
        middle = knee(front)
        if middle is not first and middle is not last:
            points.append(Choice("knee", middle.moves, middle.spread))
    if len(front) > 1:
        points.append(Choice("most even", last.moves, last.spread))
    return tuple(points)
