"""Verify a plan from scratch: recompute every figure, prove every claim again, without a solver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from equilag.certificate.checks.claim_checks import CHECKS, SOLVER_KINDS, check_claim
from equilag.certificate.ledger import Ledger, Refuted, claim_words, figures_reached
from equilag.certificate.plan_document import (
    FIGURES,
    PlacedClaim,
    PlanDocument,
    differences,
    other_group,
    read_plan,
)
from equilag.domain.constraint import (
    CountConstraint,
    NotFewestAcross,
    NotMinimal,
    constraint_of,
    unconstrained,
)
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import written
from equilag.domain.group.throughput import Shortage
from equilag.domain.plan.assignment import MAX_FINDINGS
from equilag.domain.plan.broken_rules import (
    BrokenRules,
    broken_by_assignor,
    broken_rules,
    findings_about,
)
from equilag.domain.plan.claim import ACROSS, MOVES, PRICE, SQUARES, bounds_moves
from equilag.domain.plan.metrics import moved
from equilag.domain.plan.plan import REPEATABLE, Plan
from equilag.domain.policy.objective import Objective
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.shape import shape_group
from equilag.domain.reduction.reduce import Reduction, reduce_group
from equilag.domain.reduction.split_classes import RackReads


@dataclass(slots=True)
class VerificationReport:
    """What is wrong with a plan, and what each claim rests on; one line of text each."""

    findings: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    """Claims that only a solver vouches for."""
    proved: list[str] = field(default_factory=list)
    """Claims that were proved again."""
    broken: BrokenRules | None = None
    """What the plan of a heuristic breaks of the group's rules, of which it claims nothing."""
    plan: Plan | None = None
    """What was read, without its run; None where it cannot be read."""

    @property
    def holds(self) -> bool:
        return not self.findings


def verify(group: Group, plan: Plan | Mapping[str, Any]) -> list[str]:
    """What is wrong with a plan for the group; an empty list if it holds.

    Takes a `Plan` or its JSON as a dict. Raises InputError only if it is not a plan at all. Claims
    that only a solver vouches for are accepted; `check_plan` lists them.
    """
    return check_plan(group, plan).findings


def check_plan(group: Group, plan: Plan | Mapping[str, Any]) -> VerificationReport:
    """As `verify`, with the claims that were proved again and those that were not."""
    report = VerificationReport()
    given = plan.to_dict(reasons=False) if isinstance(plan, Plan) else plan
    if other := other_group(group, given):  # all else would follow from this
        report.findings.append(other)
        return report
    document = read_plan(group, given, report.findings)
    if document is not None:
        try:
            _check(group, document, report)
        except InputError as error:  # a setting that does not fit the group
            report.findings.append(f"policy: {error}")
    more = len(report.findings) - MAX_FINDINGS
    if more > 0:
        report.findings[MAX_FINDINGS:] = [f"and {more} more"]
    return report


def checked_plan(group: Group, document: Mapping[str, Any]) -> Plan:
    """The plan for the group from its JSON; it has no choices, which no JSON holds.

    Raises InputError at `plan` with what is wrong, if anything is.
    """
    report = check_plan(group, document)
    if report.findings:
        more = f" (and {len(report.findings) - 1:,} more: equilag verify lists them)"
        text = report.findings[0] + (more if len(report.findings) > 1 else "")
        raise InputError(f"the plan does not hold: {text}", "plan")
    settings, timing = document["policy"], document["timing"]
    assert report.plan is not None  # else there were findings
    return replace(
        report.plan,
        algorithm=str(document["algorithm"]),
        time_limit=timing["time_limit_s"],
        wall_s=timing["wall_s"],
        notes=tuple(document.get("notes", ())),
        seed=settings.get("seed", 0),
        effort=settings.get("effort"),
        repeatable=settings.get("run", REPEATABLE) == REPEATABLE,
        interrupted=document.get("interrupted", False),
    )


def _check(group: Group, document: PlanDocument, report: VerificationReport) -> None:
    reduction, policy = Reduction(group, group), document.policy
    if policy is not None:
        reduction = reduce_group(shape_group(group, policy), policy)
        report.findings += _rule_findings(reduction, policy, document.assigned)
    else:
        report.broken = broken_by_assignor(group, document.assigned)
    claims = tuple(placed.claim for placed in document.claims)
    status = document.status or "feasible"
    read = Plan(reduction.given, policy, status, "", document.assigned, claims, reduction=reduction)
    report.plan, ledger = read, _ledger(read, document, report.findings)
    for placed in document.claims:
        _prove(ledger, placed, report)
    # Figures have the bounds that were proved.
    proofs = ledger.proofs
    proved = replace(read, claims=(*proofs.checked.values(), *proofs.claims.values()))
    fields = proved.to_dict(reasons=False)
    figures = document.figures
    for key in FIGURES:
        if key in fields and key in figures:
            report.findings += differences(fields[key], figures[key], key)
        elif key in fields or key in figures:
            report.findings.append(f"{key}: {'missing' if key in fields else 'unexpected'}")
    _check_status(document, ledger, proved, report.findings)


def _rule_findings(reduction: Reduction, policy: Policy, assigned: Index) -> Iterator[str]:
    """What the assignment breaks of the rules of an extended group."""
    yield from findings_about(reduction, broken_rules(reduction, assigned), assigned)
    racks = None if policy.max_cross_rack is None else RackReads.of(reduction.given)
    if racks is not None and policy.max_cross_rack is not None:
        reads = racks.count(assigned)
        if reads > policy.max_cross_rack:
            limit = f"more than the {policy.max_cross_rack} that the policy allows"
            yield f"cross_rack.count: {reads}, {limit}"


def _ledger(plan: Plan, document: PlanDocument, findings: list[str]) -> Ledger:
    """Nothing proved yet."""
    policy, reduction = document.policy, plan.planned
    group, assigned = reduction.group, reduction.collapse(document.assigned)
    fallback = document.status == "fallback"
    planned = group.without_owners() if policy is not None and policy.fresh else group
    if policy is None or fallback:
        constraint, exact = unconstrained(planned), False
    else:
        constraint, exact = _constraint(planned, assigned, policy, findings)
    limit = None
    if policy is not None and not fallback:
        objective = Objective.of(policy, planned)
        claimed = [c.value for _, c in document.claims if c.claim == bounds_moves(objective.unit)]
        limit = objective.move_limit(int(max(claimed, default=0)))
        if limit is not None and plan.reached.moves > limit:
            limit = None  # the plan has more moves, so bounds within the limit say nothing of it
    ledger = Ledger(planned, group, policy, constraint, exact, limit)
    ledger.shortage = Shortage.of(reduction)
    ledger.plan_figures = figures_reached(plan, ledger.objective)
    return ledger


def _constraint(
    group: Group, assigned: Index, policy: Policy, findings: list[str]
) -> tuple[CountConstraint, bool]:
    """The policy's count constraint and True; no constraint and False if the plan misses it."""
    if policy.pins_owned and moved(group.owner, assigned).any():  # by owners that may keep it
        findings.append("assignment: an owned partition moves, which the policy rules out")
        return unconstrained(group), False
    try:
        return constraint_of(group, policy, assigned), True
    except NotFewestAcross:
        findings.append("cross_rack: another plan with the same counts reads less across racks")
        return unconstrained(group), False
    except NotMinimal as error:
        heavy, light = group.members[error.heavy].id, group.members[error.light].id
        better = f"a partition can go from {heavy!r} to {light!r}"
        if error.topic is not None:
            better = f"{heavy!r} has too many of topic {group.topics[error.topic]!r}"
        elif error.heavy == error.light:
            findings.append(f"counts: {heavy!r} has no room for all that it is given")
            return unconstrained(group), False
        findings.append(f"counts: not as even as balance {policy.balance!r} requires; {better}")
        return unconstrained(group), False


def _prove(ledger: Ledger, placed: PlacedClaim, report: VerificationReport) -> None:
    """Prove one claim again and note it in the ledger."""
    place, claim = placed
    key, of_all = (claim.claim, claim.kind), replace(claim, data={})  # that the policy allows
    text = f"{place}: {claim_words(claim, ledger.group, str(written(claim.value)))}"
    if ledger.contradicted(claim.claim, claim.value):
        report.findings.append(f"{text}: the plan itself contradicts it")
        return
    if claim.evidence == "solver" and key in SOLVER_KINDS:
        limit, covers = ledger.move_limit, claim.data.get("max_moves")
        if covers is not None and (limit is None or type(covers) is not int or covers < limit):
            report.findings.append(f"{text}: covers fewer plans than the policy allows")
            return
        ledger.proofs.record(of_all)
        report.unproved.append(f"{text}: rests on a solver's word")
        return
    if key not in CHECKS or claim.evidence != "checked":
        report.findings.append(f"{text}: unknown kind of claim")
        return
    try:
        check_claim(ledger, key, claim.value, claim.data)
    except Refuted as error:
        report.findings.append(f"{text}: {error}")
        return
    ledger.proofs.record(of_all)
    report.proved.append(text)


def _check_status(document: PlanDocument, ledger: Ledger, plan: Plan, findings: list[str]) -> None:
    """Status and evidence must be what the proved bounds make them; the plan must keep the policy's
    limits."""
    objective, status, proofs = ledger.objective, document.status, plan.proofs
    said, found = document.evidence, plan.evidence
    if said is not None and said != found:  # plans from before do not say it
        findings.append(f"evidence: {said}, but the status rests on claims with evidence {found}")
    if objective is None:
        if status != "feasible":
            findings.append("status: the plan of a single heuristic is always feasible")
        return
    extended, moves = ledger.group.extended, plan.reached.moves
    moved = extended.moved_partitions(moves), extended.moved_weight(moves)
    limits = (("moves", "max_moves"), ("weight of moves", "max_move_weight"))
    for (what, name), reached in zip(limits, moved, strict=True):
        limit = getattr(objective.policy, name)
        if limit is not None and reached > limit:
            findings.append(f"{what}: {reached}, more than the {limit} that the policy allows")
    if status == "fallback":
        if proofs.value(MOVES) or proofs.value(PRICE):
            findings.append("status: a fallback claims nothing about moves")
        return
    counts_proved = "counts" in proofs
    if not counts_proved:
        findings.append(f"status: {status} without a claim about counts")
    if objective.policy.then_topics and SQUARES not in proofs:
        findings.append(f"status: {status} without a claim about counts of topics")
    counts_reads = objective.policy.rack_aware and ledger.group.extended.has_racks
    if counts_reads and ACROSS not in proofs:
        findings.append(f"status: {status} without a claim about reads across racks")
    optimal = counts_proved and proofs.is_optimal(objective, plan.reached, plan.compared.mean)
    if status is not None and (status == "optimal") != optimal:
        proved = "every goal" if optimal else "not every goal"
        findings.append(f"status: {status}, but {proved} of the policy is proved")
