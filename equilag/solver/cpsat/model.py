"""The CP-SAT model of a small problem: building, solving, and reading the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import metadata
from threading import Event, Thread
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from equilag.certificate.exhaustive.small_problem import SmallProblem
from equilag.domain.group.group import Ints
from equilag.domain.group.member_capacities import Load, MemberCapacities
from equilag.domain.plan.metrics import member_loads
from equilag.domain.policy.objective import Objective
from equilag.solver.cpsat import constraint_families as families
from equilag.solver.cpsat.constraint_families import Rates, Variables
from equilag.solver.cpsat.scaled_loads import MAX_TOTAL, LoadsKnown, scaled

POLL_S: Final = 0.05
"""Between two looks at the stop signal: short for a person, and too rare to cost anything."""


def solve_until(
    solver: cp_model.CpSolver,
    model: cp_model.CpModel,
    stop: Event | None,
) -> Any:
    """Solve until CP-SAT is done or `stop` is set; return the status, and raise what it raises.

    Any exception in the calling thread, such as KeyboardInterrupt, ends the search as well.
    """
    statuses: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            statuses.append(solver.solve(model))
        except BaseException as error:  # noqa: BLE001  raised again in the calling thread
            errors.append(error)

    thread = Thread(target=work, name="cp-sat", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_S)
            if stop is not None and stop.is_set():
                solver.stop_search()
    except BaseException:
        while thread.is_alive():  # a search that has not begun yet does not hear of it
            solver.stop_search()
            thread.join(POLL_S)
        raise
    if errors:
        raise errors[0]
    return statuses[0]


MAX_LISTED: Final = 200
"""Solutions that `all_below` lists at most; with more, CP-SAT's bound stays as it is."""

Outcome = Literal["optimal", "feasible", "infeasible", "unknown"]

OUTCOMES: Final[dict[Any, Outcome]] = {
    cp_model.OPTIMAL: "optimal",
    cp_model.FEASIBLE: "feasible",
    cp_model.INFEASIBLE: "infeasible",
    cp_model.UNKNOWN: "unknown",
}


@dataclass(frozen=True, slots=True)
class CpSatLimits:
    """When one call of CP-SAT ends: at the first of two limits."""

    wall: float
    """Seconds."""
    deterministic: float
    """CP-SAT's deterministic time, which is the same on every machine."""
    seed: int = 0
    stop: Event | None = None
    """Set by somebody else to end the call at once."""


@dataclass(frozen=True, eq=False, slots=True)
class CpSatAnswer:
    outcome: Outcome
    assigned: Ints | None
    """[I] member per item."""
    bound: Load
    """spread + move cost × moves of every assignment is at least this, in records."""
    exhausted: bool
    """True if it ended by itself or by deterministic time, and not by the wall clock."""
    rounded: bool = False
    """True if the numbers of the model are rounded, so that the bound may be below the optimum."""


class SolverFailed(Exception):
    """CP-SAT called the model invalid or returned an unknown status."""


def parameters(limits: CpSatLimits) -> dict[str, Any]:
    """The parameters of every call; a plan quotes them beside a bound that rests on CP-SAT."""
    return {
        "max_time_in_seconds": max(0.001, limits.wall),
        "max_deterministic_time": limits.deterministic,
        "num_workers": 1,  # with the seed and the deterministic limit: the same run every time
        "random_seed": limits.seed % 2**31,
        "catch_sigint_signal": False,  # an interruption is for the caller: see `solve_until`
        # The release in use certifies wrong optima on models of this very shape when its presolve
        # looks for inclusions (google/or-tools issue 5293).
        "presolve_inclusion_work_limit": 0,
        # All rows in the linear program: what takes longest among small mixed groups takes a fifth.
        "linearization_level": 2,
    }


def quoted(limits: CpSatLimits) -> dict[str, Any]:
    """What a claim that rests on such a call says of it."""
    settings = {k: v for k, v in parameters(limits).items() if "max_time" not in k}
    return {"version": version(), "parameters": settings}


def build(
    problem: SmallProblem,
    hint: Ints | None = None,
    max_moves: int | None = None,
    move_cost: int = 0,
) -> Variables:
    """The whole model: minimise spread + move cost × moves."""
    v = constrained(problem, max_moves, max_moves is not None or move_cost > 0)
    # Rounded down, so that a bound stays a bound; no more than any spread, as sums are to be small.
    price = min(int(move_cost // v.scaled.unit), MAX_TOTAL)
    cost: Any = price * families.moves(v)
    v.model.minimize(v.highest - v.lowest + cost)
    if hint is not None:
        v.hint(hint)
    return v


def constrained(
    problem: SmallProblem, max_moves: int | None, moves_matter: bool, rates: Rates | None = None
) -> Variables:
    """The model without a goal."""
    small = scaled(problem.lag, problem.base, problem.capacities)
    v = Variables.of(problem, small)
    families.each_once(v)
    families.member_counts(v)
    families.topic_counts(v)
    families.instance_sums(v)
    families.reads_across(v)
    families.load_extremes(v)
    families.move_limit(v, max_moves)
    families.alike_members(v, moves_matter, rates)
    return v


def solve_model(
    problem: SmallProblem,
    limits: CpSatLimits,
    hint: Ints | None = None,
    max_moves: int | None = None,
    move_cost: int = 0,
    known: LoadsKnown | None = None,
) -> CpSatAnswer:
    """Solve within the limits. Raises SolverFailed, or MemoryError where memory runs out."""
    v = build(problem, hint, max_moves, move_cost)
    if known is not None:
        families.known_loads(v, known)
    solver = _solver(limits)
    status = solve_until(solver, v.model, limits.stop)
    if status not in OUTCOMES:
        raise SolverFailed(f"status {solver.status_name(status)}")
    outcome = OUTCOMES[status]
    found = v.read(solver) if outcome in ("optimal", "feasible") else None
    bound: Load = 0
    if outcome in ("optimal", "feasible", "unknown"):
        raw = max(0, round(solver.best_objective_bound))
        bound = v.scaled.floor(raw, int(problem.hi.max(initial=0)))
    in_time = solver.wall_time < limits.wall * 0.98
    ended = outcome in ("optimal", "infeasible") or in_time
    return CpSatAnswer(outcome, found, bound, ended, v.scaled.lost > 0)


MOST_WEIGHT: Final = 2**34
"""Of moves, whose product with `MAX_TOTAL` CP-SAT can add up."""


class SolvedInTurn(NamedTuple):
    """The assignments of a model that are best by its first goals, and what none is below."""

    found: list[Ints]
    """[I] each; the last one is the best by all goals."""
    bound: int
    """On the shortage, in the unit of the given rates."""


def solve_in_turn(
    problem: SmallProblem,
    limits: CpSatLimits,
    rates: Rates | None,
    objective: Objective,
) -> SolvedInTurn:
    """The least shortage, where rates are known; then, within it, the fewest moves where they come
    first; then the least spread + move cost × moves, or × their weight. A limit on the number of
    moves that have a weight is kept, too. Each goal may take the limits. Raises SolverFailed,
    MemoryError."""
    small, one = (None, 1) if rates is None else rates.small()
    v = constrained(problem, objective.asked_limit, True, small)
    unit, most = objective.unit, objective.policy.max_moves
    moves: Any = families.moves(v)
    paid, scale = moves, v.scaled.unit
    if unit is not None:
        paid, number = families.weight_and_number(v, unit)
        scale *= unit.scale
        if most is not None:
            v.model.add(number <= most)
    price = min(int(objective.move_cost // scale), MAX_TOTAL)
    if unit is not None and v.most_moves // unit.moves > MOST_WEIGHT:
        price = 0
    short: Any = None if small is None else families.shortage(v, small)
    first = (short if small else None, moves if objective.moves_rank_first else None)
    goals = [*(goal for goal in first if goal is not None), v.highest - v.lowest + price * paid]
    found, bound = list[Ints](), 0
    for goal in goals:
        v.model.minimize(goal)
        solver = _solver(limits)
        status = solve_until(solver, v.model, limits.stop)
        if status not in OUTCOMES:
            raise SolverFailed(f"status {solver.status_name(status)}")
        if goal is short and status != cp_model.INFEASIBLE:
            bound = max(0, round(solver.best_objective_bound)) * one
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            break
        found.append(v.read(solver))
        v.model.add(goal <= round(solver.objective_value))
        v.model.clear_hints()  # type: ignore[no-untyped-call]
        v.hint(found[-1])
    return SolvedInTurn(found, bound)


def all_below(
    problem: SmallProblem, limits: CpSatLimits, spread: Load, max_moves: int | None = None
) -> list[Ints] | None:
    """Assignments [I], the best one of all with a spread below `spread` among them.

    Because of the rounding, some of them may be no better. None if there are more than MAX_LISTED
    or no time to list them all.
    """
    v, found = build(problem, None, max_moves), list[Ints]()
    v.model.clear_objective()  # type: ignore[no-untyped-call]
    most_items = int(problem.hi.max(initial=0))
    v.model.add(v.highest - v.lowest <= v.scaled.ceiling(spread, most_items))
    while len(found) <= MAX_LISTED and limits.wall > 0 and limits.deterministic > 0:
        solver = _solver(limits)
        status = solve_until(solver, v.model, limits.stop)
        if status == cp_model.INFEASIBLE:
            return found
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            break
        found.append(v.read(solver))
        _other_extremes(v, found[-1])
        used = solver.response_proto.deterministic_time
        limits = replace(
            limits, wall=limits.wall - solver.wall_time, deterministic=limits.deterministic - used
        )
    return None


def _other_extremes(v: Variables, assigned: Ints) -> None:
    """The heaviest member loses something or the lightest one gains something; in all other
    assignments the loads of these two are as far apart as they are in this one."""
    p = v.problem
    capacities = p.capacities or MemberCapacities.equal(len(p.base))
    load: Ints = p.base + member_loads(assigned.astype(np.int32), p.lag, len(p.base))
    order = capacities.order(load, capacities.kind_of)
    lightest, heaviest = int(order[0]), int(order[-1])
    other = [v.gets[i][heaviest].negated() for i in np.flatnonzero(assigned == heaviest).tolist()]
    gains = np.flatnonzero(p.allowed[:, lightest] & (assigned != lightest)).tolist()
    v.model.add_bool_or(other + [v.gets[i][lightest] for i in gains])


def _solver(limits: CpSatLimits) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    for name, value in parameters(limits).items():
        setattr(solver.parameters, name, value)
    return solver


def version() -> str:
    return metadata.version("ortools")
