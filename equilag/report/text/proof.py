"""How good a plan is, in words: its figures beside what is proved about them."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from equilag.domain.policy.policy import Policy
from equilag.report.facts.plans.plan import PlanFacts, RunFacts
from equilag.report.facts.plans.proof import ProofFacts
from equilag.report.text.causes import alone_need, causes, no_fewer
from equilag.report.text.extended_group import extended_rows
from equilag.report.text.tables.layout import BOLD, GOOD, WARNING, Block, Prose, labelled
from equilag.report.text.work import work_rows
from equilag.report.wording.words import (
    duration,
    in_a_row,
    number,
    percent,
    plural,
    printable,
    status_words,
)

HANG: Final = 6
"""Columns of the title and the blanks after it."""
LABEL: Final = 14
"""Columns of the longest label."""

VERDICTS: Final = {
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
PROVED_BOUND: Final = "proved bound"
SOLVERS_BOUND: Final = "solver bound"
ON_SOLVER: Final = "counts are proved; the rest rests on the solver's word"
INTERRUPTED_FALLBACK: Final = "only a heuristic's plan was there"


def proof_block(facts: PlanFacts) -> Block:
    """Status, figures and bounds, one a line."""
    return [_status(facts), labelled(proof_rows(facts), LABEL - 1)]


def proof_rows(facts: PlanFacts) -> list[tuple[str, str]]:
    """Figures and bounds, one label and its words each; no words where nothing is known."""
    proof, members = facts.proof, facts.group.members
    return [
        ("policy", ", ".join(proof.policy.words()) if proof.policy else ""),
        ("found by", _run(facts.run)),
        ("counts", _counts(proof) if members else ""),
        *extended_rows(facts),
        *work_rows(facts),
        (f"{load_word(proof)} spread", _spread(facts) if facts.members else ""),
        ("excess", _excess(facts) if facts.members else ""),
        (SOLVERS_BOUND if proof.bound_by_solver else PROVED_BOUND, _bound(proof)),
        ("gap", _gap(proof)),
        ("moves", _moves(facts) if facts.group.owned else ""),
        ("not checkable", _unchecked(proof)),
        ("rebalances", _rebalances(facts) if members else ""),
        *(("note", printable(note)) for note in facts.plan.notes),
    ]


def _status(facts: PlanFacts) -> Prose:
    proof = facts.proof
    if proof.policy is None:
        words = f"  {status_sentence(facts)}"
        return Prose(Text.assemble(("Plan", BOLD), words), HANG)
    colour = GOOD if proof.status == "optimal" else WARNING
    status = status_words(proof.status, proof.evidence)
    rest = status_sentence(facts).removeprefix(status)
    return Prose(Text.assemble(("Plan", BOLD), "  ", (status, colour), rest), HANG)


def status_sentence(facts: PlanFacts) -> str:
    """What the plan's status is, and what that says of it."""
    proof = facts.proof
    if proof.policy is None:
        return f"{printable(facts.plan.algorithm)}: {VERDICTS['assignor']}"
    if proof.status == "optimal" and proof.evidence == "solver":
        verdict = ON_SOLVER
    elif proof.standing == "tolerance":
        verdict = f"within the tolerance of {percent(proof.policy.tolerance)} of the proved best"
    elif proof.standing == "fallback" and proof.interrupted_after is not None:
        verdict = INTERRUPTED_FALLBACK
    else:
        verdict = VERDICTS[proof.standing]
    status = status_words(proof.status, proof.evidence)
    if proof.interrupted_after is not None:
        status = f"{status}, interrupted after {duration(proof.interrupted_after)}"
    return f"{status}: {verdict}"


def _run(run: RunFacts | None) -> str:
    if run is None:
        return ""
    limit = "" if run.time_limit_s is None else f" of {run.time_limit_s:g} s"
    cut = "" if run.repeatable else "; cut short by the clock, so another run may differ"
    return f"{printable(run.algorithm)} in {duration(run.wall_s)}{limit}{cut}"


def _counts(proof: ProofFacts) -> str:
    low, high = proof.counts_min, proof.counts_max
    text = f"{plural(high, 'partition')} per member"
    if low != high:
        text = f"{number(low)} to {number(high)} partitions per member, spread {number(high - low)}"
    if proof.counts_proved and not _counts_are_free(proof.policy):
        even = "even by capacity" if proof.by_capacity else "even"
        text += f"; proved to be as {even} as possible"
        if proof.policy is not None and proof.policy.pins_owned:
            text += " without a voluntary move"
        elif proof.policy is not None and proof.policy.balance != "total":
            text += ", topic by topic"
    return text


def _spread(facts: PlanFacts) -> str:
    proof, before = facts.proof, facts.group.spread
    range_ = f"{number(proof.lag_min)} to {number(proof.lag_max)} per member"
    text = f"{_share(proof.spread, proof)}; {range_}"
    if before is not None:
        text += f"; was {number(before)}"
        if not facts.group.fully_owned:
            text += " among the owned partitions"
    return text


def _excess(facts: PlanFacts) -> str:
    """What lies above a fair share, before and after."""
    proof, before = facts.proof, facts.group.excess
    text = f"{_rounded(proof.excess, proof)} above a fair share, over all members"
    if before is not None and facts.group.fully_owned:
        text += f"; was {_rounded(before, proof)}"
    if proof.excess_bound:
        text += f"; no plan has less than {number(proof.excess_bound)}"
    return text


def load_word(proof: ProofFacts) -> str:
    """The word for what is spread."""
    return "load" if proof.per_capacity else "lag"


def _rounded(excess: float, proof: ProofFacts) -> str:
    """An excess, in whole records; with a decimal where only that tells it from its bound."""
    if 0 < excess - (proof.excess_bound or 0) < 1 and not proof.per_capacity:
        return f"{excess:,.1f}"
    return number(excess if proof.per_capacity else round(excess))


def _share(lag: float, proof: ProofFacts) -> str:
    """A load, and its part of the mean load."""
    if not proof.lag_mean:
        return number(lag)
    return f"{number(lag)} ({percent(100 * lag / proof.lag_mean)} of the mean)"


def _bound(proof: ProofFacts) -> str:
    if proof.bound is None:
        return ""
    policy, scope = proof.policy, "no assignment at all"
    if policy is not None and not proof.bound_is_general:
        scope = bound_scope(policy)
    return f"{number(proof.bound)}: {scope} has a smaller {load_word(proof)} spread"


def bound_scope(policy: Policy) -> str:
    """The plans of which none beats a bound on the lag spread."""
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


def _gap(proof: ProofFacts) -> str:
    if proof.gap is None:
        return ""
    if proof.gap == 0 and proof.bound_by_solver:
        return "0, on the solver's word"
    if proof.gap == 0:
        return f"0: no smaller {load_word(proof)} spread is possible"
    return _share(proof.gap, proof)


def _moves(facts: PlanFacts) -> str:
    proof, policy = facts.proof, facts.proof.policy
    least = proof.least_moves
    if least is None or policy is None:
        return number(proof.moves)
    if policy.pins_owned:
        return f"{number(proof.moves)}, from owners that may not keep theirs; no other may move"
    found = causes(policy, facts.extended, of_moves=True)
    if not proof.moves:
        return "none"
    if proof.moves == least:
        return f"{number(proof.moves)}; {no_fewer(found)}"
    text = f"{number(proof.moves)}; {alone_need(found, least)}"
    return text if policy.max_cross_rack is None else f"{text}; the limit on reads may need more"


def _unchecked(proof: ProofFacts) -> str:
    if not proof.unchecked:
        return ""
    return f"{', '.join(proof.unchecked)}: equilag verify cannot prove it again without the solver"


def _rebalances(facts: PlanFacts) -> str:
    """What a cooperative group goes through."""
    proof, cost = facts.proof, facts.verdict.cost
    if not (cost.moves or cost.new):
        return "none: every partition stays where it is"
    if not proof.paused:
        return "1, also under a cooperative protocol: no partition pauses"
    paused = plural(proof.paused, "partition")
    pause = "pauses" if proof.paused == 1 else "pause"
    return f"2 under a cooperative protocol; {paused} {pause} in between"
