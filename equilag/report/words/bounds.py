"""What bounds a plan, how far it is from what is proved, and what a looser setting is called."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from equilag.domain.figures import (
    form,
    in_a_row,
    in_units,
    number,
    partition_name,
    percent,
    plural,
    printable,
)
from equilag.domain.move_reasons.unit_reasons import NOTED
from equilag.domain.plan.plan import Plan
from equilag.domain.policy.objective import SPREAD
from equilag.domain.show import MAX_NAMED
from equilag.planner.explain import LooserEvidence
from equilag.planner.explaining.bound_causes import BoundCause, in_unit
from equilag.planner.explaining.loosened import LooserName, Scope

SCOPES: Final[Mapping[Scope, str]] = {
    "subscriptions": "whatever the assignment",
    "restrictions": "while pins and restrictions hold",
    "room": "within the members' limits of partitions",
    "owners": "while owners keep what they have",
    "counts": "with even counts",
    "racks": "with the fewest reads across racks",
}
"""The plans that a bound is about."""
LOOSER: Final[Mapping[LooserName, str]] = {
    "moves": "no --max-moves",
    "fewest-moves": "moves beyond the fewest",
    "tolerance": "--tolerance 0",
    "move-cost": "--move-cost 0",
    "topic-balance": "--balance total",
    "balance": "--balance none",
    "pins": "no --pin and --keep",
    "allowed": "no restrictions (allowed)",
    "room": "no limit of partitions",
    "racks": "reads across racks",
    "co-partitioning": "--co-partition none",
    "subscriptions": "all topics for all members",
}
EVIDENCE: Final[Mapping[LooserEvidence, str]] = {
    "proved": "proved: with this setting no plan is noticeably better than its row",
    "found": "found: the best plan that was found; there may be a better one",
}
"""What the evidence of a looser setting says of its row."""


class LoadWords(NamedTuple):
    """How loads of a plan are written."""

    unit: str
    """``records``, ``seconds of work``, …"""
    fair: float
    """A fair share: the load of every member if all were equally loaded."""
    weight_unit: str = "records"
    """Of partitions; not per unit of capacity."""

    def amount(self, load: float) -> str:
        return in_units(number(load), self.unit)

    def shares(self, load: float) -> str:
        """In fair shares."""
        return f"{load / self.fair:.3g} × a fair share"


def cause_words(cause: BoundCause, words: LoadWords) -> str:
    """What bounds the plan, in one or two sentences."""
    least = words.amount(cause.bound)
    match cause.kind:
        case "partition":
            return _partition(cause, words)
        case "partitions":
            row = [*map(partition_name, cause.partitions)]
            names = in_a_row(row, MAX_NAMED, cause.n_partitions)
            if cause.side == "lightest":
                return _too_little_left(names, "take", cause, words)
            return f"{names} cannot be shared out more evenly: {_bound(cause, words)}."
        case "members":
            return _members(cause, words)
        case "pairs":
            start = "Members hold two partitions at most, and these do not pair more evenly"
            return f"{start}: {_bound(cause, words)}."
        case "moves":
            limit = "so few moves" if cause.max_moves is None else plural(cause.max_moves, "move")
            return f"With at most {limit}, {_no_plan(cause)} has members less than {least} apart."
    return (
        f"The partitions do not add up more evenly: {_no_plan(cause)} has members less than"
        f" {least} apart, {SCOPES[cause.scope]}."
    )


def _no_plan(cause: BoundCause) -> str:
    return "no plan" if cause.evidence == "checked" else "by the solver's word no plan"


def _bound(cause: BoundCause, words: LoadWords) -> str:
    """The bound itself, with the plans that it is about."""
    scope, amount = SCOPES[cause.scope], words.amount(cause.bound)
    if cause.side == "lightest":
        return f"the lightest member has at most {amount}, {scope}"
    return f"the heaviest member has at least {amount}, {words.shares(cause.bound)}, {scope}"


def _too_little_left(names: str, take: str, cause: BoundCause, words: LoadWords) -> str:
    left = f"{names} {take} so much that too little is left for the others"
    return f"{left}: {_bound(cause, words)}."


def _partition(cause: BoundCause, words: LoadWords) -> str:
    partition, alone = partition_name(cause.partitions[0]), cause.alone or 0.0
    if cause.side == "lightest":
        return _too_little_left(partition, "takes", cause, words)
    of = f"{number(alone)} of {words.amount(words.fair)}"
    own = f"{partition} alone is {words.shares(alone)} ({of})"
    if alone >= (1 - NOTED) * cause.bound:
        return f"{own}: no assignment makes its member lighter than that."
    beside = "even counts give its member" if cause.scope == "counts" else "its member has to have"
    return f"{own}, and {beside} others beside it: {_bound(cause, words)}."


def _members(cause: BoundCause, words: LoadWords) -> str:
    if not cause.members or not cause.topics:  # it is about what owners keep, or about everybody
        bound = _bound(cause, words)
        return f"{bound[0].upper()}{bound[1:]}."
    names = in_a_row([*map(printable, cause.members)], MAX_NAMED)
    topics = in_a_row([*map(printable, cause.topics)], MAX_NAMED)
    weight = in_units(number(cause.weight), words.weight_unit)
    held = f"{topics} ({plural(cause.n_partitions, 'partition')}, {weight})"
    read = form(len(cause.members), "reads", "read")
    verb = read if cause.scope == "subscriptions" else "may read"
    amount, scope = words.amount(cause.bound), SCOPES[cause.scope]
    which = f"the {cause.side} of them has" if len(cause.members) > 1 else "it has"
    if cause.side == "heaviest":
        bound = f"{amount}, {words.shares(cause.bound)}, {scope}"
        return f"Only {names} {verb} {held}: {which} at least {bound}."
    return f"{names} {verb} only {held}: {which} at most {amount}, {scope}."


def state_words(plan: Plan, has_causes: bool, words: LoadWords) -> tuple[str, ...]:
    """How far the plan is from what is proved, and what the difference is for."""
    if plan.policy is None:
        return ("This is one assignor's own result: nothing is proved about it.",)
    if plan.planned.group.idle.all():
        return ("No member reads a partition.",)
    if not words.fair:
        return (f"There is no lag: all members have 0 {words.unit}.",)
    gap = _gap_words(plan, words)
    if has_causes:
        return (gap,)
    most, fair = plan.loads.max, words.fair
    above = f"{percent(100 * (most / fair - 1)) if most > fair else '0 %'} above a fair share"
    close = most <= (1 + NOTED) * fair
    has = f"he heaviest member has {words.amount(most)}, {above}."
    return (f"Nothing keeps the members apart: t{has}" if close else f"T{has}", gap)


def _gap_words(plan: Plan, words: LoadWords) -> str:
    loads, policy = plan.loads, plan.policy
    assert policy is not None
    spread, bound = loads.spread, loads.spread_lower_bound
    apart = f"The members are {words.amount(spread)} apart"
    possible = f"{apart}, where {number(bound)} may be possible"
    if plan.status == "fallback":
        return f"{apart}; the time limit allowed no search, so a more even plan is likely."
    if plan.status == "feasible" and spread > bound:
        more = "open: a longer --time-limit may find a more even plan, or prove that there is none"
        return f"{possible} ({more})."
    if spread <= bound or in_unit(plan, 1) >= spread - bound:
        on_solver = plan.proofs.rests_on_solver(SPREAD)
        proved = "by the solver's word" if on_solver else "it is proved that"
        return f"{apart}: {proved} no plan of these settings has less."
    if policy.move_cost and not policy.moves_first:
        cost = number(policy.move_cost)
        return f"{apart}; each further move would save less than the {cost} of --move-cost."
    given = words.amount(words.fair * policy.tolerance / 100)
    return f"{possible}: --tolerance {policy.tolerance:g} accepts up to {given} more to save moves."


def evidence_lines(shown: Collection[LooserEvidence]) -> tuple[str, ...]:
    """What each evidence that a table of looser settings has means."""
    return tuple(words for evidence, words in EVIDENCE.items() if evidence in shown)


def looser_words(name: LooserName, settings: Mapping[str, Any]) -> str:
    """What a looser setting is called; options as they are typed."""
    return f"--policy {settings['policy']}" if name == "fewest-moves" else LOOSER[name]
