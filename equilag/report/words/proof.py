"""How good a plan is, and what its moves are for: figures beside what is proved, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from equilag.certificate.ledger import claim_words
from equilag.domain.figures import (
    form,
    in_a_row,
    number,
    partition_name,
    percent,
    plural,
    printable,
    spread_over,
    time_span,
    whole,
)
from equilag.domain.move_reasons.unit_reasons import MoveReasonKind
from equilag.domain.plan.broken_rules import forced_by
from equilag.domain.plan.move import Move
from equilag.domain.plan.plan import Plan
from equilag.domain.plan.verdict import CostFacts
from equilag.domain.policy.objective import SPREAD
from equilag.domain.policy.policy import Policy
from equilag.planner.facts.group import GroupFacts
from equilag.planner.facts.plan import is_per_capacity, policy_in_force
from equilag.planner.facts.throughput_words import throughput_row, weight_row
from equilag.planner.facts.work import WorkFacts
from equilag.report.report_blocks import Fact
from equilag.report.words.extended import extended_rows, least_words

REASONS: Final[dict[MoveReasonKind, str]] = {
    "restriction": "{member} may not keep it",
    "join": "goes with {partner}",
    "unit": "goes with {partner}",
    "racks": "ends a read across racks",
    "room": "{member} is above its limit",
    "counts": "evens counts of {member}",
    "relief": "relieves {member}",
    "makes-room": "makes room for {partner}",
    "exchange": "in exchange for {partner}",
    "other": "part of the plan as a whole",
    "fresh": "planned as if nobody owned it",
    "assignor": "the assignor's choice",
}
"""Kind of a move's reason -> its words."""


def status_words(status: str, evidence: str | None) -> str:
    """A plan's status; an optimum that nobody can check without a solver says so."""
    on_solver = status == "optimal" and evidence == "solver"
    return f"{status} (solver)" if on_solver else printable(status)


def status_sentence(plan: Plan) -> str:
    """What the plan's status is, and what that says of it."""
    if plan.policy is None:
        return f"{printable(plan.algorithm)}: this assignor's own result, not optimised"
    status = status_words(plan.status, plan.evidence)
    if plan.interrupted:
        status = f"{status}, interrupted after {time_span(plan.wall_s)}"
    return f"{status}: {_standing(plan, plan.policy)}"


def _standing(plan: Plan, policy: Policy) -> str:
    if plan.planned.group.idle.all():
        return "no member reads a partition"
    if plan.status == "fallback":
        if plan.interrupted:
            return "only a heuristic's plan was there"
        return "the time limit allowed only a heuristic's plan"
    if plan.status == "feasible" and SPREAD in _claimed(plan):
        return "a valid plan; the gap below is its distance from the proved bound"
    if plan.status == "feasible":
        return "a valid plan; it is not proved how even it could be"
    if plan.evidence == "solver":
        return "counts are proved; the rest rests on the solver's word"
    if policy.tolerance and plan.loads.gap:
        return f"within the tolerance of {percent(policy.tolerance)} of the proved best"
    if policy.move_cost and not policy.moves_first:
        return "counts, and lag spread with the cost of moves, are proved to be the best possible"
    moves = ", moves" if policy.moves_first and not (policy.pins_owned or policy.fresh) else ""
    return f"counts{moves} and lag spread are proved to be the best possible"


def _claimed(plan: Plan) -> set[str]:
    return {claim.claim for claim in plan.claims}


def load_word(plan: Plan) -> str:
    """The word for what is spread."""
    return "load" if is_per_capacity(plan) else "lag"


def bound_name(by_solver: bool) -> str:
    return "solver bound" if by_solver else "proved bound"


def proof_rows(
    plan: Plan, group: GroupFacts, work: WorkFacts | None, *, verbose: bool = False
) -> Iterator[Fact]:
    """Figures and bounds by name, without words where nothing is known."""
    policy, loads, has_owners = policy_in_force(plan), plan.loads, bool(group.owned)
    yield Fact("policy", ", ".join(policy.words()) if policy else "")
    yield Fact("found by", _run(plan) if verbose else "")
    yield Fact("counts", _counts(plan, policy) if group.members else "")
    yield from extended_rows(plan, policy, has_owners)
    if work is not None:
        yield Fact("weight", weight_row(work))
        yield Fact("throughput", throughput_row(work))
    if not plan.planned.group.idle.all():
        yield Fact(f"{load_word(plan)} spread", _spread(plan, group))
        yield Fact("excess", _excess(plan, group))
    # What is proved of an assignor's plan is about lag, whatever the capacities.
    if SPREAD in _claimed(plan) and (policy is not None or not is_per_capacity(plan)):
        by_solver, what = plan.proofs.rests_on_solver(SPREAD), load_word(plan)
        scope = "no assignment at all" if plan.status == "fallback" else bound_scope(policy)
        bound = f"{number(loads.spread_lower_bound)}: {scope} has a smaller {what} spread"
        none = (
            "0, on the solver's word" if by_solver else f"0: no smaller {what} spread is possible"
        )
        yield Fact(bound_name(by_solver), bound)
        yield Fact("gap", _share(loads.gap, plan) if loads.gap else none)
    yield Fact("moves", _moves(plan, policy) if has_owners else "")
    yield Fact("not checkable", _unchecked(plan))
    yield from (Fact("note", printable(note)) for note in plan.notes)


def _run(plan: Plan) -> str:
    limit = "" if plan.time_limit is None else f" of {time_span(plan.time_limit)}"
    cut = "" if plan.repeatable else "; cut short by the clock, so another run may differ"
    return f"{printable(plan.algorithm)} in {time_span(plan.wall_s)}{limit}{cut}"


def _counts(plan: Plan, policy: Policy | None) -> str:
    low, high = plan.counts.min, plan.counts.max
    each = f"{spread_over(low, high)} {form(high, 'partition')} per member"
    text = each if low == high else f"{each}, spread {number(high - low)}"
    if "counts" in _claimed(plan) and not _counts_are_free(policy):
        even = "even" if plan.planned.capacities.are_equal else "even by capacity"
        text += f"; proved to be as {even} as possible"
        if policy is not None and policy.pins_owned:
            text += " without a voluntary move"
        elif policy is not None and policy.then_topics:
            text += ", then topic by topic"
        elif policy is not None and policy.balance != "total":
            text += ", topic by topic"
    return text


def _spread(plan: Plan, group: GroupFacts) -> str:
    loads = plan.loads
    text = f"{_share(loads.spread, plan)}; {spread_over(loads.min, loads.max)} per member"
    if group.spread is not None:
        owned = "" if group.fully_owned else " among the owned partitions"
        text += f"; was {number(group.spread)}{owned}"
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


def bound_scope(policy: Policy | None) -> str:
    """The plans of which none beats a bound on the lag spread."""
    if policy is None:
        return "no assignment at all"
    parts = [] if _counts_are_free(policy) else ["the same balance of counts"]
    if policy.rack_aware:
        parts.append("the fewest reads across racks")
    least = "the least moved weight" if policy.weighs_moves else "the fewest moves"
    if policy.moves_first and not policy.fresh:
        parts.append(least)
    elif policy.max_moves is not None and not policy.fresh:
        parts.append(f"at most {plural(policy.max_moves, 'move')}")
    if policy.max_move_weight is not None and not policy.moves_first:
        parts.append(f"moves of a weight of at most {number(policy.max_move_weight)}")
    return f"no plan with {in_a_row(parts)}" if parts else "no plan"


def _counts_are_free(policy: Policy | None) -> bool:
    return policy is not None and policy.balance == "none"


def _moves(plan: Plan, policy: Policy | None) -> str:
    moves = len(plan.moves)
    if "fewest_moves" not in _claimed(plan) or policy is None:
        return number(moves)
    if policy.pins_owned:
        return f"{number(moves)}, from owners that may not keep theirs; no other may move"
    found = forced_by(policy, plan.planned)
    text = f"{number(moves)}; {least_words(moves, plan.moves_lower_bound, found)}"
    weight, least = plan.moves_weight, plan.moves_weight_lower_bound
    if weight is not None and least is not None:
        text += f"; moved weight {number(weight)}"
        text += ", the least that is possible" if weight == least else f", at least {number(least)}"
    return text


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


def reason_words(move: Move) -> str:
    """What a move serves, in a few words: ``relieves indexer-5``, ``in exchange for tokens-18``."""
    reason = move.reason
    partner = partition_name(reason.partners[0]) if reason.partners else "new partitions"
    return REASONS[reason.kind].format(member=printable(reason.member), partner=partner)
