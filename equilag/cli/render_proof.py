"""How good a plan is: its figures beside what is proved about them."""

from __future__ import annotations

from typing import Final

import numpy as np

from equilag.cli.text import Style, duration, number, percent, plural, printable, wrap
from equilag.group import NOBODY
from equilag.metrics import member_loads, spread
from equilag.phases import first_phase
from equilag.plan import Plan

LABEL: Final = 14

SINGLE: Final = "one assignor's answer as it is; nothing is claimed about its balance"
STATUS_WORDS: Final = {
    "optimal": "counts and lag spread are proved to be the best there are",
    "feasible": "a valid plan; how far it may be from the best is the gap below",
    "fallback": "the time limit left no room for more than a heuristic's plan",
}


def proof_block(plan: Plan, style: Style) -> list[str]:
    """Status, figures and bounds, one a line."""
    single = plan.policy is None
    status = "" if single else f"{plan.status}: "
    words = SINGLE if single else _verdict(plan)
    paint = style.good if plan.status == "optimal" else style.warn
    first, *rest = wrap(f"Plan  {status}{words}", style, "      ")
    first = style.bold("Plan") + first[4:].replace(status, paint(status), 1)
    rows = [
        ("policy", "" if single else _policy(plan)),
        ("found by", _found_by(plan)),
        ("counts", _counts(plan)),
        ("lag spread", _spread(plan)),
        ("proved bound", _bound(plan)),
        ("gap", _gap(plan)),
        ("moves", _moves(plan)),
        ("solver's word", _solver(plan)),
        ("rebalance", _phases(plan)),
    ]
    lines = [first, *rest]
    for label, text in [*rows, *(("note", printable(note)) for note in plan.notes)]:
        if text:
            lines += wrap(f"  {label:<{LABEL}}{text}", style, " " * (LABEL + 2))
    return lines


def _verdict(plan: Plan) -> str:
    """What the status means for this plan."""
    policy = plan.policy
    if plan.group.idle.all():
        return "there is nobody to give anything to"
    if plan.status != "optimal" or policy is None:
        return STATUS_WORDS[plan.status]
    if policy.tolerance and plan.lag.gap:
        return f"within the tolerance of {percent(policy.tolerance)} of the proved best"
    if policy.move_cost and not policy.moves_first:
        return "counts, and lag spread with the cost of moves, are proved to be the best there are"
    if policy.moves_first and not policy.pins_owned and not policy.fresh:
        return "counts, moves and lag spread are proved to be the best there are"
    return STATUS_WORDS["optimal"]


def _claimed(plan: Plan, name: str) -> bool:
    return any(claim.claim == name for claim in plan.claims)


def _policy(plan: Plan) -> str:
    """The policy with the settings that are not as they always are."""
    policy = plan.policy
    if policy is None:
        return plan.algorithm
    parts: list[str] = [policy.name]
    if policy.balance != policy.default_balance:
        parts.append(f"balance {policy.balance}")
    if policy.move_cost:
        parts.append(f"a move must save {number(policy.move_cost)}")
    if policy.tolerance:
        parts.append(f"tolerance {percent(policy.tolerance)} of the mean")
    if policy.max_moves is not None:
        parts.append(f"at most {plural(policy.max_moves, 'move')}")
    if policy.fresh:
        parts.append("as if nobody owned anything")
    return ", ".join(parts)


def _found_by(plan: Plan) -> str:
    took = duration(plan.wall_s)
    if plan.time_limit is not None:
        took += f" of {plan.time_limit:g} s"
    return f"{printable(plan.algorithm)} in {took}"


def _counts(plan: Plan) -> str:
    low, high = plan.counts.min, plan.counts.max
    if not plan.counts.by_member:
        return ""
    text = f"{plural(high, 'partition')} per member"
    if low != high:
        text = f"{number(low)} to {number(high)} partitions per member, spread {number(high - low)}"
    if _claimed(plan, "counts"):
        text += "; proved to be as even as can be"
        if plan.policy is not None and plan.policy.pins_owned:
            text += " without a voluntary move"
        elif plan.policy is not None and plan.policy.balance != "total":
            text += ", topic by topic"
    return text


def _spread(plan: Plan) -> str:
    lag, group = plan.lag, plan.group
    if group.idle.all():
        return ""
    text = f"{_records(plan, lag.spread)}; {number(lag.min)} to {number(lag.max)} per member"
    if bool((group.owner != NOBODY).any()):
        before = member_loads(group.owner, group.lag, group.n_members)
        text += f"; was {number(spread(before, group.idle))}"
        if not np.array_equal(group.owner != NOBODY, group.assignable):
            text += " among what is owned"
    return text


def _records(plan: Plan, value: int) -> str:
    """A lag, and what part of the mean load it is."""
    if not plan.lag.mean:
        return number(value)
    return f"{number(value)} ({percent(100 * value / plan.lag.mean)} of the mean)"


def _bound(plan: Plan) -> str:
    if not _claimed(plan, "spread_at_least"):
        return ""
    bound = plan.spread_lower_bound
    policy = plan.policy
    if policy is None or plan.status == "fallback":
        return f"{number(bound)}: no assignment at all is more even"
    within = "the same balance of counts"
    if not policy.fresh:
        if policy.moves_first:
            within += " and the fewest moves"
        elif policy.max_moves is not None:
            within += f" and {plural(policy.max_moves, 'move')}"
    return f"{number(bound)}: no plan within {within} is more even"


def _gap(plan: Plan) -> str:
    if not _claimed(plan, "spread_at_least"):
        return ""
    if plan.lag.gap == 0:
        return "0: the spread is proved to be the smallest"
    return _records(plan, plan.lag.gap)


def _moves(plan: Plan) -> str:
    if not bool((plan.group.owner != NOBODY).any()):
        return ""
    count, least = len(plan.moves), plan.moves_lower_bound
    if not _claimed(plan, "fewest_moves"):
        return number(count)
    if count == least:
        return f"{number(count)}; the balance of counts allows no fewer"
    forced = f"need {number(least)}" if least else "need none"
    return f"{number(count)}; even counts alone {forced}"


def _solver(plan: Plan) -> str:
    taken = [claim for claim in plan.claims if claim.evidence != "checked"]
    words = [f"{claim.claim} {number(claim.value)} ({claim.kind})" for claim in taken]
    if not words:
        return ""
    return f"{', '.join(words)}: equilag verify cannot prove it again"


def _phases(plan: Plan) -> str:
    """What a cooperative group goes through."""
    if not plan.group.members:
        return ""
    withheld = int(np.count_nonzero(first_phase(plan.group, plan.assigned) != plan.assigned))
    if not withheld:
        return "one, also with a cooperative protocol: nothing has to be withheld"
    what = plural(withheld, "partition")
    return f"two with a cooperative protocol: {what} withheld in the first"
