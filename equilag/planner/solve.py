"""`solve`: the best plan within a time limit, end to end, with its proof."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from equilag.certificate.claims import Claim
from equilag.counts import unconstrained
from equilag.deadline import Deadline
from equilag.errors import ContradictedBound, InputError
from equilag.group import Group
from equilag.plan import Choice, Plan, Status
from equilag.planner.exact import DEEP, QUICK, FullModel, SmallSearch
from equilag.planner.stages import (
    Bounds,
    Counts,
    FewerMoves,
    Heuristic,
    Knee,
    Moves,
    Neighbourhoods,
    Stage,
    Sweeps,
    Trade,
)
from equilag.planner.work import Candidate, Watcher, Work, knee
from equilag.policy import Policy

STAGES: Final[tuple[Stage, ...]] = (
    Heuristic(),
    Counts(),
    Moves(),
    Bounds(),
    Trade(),
    SmallSearch("search", QUICK),
    FullModel(searched=True),
    Sweeps(),
    Neighbourhoods(),
    FullModel(searched=False),
    SmallSearch("deep search", DEEP),
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


def solve(
    group: Group,
    policy: str | Policy = "lag-aware",
    *,
    time_limit: float = 2.0,
    seed: int = 0,
    balance: str | None = None,
    move_cost: int = 0,
    tolerance: float = 0.0,
    max_moves: int | None = None,
    fresh: bool = False,
    deterministic: bool = False,
    progress: Watcher | None = None,
) -> Plan:
    """The best plan for the group that the time limit allows, with its certificate.

    `time_limit` is in seconds from the call to the returned plan; with 0 a heuristic's plan comes
    back. It never raises for lack of time. Runs that end before the limit are repeatable with the
    same `seed`; `deterministic` leaves out what depends on the clock, which then only cuts off at
    the limit. `progress` is called now and then, from the same thread.

    Raises InputError for settings that make no sense, and where `max_moves` is fewer than the
    count balance forces.
    """
    deadline = Deadline(seconds(time_limit), reserve=_reserve(group))
    chosen = _policy(policy, balance, move_cost, tolerance, max_moves, fresh)
    if type(seed) is not int or seed < 0:
        raise InputError(f"{seed!r} is not a whole number, 0 or more", "seed")
    planned = group.without_owners() if chosen.fresh else group
    rng = np.random.default_rng(seed)
    work = Work(planned, group, chosen, deadline, rng, seed, deterministic, progress)
    run(work, STAGES)
    work.use_tolerance()
    return _finish(work)


def run(work: Work, stages: tuple[Stage, ...]) -> None:
    """The stages in turn; one that fails leaves the best plan so far, and a note."""
    for stage in stages:
        if work.deadline.left <= 0.0 and not _owed(work, stage):
            work.deadline.cut = True
            break
        if not stage.applies(work):
            continue
        work.tell(stage.name)
        try:
            stage.run(work)
        except (InputError, ContradictedBound):
            raise
        except Exception as error:  # a broken stage must not cost the plan
            if work.best is None:
                raise
            work.notes.append(f"{stage.name} failed ({type(error).__name__}: {error})")


def _owed(work: Work, stage: Stage) -> bool:
    """What is done even without time: any plan at all, and whether a move budget can be met."""
    if isinstance(stage, Heuristic):
        return True
    return work.policy.max_moves is not None and isinstance(stage, (Counts, Moves))


def seconds(time_limit: float) -> float:
    number = isinstance(time_limit, (int, float)) and not isinstance(time_limit, bool)
    if not number or not math.isfinite(time_limit) or time_limit < 0:
        raise InputError(f"{time_limit!r} is not a number of seconds, 0 or more", "time_limit")
    return float(time_limit)


def _policy(
    policy: str | Policy,
    balance: str | None,
    move_cost: int,
    tolerance: float,
    max_moves: int | None,
    fresh: bool,
) -> Policy:
    if isinstance(policy, Policy):
        return policy
    return Policy.of(policy, balance, move_cost, tolerance, max_moves, fresh)


def _reserve(group: Group) -> float:
    """Seconds kept for writing the plan back."""
    return 0.002 + 3e-7 * (group.n_partitions + 2 * group.n_members)


def _finish(work: Work) -> Plan:
    best = work.best
    assert best is not None
    if not work.exact:
        return _fallback(work, best)
    claims = tuple(work.claims[name] for name in CLAIM_ORDER if name in work.claims)
    status: Status = "optimal" if work.optimal else "feasible"
    return Plan(
        work.real,
        _settings(work),
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
    )


def _fallback(work: Work, best: Candidate) -> Plan:
    """A heuristic's plan: what is claimed holds for any assignment at all, whatever its counts."""
    from equilag.certificate.bounds import Counting
    from equilag.solver.bounds import difference, load_bounds

    claims: tuple[Claim, ...] = ()
    value = 0
    if work.deadline.limit > 0 and work.group.n_partitions < 100_000:
        bounds = load_bounds(Counting(work.group, unconstrained(work.group)), lambda: True)
        if bounds is not None:
            claims = (bounds.highest, bounds.lowest, difference(bounds))
            value = bounds.spread
    return Plan(
        work.real,
        _settings(work),
        "fallback",
        best.algorithm,
        best.assigned,
        claims,
        value,
        0,
        work.deadline.limit,
        work.deadline.elapsed,
        tuple(work.notes),
    )


def _settings(work: Work) -> dict[str, object]:
    run_kind = "cut by the clock" if work.deadline.cut else "repeatable"
    return {**work.policy.to_dict(), "seed": work.seed, "run": run_kind}


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
