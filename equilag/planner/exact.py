"""The stages that prove: exhaustive search where the group is small, CP-SAT beyond."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from equilag.certificate.search_checks import SEARCH_WORK, search_target
from equilag.claim import Claim
from equilag.exhaustive.patterns import OutOfBudget
from equilag.exhaustive.search import Search
from equilag.exhaustive.whole_group import WholeGroup, whole_problem
from equilag.planner.work import Work

if TYPE_CHECKING:
    from equilag.solver.cpsat.model import Limits

MODEL_SIZE: Final = 4_000
"""Items × members up to which the whole group is worth a CP-SAT model."""

FIRST_CALL: Final = 0.8
"""Seconds to have left: importing CP-SAT takes half a second in a process that has not yet."""
FIRST_MODEL: Final = 0.02
"""Seconds of effort to have left: what building a model takes."""
QUICK: Final = 12_000_000
DEEP: Final = SEARCH_WORK // 10
"""Array elements that the search may cost before and after CP-SAT has had its turn."""
SHARE: Final = 0.7
"""Of the time left, what CP-SAT may take."""
LISTING: Final = 0.5
"""Of what the model was allowed, what listing its solutions may take."""
DETERMINISTIC: Final = 0.3
"""CP-SAT's deterministic time per second, of time or of effort: less than the clock allows, so that
the run is the same every time."""
UPTO: Final = 0.8
"""Part of the effort that may be spent when CP-SAT ends."""


class SmallSearch:
    """The whole group by exhaustive search: the optimum, and its proof.

    `effort` is the work it may cost, in array elements; `upto` how much of the run's effort may be
    spent when it ends.
    """

    def __init__(self, name: str, effort: int, upto: float = 1.0) -> None:
        self.name = name
        self.effort = effort
        self.upto = upto

    def applies(self, work: Work) -> bool:
        if not work.exact or work.constraint is None or work.searched >= self.effort:
            return False
        return not work.proved_again and _whole(work) is not None

    def run(self, work: Work) -> None:
        whole = _whole(work)
        assert whole is not None
        work.searched = self.effort
        with work.effort.search(self.effort, work.deadline.expired, self.upto) as budget:
            try:
                search = Search(whole.problem, budget)
                _close_in(work, whole, search)
                _prove_again(work, search)
                if work.proved and not work.policy.moves_first and not work.policy.fresh:
                    _fewest_moves_at(work, whole, search)
            except OutOfBudget:
                return
        work.proved_again = work.proved


def _whole(work: Work) -> WholeGroup | None:
    assert work.constraint is not None
    return whole_problem(work.group, work.constraint, work.moves_at_most)


def _close_in(work: Work, whole: WholeGroup, search: Search) -> None:
    """Raise the bound from below and the plan from above until they meet.

    Narrow targets first: they are the cheap ones to rule out.
    """
    step = 0
    high = work.bound_of("max_load_at_least") or 0
    low = work.bound_of("min_load_at_most") or 0
    name = "cost_at_least" if work.move_cost else "spread_at_least"
    limit = work.moves_at_most
    if work.best is None or (limit is not None and work.best.moves > limit):
        return
    while work.best is not None and not work.proved:
        bound, reached = work.bound_of(name) or 0, work.cost(work.best)
        goal = min(bound + step, reached - 1)
        target = search_target(goal + 1, work.moves_at_most, work.move_cost, high, low)
        found = search.find(target)
        if found is None:
            work.claim(_search_claim(work, name, goal + 1))
            step = max(1, step * 4)
        else:
            work.offer(whole.assignment(found), "search")
            step = (work.cost(work.best) - bound) // 2
        work.report()


def _prove_again(work: Work, search: Search) -> None:
    """Replace a solver's word by a proof that anybody can repeat, where the search gets there."""
    name = "cost_at_least" if work.move_cost else "spread_at_least"
    claim = work.claims.get(name)
    if work.best is None or claim is None or claim.evidence == "checked":
        return
    high = work.bound_of("max_load_at_least") or 0
    low = work.bound_of("min_load_at_most") or 0
    value = work.cost(work.best)
    if search.find(search_target(value, work.moves_at_most, work.move_cost, high, low)) is None:
        work.claim(_search_claim(work, name, value))


def _search_claim(work: Work, name: str, value: int) -> Claim:
    return Claim(name, value, "search", {"max_moves": work.moves_at_most})


def _fewest_moves_at(work: Work, whole: WholeGroup, search: Search) -> None:
    """Of the most even plans (within the tolerance), one with the fewest moves: by bisection."""
    assert work.best is not None
    high = work.bound_of("max_load_at_least") or 0
    low = work.bound_of("min_load_at_most") or 0
    spread = work.best.spread + work.allowance
    if work.move_cost:
        return
    fewest, most = work.moves_bound, work.best.moves
    while fewest < most:
        middle = (fewest + most) // 2
        found = search.find(search_target(spread + 1, middle, 0, high, low))
        if found is None:
            fewest = middle + 1
            continue
        work.offer(whole.assignment(found), "search")
        most = min(middle, work.fewest_moves_within(spread))


class FullModel:
    """The whole group as one CP-SAT model: for what is too wide to be searched.

    Its turn comes early where a search was tried (`searched`), as a group so small is soon solved
    or never; late otherwise, as local methods are better at larger ones.
    """

    name: Final = "cp-sat"

    def __init__(self, searched: bool) -> None:
        self.searched = searched

    def applies(self, work: Work) -> bool:
        if not work.exact or work.proved or work.constraint is None:
            return False
        if (work.searched > 0) != self.searched:
            return False
        whole = whole_problem(work.group, work.constraint, work.moves_at_most, MODEL_SIZE)
        if whole is None or not len(whole.items):
            return False
        if work.effort.left(UPTO) < FIRST_MODEL:
            return False
        return work.deadline.left > FIRST_CALL

    def run(self, work: Work) -> None:
        from equilag.solver.cpsat.model import Limits, SolverFailed, solve_model

        assert work.constraint is not None and work.best is not None
        whole = whole_problem(work.group, work.constraint, work.moves_at_most, MODEL_SIZE)
        assert whole is not None
        column = np.full(work.group.n_members, -1, dtype=np.int64)
        column[whole.members] = np.arange(len(whole.members))
        amount = work.effort.left(UPTO) if work.effort.limited else work.deadline.limit
        limits = Limits(work.deadline.left * SHARE, DETERMINISTIC * amount, work.seed)
        if work.effort.limited:
            work.effort.spend(amount)
        try:
            answer = solve_model(
                whole.problem,
                limits,
                column[work.best.assigned[whole.items]],
                work.moves_at_most,
                work.move_cost,
            )
        except (SolverFailed, MemoryError, RuntimeError) as error:
            work.notes.append(f"cp-sat failed ({type(error).__name__}: {str(error)[:200]})")
            return
        work.deadline.cut |= not answer.exhausted
        if answer.assigned is not None:
            work.offer(whole.assignment(answer.assigned), "cp-sat")
        if answer.outcome == "infeasible":
            work.notes.append("cp-sat called a model infeasible that has a solution")
            return
        _on_its_word(work, answer.bound, limits)
        if answer.outcome == "optimal" and answer.rounded and not work.proved:
            _behind_rounding(work, whole, limits)


def _behind_rounding(work: Work, whole: WholeGroup, limits: Limits) -> None:
    """Nothing is left between plan and bound but what the model rounds away: list all that it takes
    for as good as the plan, and compare them exactly."""
    from equilag.solver.cpsat.model import all_below

    if work.best is None or work.move_cost:
        return
    deterministic = LISTING * limits.deterministic
    if work.effort.limited:
        deterministic = min(deterministic, DETERMINISTIC * work.effort.left())
        work.effort.spend(deterministic / DETERMINISTIC)
    wall = min(LISTING * limits.wall, work.deadline.left * SHARE)
    limits = replace(limits, wall=wall, deterministic=deterministic)
    found = all_below(whole.problem, limits, work.best.spread, work.moves_at_most)
    if found is None:
        work.deadline.cut = True
        return
    for assigned in found:
        work.offer(whole.assignment(assigned), "cp-sat")
    _on_its_word(work, work.best.spread, limits)


def _on_its_word(work: Work, bound: int, limits: Limits) -> None:
    """A claim that rests on the solver, if it is a new one."""
    from equilag.solver.cpsat.model import parameters, version

    name = "cost_at_least" if work.move_cost else "spread_at_least"
    if bound <= (work.bound_of(name) or 0):
        return
    data = {
        "max_moves": work.moves_at_most,
        "version": version(),
        "parameters": {k: v for k, v in parameters(limits).items() if "max_time" not in k},
    }
    work.claim(Claim(name, bound, "cp-sat", data, "solver"))
    work.recheck()
