"""Checks a plan from scratch: every figure recomputed, every claim proved again, no solver."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from equilag.certificate.check_claims import CHECKS, SOLVER_KINDS, Ledger, Refuted, move_cost
from equilag.claim import Claim
from equilag.constraint import CountConstraint, NotMinimal, constraint_of, unconstrained
from equilag.errors import InputError
from equilag.group import NOBODY, Group, Index
from equilag.metrics import count_moves, is_valid
from equilag.objective import VALUE, Figures, Objective, Proved
from equilag.plan import CUT, FORMAT, REPEATABLE, STATUSES, Plan
from equilag.policy import POLICY_FIELDS, UNCONSTRAINED, Policy

RUN_FIELDS: Final = ("seed", "effort", "run")
RUNS: Final = (REPEATABLE, CUT)
SECTIONS: Final = (
    "format", "group", "assignment", "counts", "lag", "moves", "phases", "unassigned",
    "dropped_claims",
)  # fmt: skip
FIELDS: Final = (
    *SECTIONS, "policy", "status", "algorithm", "certificate", "timing", "notes",
)  # fmt: skip
MAX_FINDINGS: Final = 100


@dataclass(slots=True)
class Report:
    """What was found wrong, and what could only be taken on a solver's word."""

    findings: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    proved: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.findings


def verify(group: Group, plan: Plan | Mapping[str, Any]) -> list[str]:
    """What is wrong with a plan for the group; an empty list when it holds.

    Takes a `Plan` or its JSON as a dict. Raises InputError only for what is no plan at all. Claims
    that rest on a solver's word are taken as they are; `report` lists them.
    """
    return report(group, plan).findings


def report(group: Group, plan: Plan | Mapping[str, Any]) -> Report:
    """As `verify`, with what was proved and what was not."""
    document = plan.to_dict() if isinstance(plan, Plan) else plan
    if not isinstance(document, Mapping):
        raise InputError("a plan is a JSON object")
    if document.get("format") != FORMAT:
        raise InputError(f"is {document.get('format')!r}, not {FORMAT!r}", "format")
    result = Report()
    result.findings += [
        f"{key}: missing" for key in FIELDS if key not in document and key != "notes"
    ]
    result.findings += [f"{key}: unknown field" for key in document if key not in FIELDS]
    assigned = read_assignment(group, document.get("assignment"), result.findings)
    policy = _policy(document.get("policy"), result.findings)
    if assigned is not None and policy is not _BROKEN:
        _check(group, document, assigned, policy, result)
    more = len(result.findings) - MAX_FINDINGS
    if more > 0:
        result.findings[MAX_FINDINGS:] = [f"and {more} more"]
    return result


class _Broken:
    """A policy that cannot be read."""


_BROKEN: Final = _Broken()


def read_assignment(group: Group, table: Any, findings: list[str]) -> Index | None:
    """[P] an assignment by names as columns; None, with findings, if it cannot be read or does not
    give every partition with a subscriber to one member."""
    before = len(findings)
    if not isinstance(table, Mapping):
        findings.append("assignment: not a table of members")
        return None
    member_number = {member.id: i for i, member in enumerate(group.members)}
    topic_number = {topic: i for i, topic in enumerate(group.topics)}
    assigned = np.full(group.n_partitions, NOBODY, dtype=np.int32)
    findings += [
        f"assignment: member {m.id!r} is missing" for m in group.members if m.id not in table
    ]
    for member, topics in table.items():
        if member not in member_number:
            findings.append(f"assignment: {member!r} is not a member of the group")
            continue
        if not isinstance(topics, Mapping):
            findings.append(f"assignment.{member}: not a table of topics")
            continue
        for topic, numbers in topics.items():
            place = f"assignment.{member}.{topic}"
            t = topic_number.get(topic)
            if t is None or not isinstance(numbers, list):
                findings.append(f"{place}: no such topic, or not a list")
                continue
            size = int(group.topic_size[t])
            wrong = [n for n in numbers if type(n) is not int or not 0 <= n < size]
            if wrong:
                findings.append(f"{place}: no partition {wrong[0]!r}")
                continue
            columns = int(group.topic_start[t]) + np.array(numbers, dtype=np.int64)
            if len(np.unique(columns)) < len(columns) or (assigned[columns] != NOBODY).any():
                findings.append(f"{place}: a partition is given out twice")
            assigned[columns] = member_number[member]
    for p in np.flatnonzero((assigned == NOBODY) & group.assignable)[:5].tolist():
        findings.append("assignment: {}-{} is given to nobody".format(*group.partition_name(p)))
    held = np.flatnonzero(assigned != NOBODY)
    strange = ~group.reads[group.topic_of[held], group.class_of[assigned[held]]]
    for p in held[strange][:MAX_FINDINGS].tolist():
        topic, number = group.partition_name(p)
        member = group.members[assigned[p]].id
        findings.append(f"assignment: {member!r} does not subscribe to {topic}-{number}")
    return assigned if len(findings) == before and is_valid(group, assigned) else None


def _policy(table: Any, findings: list[str]) -> Policy | _Broken | None:
    """The policy; None for a single heuristic, which claims no count balance."""
    if not isinstance(table, Mapping):
        findings.append("policy: not a table")
        return _BROKEN
    if table.get("balance") == UNCONSTRAINED:
        extra = [key for key in table if key not in ("name", "balance")]
        if extra or not isinstance(table.get("name"), str):
            findings.append(f"policy: unexpected {', '.join(map(str, extra)) or 'name'}")
        return None
    missing = [key for key in POLICY_FIELDS if key not in table]
    extra = [key for key in table if key not in POLICY_FIELDS + RUN_FIELDS]
    if missing or extra:
        findings.append(f"policy: missing or unknown {', '.join(map(str, missing + extra))}")
        return _BROKEN
    seed = table.get("seed", 0)
    if type(seed) is not int or seed < 0:
        findings.append(f"policy.seed: {_short(seed)} is not a whole number, 0 or more")
    effort = table.get("effort", 0.0)
    if type(effort) not in (int, float) or not 0 <= effort < math.inf:
        findings.append(f"policy.effort: {_short(effort)} is not a number of seconds, 0 or more")
    if table.get("run", RUNS[0]) not in RUNS:
        findings.append(f"policy.run: {_short(table['run'])} is none of {', '.join(RUNS)}")
    try:
        return Policy(**{key: table[key] for key in POLICY_FIELDS})
    except (InputError, TypeError) as error:
        findings.append(f"policy: {error}")
        return _BROKEN


def _check(
    group: Group, document: Mapping[str, Any], assigned: Index, policy: Any, result: Report
) -> None:
    findings = result.findings
    status = document.get("status")
    if status not in STATUSES:
        findings.append(f"status: {status!r} is none of {', '.join(STATUSES)}")
    if not isinstance(document.get("algorithm"), str) or not document["algorithm"]:
        findings.append("algorithm: not a name")
    _timing(document.get("timing"), findings)
    notes = document.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        findings.append("notes: not a list of texts")
    planned = group.without_owners() if policy is not None and policy.fresh else group
    constraint, exact = _constraint(planned, assigned, policy, status, findings)
    limit = None
    claims = list(_claims(document.get("certificate"), findings))
    moves_bound = max((c.value for c in claims if c.claim == "fewest_moves"), default=0)
    moves = count_moves(planned.owner, assigned)
    if policy is not None and status != "fallback":
        limit = Objective(policy).move_limit(moves_bound)
        if limit is not None and moves > limit:
            limit = None  # bounds on plans that this one is not among say nothing of it
    ledger = Ledger(planned, group, policy, constraint, exact, limit)
    ledger.own = _own_figures(ledger, assigned)
    for number, claim in enumerate(claims):
        _prove(ledger, claim, f"certificate.claims[{number}]", result)
    expected = Plan(
        group,
        None,
        "feasible",
        "",
        assigned,
        spread_lower_bound=ledger.proved.get("spread_at_least", 0),
        moves_lower_bound=ledger.proved.get("fewest_moves", 0),
    )
    sections = expected.to_dict()
    for key in SECTIONS:
        if key in document:
            findings += _differences(sections[key], document[key], key)
    _status(expected, policy, ledger, status, moves, findings)


def _own_figures(ledger: Ledger, assigned: Index) -> dict[str, int]:
    """What the plan reaches of each figure that a claim can be about."""
    lag = Plan(ledger.real, None, "feasible", "", assigned).lag
    moves = count_moves(ledger.real.owner, assigned)
    return {
        "fewest_moves": moves,
        "max_load_at_least": lag.max,
        "min_load_at_most": lag.min,
        "spread_at_least": lag.spread,
        "cost_at_least": lag.spread + move_cost(ledger) * moves,
    }


def _constraint(
    group: Group, assigned: Index, policy: Policy | None, status: Any, findings: list[str]
) -> tuple[CountConstraint, bool]:
    """The count constraint that the plan is held to, and whether it is the policy's."""
    if policy is None or status == "fallback":
        return unconstrained(group), False
    if policy.pins_owned and count_moves(group.owner, assigned):
        findings.append("assignment: an owned partition moved, which the policy rules out")
        return unconstrained(group), False
    try:
        return constraint_of(group, policy, assigned), True
    except NotMinimal as error:
        heavy, light = group.members[error.heavy].id, group.members[error.light].id
        what = f"from {heavy!r} to {light!r}"
        if error.topic is not None:
            what = f"of topic {group.topics[error.topic]!r} at {heavy!r}"
        findings.append(f"counts: not balanced as {policy.balance!r} asks for; better {what}")
        return unconstrained(group), False


def _timing(table: Any, findings: list[str]) -> None:
    if not isinstance(table, Mapping) or set(table) != {"time_limit_s", "wall_s"}:
        findings.append("timing: not a table of time_limit_s and wall_s")
        return
    for key, value in table.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (number and 0 <= value < math.inf) and not (value is None and key == "time_limit_s"):
            findings.append(f"timing.{key}: {value!r} is no number of seconds")


def _claims(certificate: Any, findings: list[str]) -> Iterator[Claim]:
    rows = certificate.get("claims") if isinstance(certificate, Mapping) else None
    if not isinstance(rows, list):
        findings.append("certificate: no list of claims")
        return
    seen = set()
    for number, row in enumerate(rows):
        place = f"certificate.claims[{number}]"
        if not isinstance(row, Mapping) or set(row) != {
            "claim",
            "value",
            "evidence",
            "kind",
            "data",
        }:
            findings.append(f"{place}: not a claim")
        elif (
            any(not isinstance(row[key], str) for key in ("claim", "kind", "evidence"))
            or type(row["value"]) is not int
            or row["value"] < 0
            or not isinstance(row["data"], Mapping)
        ):
            findings.append(f"{place}: its fields cannot be read")
        elif (row["claim"], row["evidence"]) in seen:
            findings.append(f"{place}: a second claim of the same name")
        else:
            seen.add((row["claim"], row["evidence"]))
            yield Claim(row["claim"], row["value"], row["kind"], row["data"], row["evidence"])


def _prove(ledger: Ledger, claim: Claim, place: str, result: Report) -> None:
    key = (claim.claim, claim.kind)
    text = f"{place}: {claim.claim} {claim.value} ({claim.kind})"
    if ledger.contradicted(claim.claim, claim.value):
        result.findings.append(f"{text}: the plan itself shows that it is wrong")
        return
    if claim.evidence == "solver" and key in SOLVER_KINDS:
        limit, covers = ledger.moves_at_most, claim.data.get("max_moves")
        if covers is not None and (limit is None or type(covers) is not int or covers < limit):
            result.findings.append(f"{text}: covers fewer plans than the policy allows")
            return
        ledger.note(claim.claim, claim.value, checked=False)
        result.unproved.append(f"{text}: rests on a solver's word")
        return
    check = CHECKS.get(key)
    if check is None or claim.evidence != "checked":
        result.findings.append(f"{text}: no such kind of claim")
        return
    try:
        check(ledger, claim.value, claim.data)
    except Refuted as error:
        result.findings.append(f"{text}: {error}")
        return
    ledger.note(claim.claim, claim.value)
    result.proved.append(text)


def _status(
    plan: Plan,
    policy: Policy | None,
    ledger: Ledger,
    status: Any,
    moves: int,
    findings: list[str],
) -> None:
    lag = plan.lag
    if policy is None:
        if status != "feasible":
            findings.append("status: a single heuristic's plan is feasible, no more and no less")
        return
    limit = policy.max_moves
    if limit is not None and moves > limit:
        findings.append(f"moves: {moves}, more than the {limit} that the policy allows")
    claims_counts = "counts" in ledger.proved
    if status == "fallback":
        if ledger.proved.get("fewest_moves"):
            findings.append("status: a fallback claims nothing about moves")
        return
    if not claims_counts:
        findings.append(f"status: {status} without a claim about counts")
    objective, figures = Objective(policy), Figures(lag.spread, moves)
    value_bound = max(ledger.proved.get(VALUE, 0), lag.spread_lower_bound)
    fewest = 0 if policy.fresh else plan.moves_lower_bound
    cost = lag.spread + policy.move_cost * moves
    if value_bound > cost and (limit is None or moves <= limit):
        findings.append(f"lag: spread and moves cost {cost}, below the proved bound")
    bounds = Proved(lag.spread_lower_bound, fewest, value_bound)
    proved = claims_counts and objective.is_proved(figures, bounds, lag.mean)
    if (status == "optimal") != proved and status in STATUSES:
        word = "every goal is proved" if proved else "not every goal of the policy is proved"
        findings.append(f"status: {status}, though {word}")


def _differences(want: Any, got: Any, place: str) -> Iterator[str]:
    """One line for each place where two JSON values differ."""
    if isinstance(want, dict):
        if not isinstance(got, Mapping):
            yield f"{place}: {_short(got)} is not a table"
            return
        for key in [k for k in want if k not in got]:
            yield f"{place}.{key}: missing"
        for key in [k for k in got if k not in want]:
            yield f"{place}.{key}: unexpected"
        for key in want:
            if key in got:
                yield from _differences(want[key], got[key], f"{place}.{key}")
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        # Equal lists of numbers need no second look; in anything else true may stand for 1.
        if want != got or any(type(item) is not int for item in got):
            for number, (one, other) in enumerate(zip(want, got, strict=True)):
                yield from _differences(one, other, f"{place}[{number}]")
    elif isinstance(want, float) and type(got) in (int, float):
        if abs(got) > 2**80 or not math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-9):
            yield f"{place}: {got}, should be {want}"
    elif type(want) is not type(got) or want != got:
        yield f"{place}: {_short(got)}, should be {_short(want)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
