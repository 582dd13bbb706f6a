"""How good a plan is: its figures beside what is proved about them, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.certificate.ledger import claim_words
from equilag.domain.figures import (
    form,
    in_a_row,
    number,
    percent,
    plural,
    printable,
    spread_over,
    time_span,
    whole,
)
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.policy import Policy
from equilag.planner.diagnosis.judged_plan import CostFacts
from equilag.planner.facts.group import GroupFacts
from equilag.planner.facts.plan import ProofFacts, is_per_capacity, proof_facts
from equilag.planner.facts.work import WorkFacts
from equilag.report.report_blocks import Fact
from equilag.report.words.extended import alone_need, causes, extended_rows, no_fewer
from equilag.report.words.throughput import throughput_row, weight_row

STANDINGS: Final = {
    "assignor": "this assignor's own result, not optimised",
    "nobody": "no member reads a partition",
    "feasible": "a valid plan; the gap below is its distance from the proved bound",
    "unproved": "a valid plan; it is not proved how even it could be",
    "fallback": "the time limit allowed only a heuristic's plan",
    "spread": "counts and lag spread are proved to be the best possible",
    "spread-and-cost": "counts, and lag spread with the cost of moves, are proved to be the best"
    " possible",
    "moves-and-spread": "counts, moves and lag spread are proved to be the best possible",
}
ON_SOLVER: Final = "counts are proved; the rest rests on the solver's word"
INTERRUPTED_FALLBACK: Final = "only a heuristic's plan was there"


def status_words(status: str, evidence: str | None) -> str:
    """A plan's status; an optimum that nobody can check without a solver says so."""
    on_solver = status == "optimal" and evidence == "solver"
    return f"{status} (solver)" if on_solver else printable(status)


def status_sentence(plan: Plan) -> str:
    """What the plan's status is, and what that says of it."""
    proof = proof_facts(plan)
    if proof.policy is None:
        return f"{printable(plan.algorithm)}: {STANDINGS['assignor']}"
    if plan.status == "optimal" and plan.evidence == "solver":
        words = ON_SOLVER
    elif proof.standing == "tolerance":
        words = f"within the tolerance of {percent(proof.policy.tolerance)} of the proved best"
    elif proof.standing == "fallback" and plan.interrupted:
        words = INTERRUPTED_FALLBACK
    else:
        words = STANDINGS[proof.standing]
    status = status_words(plan.status, plan.evidence)
    if plan.interrupted:
        status = f"{status}, interrupted after {time_span(plan.wall_s)}"
    return f"{status}: {words}"


def load_word(plan: Plan) -> str:
    """The word for what is spread."""
    return "load" if is_per_capacity(plan) else "lag"


def bound_name(by_solver: bool) -> str:
    return "solver bound" if by_solver else "proved bound"


def proof_rows(
    plan: Plan, group: GroupFacts, work: WorkFacts | None, *, verbose: bool = False
) -> tuple[Fact, ...]:
    """Figures and bounds by name, those of which something is known."""
    return tuple(row for row in _rows(plan, group, work, verbose) if row.words)


def _rows(plan: Plan, group: GroupFacts, work: WorkFacts | None, verbose: bool) -> Iterator[Fact]:
    proof, has_readers = proof_facts(plan), not plan.planned.group.idle.all()
    yield Fact("policy", ", ".join(proof.policy.words()) if proof.policy else "")
    yield Fact("found by", _run(plan) if verbose else "")
    yield Fact("counts", _counts(plan, proof) if group.members else "")
    yield from extended_rows(plan, proof.policy, bool(group.owned))
    if work is not None:
        yield Fact("weight", weight_row(work))
        yield Fact("throughput", throughput_row(work))
    if has_readers:
        yield Fact(f"{load_word(plan)} spread", _spread(plan, group))
        yield Fact("excess", _excess(plan, group))
    if proof.is_bounded:
        yield Fact(bound_name(proof.by_solver), _bound(plan, proof))
        yield Fact("gap", _gap(plan, proof))
    yield Fact("moves", _moves(plan, proof) if group.owned else "")
    yield Fact("not checkable", _unchecked(plan))
    for note in plan.notes:
        yield Fact("note", printable(note))


def _run(plan: Plan) -> str:
    limit = "" if plan.time_limit is None else f" of {time_span(plan.time_limit)}"
    cut = "" if plan.repeatable else "; cut short by the clock, so another run may differ"
    return f"{printable(plan.algorithm)} in {time_span(plan.wall_s)}{limit}{cut}"


def _counts(plan: Plan, proof: ProofFacts) -> str:
    low, high, policy = plan.counts.min, plan.counts.max, proof.policy
    each = f"{spread_over(low, high)} {form(high, 'partition')} per member"
    text = each if low == high else f"{each}, spread {number(high - low)}"
    if "counts" in proof.claimed and not _counts_are_free(policy):
        by_capacity = not plan.planned.capacities.are_equal
        even = "even by capacity" if by_capacity else "even"
        text += f"; proved to be as {even} as possible"
        if policy is not None and policy.pins_owned:
            text += " without a voluntary move"
        elif policy is not None and policy.balance != "total":
            text += ", topic by topic"
    return text


def _spread(plan: Plan, group: GroupFacts) -> str:
    loads = plan.loads
    text = f"{_share(loads.spread, plan)}; {spread_over(loads.min, loads.max)} per member"
    if group.spread is not None:
        text += f"; was {number(group.spread)}"
        if not group.fully_owned:
            text += " among the owned partitions"
    return text


def _excess(plan: Plan, group: GroupFacts) -> str:
    """What lies above a fair share, before and after."""
    loads = plan.loads
    # In whole records; with decimals where only these tell it from its bound.
    close = is_per_capacity(plan) or 0 < loads.excess - loads.excess_lower_bound < 1
    write = number if close else whole
    text = f"{write(loads.excess)} above a fair share, over all members"
    if group.excess is not None and group.fully_owned:
        text += f"; was {write(group.excess)}"
    if loads.excess_lower_bound:
        text += f"; no plan has less than {number(loads.excess_lower_bound)}"
    return text


def _share(lag: float, plan: Plan) -> str:
    """A load, and its part of the mean load."""
    mean = plan.loads.mean
    return f"{number(lag)} ({percent(100 * lag / mean)} of the mean)" if mean else number(lag)


def _bound(plan: Plan, proof: ProofFacts) -> str:
    general = proof.policy is None or plan.status == "fallback"
    scope = "no assignment at all" if general else bound_scope(proof.policy)
    bound = number(plan.loads.spread_lower_bound)
    return f"{bound}: {scope} has a smaller {load_word(plan)} spread"


def bound_scope(policy: Policy | None) -> str:
    """The plans of which none beats a bound on the lag spread."""
    if policy is None:
        return "no plan"
    parts = [] if _counts_are_free(policy) else ["the same balance of counts"]
    if policy.rack_aware:
        parts.append("the fewest reads across racks")
    if policy.moves_first and not policy.fresh:
        parts.append("the fewest moves")
    elif policy.max_moves is not None and not policy.fresh:
        parts.append(f"at most {plural(policy.max_moves, 'move')}")
    return f"no plan with {in_a_row(parts)}" if parts else "no plan"


def _counts_are_free(policy: Policy | None) -> bool:
    return policy is not None and policy.balance == "none"


def _gap(plan: Plan, proof: ProofFacts) -> str:
    if plan.loads.gap:
        return _share(plan.loads.gap, plan)
    if proof.by_solver:
        return "0, on the solver's word"
    return f"0: no smaller {load_word(plan)} spread is possible"


def _moves(plan: Plan, proof: ProofFacts) -> str:
    moves, policy = len(plan.moves), proof.policy
    if "fewest_moves" not in proof.claimed or policy is None:
        return number(moves)
    if policy.pins_owned:
        return f"{number(moves)}, from owners that may not keep theirs; no other may move"
    found, least = causes(policy, plan, of_moves=True), plan.moves_lower_bound
    if not moves:
        return "none"
    if moves == least:
        return f"{number(moves)}; {no_fewer(found)}"
    text = f"{number(moves)}; {alone_need(found, least)}"
    return text if policy.max_cross_rack is None else f"{text}; the limit on reads may need more"


def _unchecked(plan: Plan) -> str:
    unchecked = [
        claim_words(claim, plan.planned.group, number(value))
        for claim in plan.claims
        if claim.evidence != "checked"
        for value in [claim.value if isinstance(claim.value, int) else float(claim.value)]
    ]
    if not unchecked:
        return ""
    return f"{', '.join(unchecked)}: equilag verify cannot prove it again without the solver"


def rebalances_words(cost: CostFacts) -> tuple[str, str]:
    """What a cooperative group goes through: how many rebalances, and what adds to it."""
    if not (cost.moves or cost.new):
        return "0", "every partition stays where it is"
    if not cost.paused:
        return "1", "also under a cooperative protocol: no partition pauses"
    pause = form(cost.paused, "pauses", "pause")
    return "2", f"under a cooperative protocol; {plural(cost.paused, 'partition')} {pause}"
