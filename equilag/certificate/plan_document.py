"""A plan's JSON (``equilag/plan/1``), read strictly into its typed parts.

Everything that is wrong becomes a finding with its place. Figures are not read here: `verify`
recomputes them, and `differences` tells where they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from equilag.domain.errors import InputError
from equilag.domain.group.group import Group, Index
from equilag.domain.group.loads import load_from
from equilag.domain.plan.assignment import read_assignment
from equilag.domain.plan.claim import EVIDENCE, OF_LOADS, SQUARES, Claim, Evidence, claim_from
from equilag.domain.plan.plan import CUT, FORMAT, REPEATABLE, STATUSES, Status
from equilag.domain.plan.plan_figures import EXTENDED_FIGURES
from equilag.domain.policy.objective import SHORT
from equilag.domain.policy.policy import ALWAYS as ALWAYS_SET
from equilag.domain.policy.policy import SETTINGS, Policy
from equilag.domain.policy.policy_settings import UNCONSTRAINED
from equilag.domain.policy.shape import with_added_members
from equilag.domain.show import form, plural, show
from equilag.domain.values import not_a

ALWAYS: Final = (
    "format", "group", "assignment", "counts", "lag", "moves", "phases", "unassigned",
    "dropped_claims",
)  # fmt: skip
"""Figures of every plan."""
FIGURES: Final = (*ALWAYS, *EXTENDED_FIGURES)
"""Fields that follow from group, assignment and proved bounds."""
REQUIRED: Final = (*ALWAYS, "policy", "status", "algorithm", "certificate", "timing")
OPTIONAL: Final = ("evidence", "interrupted", "notes", "remarks", "verdict", *EXTENDED_FIGURES)
RUN_FIELDS: Final = ("seed", "effort", "run")
"""Settings beside the policy's own; plans of other versions may lack them."""
CLAIM_FIELDS: Final = {"claim", "value", "evidence", "kind", "data"}


class PlacedClaim(NamedTuple):
    place: str
    """Such as ``certificate.claims[0]``."""
    claim: Claim


@dataclass(frozen=True, eq=False, slots=True)
class PlanDocument:
    """What a plan's JSON says, figures apart."""

    figures: Mapping[str, Any]
    """The fields of FIGURES that are there, as they are."""
    assigned: Index
    """[P]"""
    policy: Policy | None
    """None for the plan of a single heuristic."""
    status: Status | None
    """None if it cannot be read."""
    evidence: Evidence | None
    """None if it cannot be read, and in plans from before there was any."""
    claims: tuple[PlacedClaim, ...]


def other_group(group: Group, document: Any) -> str | None:
    """The finding that a plan is of another group; None if it seems to be of this one."""
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        return None
    name, table = document.get("group"), document.get("assignment")
    if isinstance(name, str) and name != group.name:
        return f"group: the plan is of group {show(name)}, the snapshot of group {show(group.name)}"
    if not isinstance(table, Mapping):
        return None
    policy = document.get("policy")
    added = policy.get("add_members") if isinstance(policy, Mapping) else None
    if added:  # `read_plan` knows them
        return None
    unknown = sorted(map(str, table.keys() - {member.id for member in group.members}))
    if 2 * len(unknown) <= len(table):
        return None
    count = f"{len(unknown):,} of {plural(len(table), 'member')} of the plan"
    isnt = form(len(unknown), "is", "are")
    return f"assignment: {count} {isnt} not in the group, such as {show(unknown[0])}"


def read_plan(group: Group, document: Any, findings: list[str]) -> PlanDocument | None:
    """The parts of a plan; None, with findings, if assignment or policy cannot be read.

    Members that the policy adds to the group count among its members.

    Raises InputError for what is not a plan in this format at all.
    """
    if not isinstance(document, Mapping):
        raise InputError("a plan is a JSON object")
    if document.get("format") != FORMAT:
        raise InputError(f"{show(document.get('format'))}, not {show(FORMAT)}", "format")
    findings += [f"{key}: missing" for key in REQUIRED if key not in document]
    findings += [f"{key}: unknown field" for key in document if key not in REQUIRED + OPTIONAL]
    try:
        policy = _policy(document.get("policy"), findings)
    except InputError as error:
        findings.append(str(error))
        return None
    if policy is not None:
        group = with_added_members(group, policy.add_members)
    assigned = read_assignment(group, document.get("assignment"), findings)
    if assigned is None:
        return None
    status = _one_of(document.get("status"), STATUSES, "status", findings)
    evidence = None
    if "evidence" in document:
        evidence = _one_of(document["evidence"], EVIDENCE, "evidence", findings)
    _check_texts(document, findings)
    return PlanDocument(
        {key: document[key] for key in FIGURES if key in document},
        assigned,
        policy,
        status,
        evidence,
        tuple(_claims(document.get("certificate"), findings)),
    )


def _policy(table: Any, findings: list[str]) -> Policy | None:
    """The policy; None for a single heuristic, which claims no count balance.

    Raises InputError if it cannot be read.
    """
    if not isinstance(table, Mapping):
        raise InputError(not_a(table, "an object"), "policy")
    if table.get("balance") == UNCONSTRAINED and not table.keys() >= {*ALWAYS_SET}:
        extra = [key for key in table if key not in ("name", "balance")]
        if extra or not isinstance(table.get("name"), str):
            findings.append(f"policy: unexpected {', '.join(map(str, extra)) or 'name'}")
        return None
    wrong = [key for key in ALWAYS_SET if key not in table]
    wrong += [key for key in table if key not in SETTINGS and key not in RUN_FIELDS]
    if wrong:
        raise InputError(f"missing or unknown {', '.join(map(str, wrong))}", "policy")
    for name, declared in SETTINGS.items():
        if name in table and declared.shown_with is not None:
            other, needed = declared.shown_with
            if table.get(other) != needed:
                raise InputError(f"only the {other} {needed} has one", f"policy.{name}")
    _check_run(table, findings)
    try:
        settings = {key: value for key, value in table.items() if key not in RUN_FIELDS}
        return Policy(**{"weight": "lag", **settings})  # whatever the group knows beside its lag
    except InputError as error:
        setting = "name" if error.place == "policy" else error.place
        raise InputError(error.problem, f"policy.{setting}") from error


def _check_run(table: Mapping[str, Any], findings: list[str]) -> None:
    seed, effort = table.get("seed", 0), table.get("effort", 0.0)
    if type(seed) is not int or seed < 0:
        findings.append(f"policy.seed: {show(seed)} is not a whole number, 0 or more")
    if not _is_seconds(effort):
        findings.append(f"policy.effort: {show(effort)} is not a number of seconds, 0 or more")
    _one_of(table.get("run", REPEATABLE), (REPEATABLE, CUT), "policy.run", findings)


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf


Word = TypeVar("Word", bound=str)


def _one_of(value: Any, known: tuple[Word, ...], place: str, findings: list[str]) -> Word | None:
    """The value, if it is one of those that are known; else None and a finding."""
    for one in known:
        if value == one:
            return one
    findings.append(f"{place}: {show(value)} is none of {', '.join(known)}")
    return None


def _check_texts(document: Mapping[str, Any], findings: list[str]) -> None:
    if not isinstance(document.get("algorithm"), str) or not document["algorithm"]:
        findings.append("algorithm: not a name")
    notes = document.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        findings.append("notes: not a list of texts")
    if document.get("interrupted", True) is not True:
        findings.append(f"interrupted: {show(document['interrupted'])}, not true")
    timing = document.get("timing")
    if not isinstance(timing, Mapping) or set(timing) != {"time_limit_s", "wall_s"}:
        findings.append("timing: not an object with time_limit_s and wall_s")
        return
    for key, value in timing.items():
        if not _is_seconds(value) and not (value is None and key == "time_limit_s"):
            findings.append(f"timing.{key}: {show(value)} is not a number of seconds")


def _claims(certificate: Any, findings: list[str]) -> list[PlacedClaim]:
    rows = certificate.get("claims") if isinstance(certificate, Mapping) else None
    if not isinstance(rows, list):
        findings.append("certificate: no list of claims")
        return []
    claims: dict[tuple[str, str], PlacedClaim] = {}
    for number, row in enumerate(rows):
        place = f"certificate.claims[{number}]"
        if not isinstance(row, Mapping) or set(row) != CLAIM_FIELDS:
            findings.append(f"{place}: not a claim")
        elif not _is_claim(row):
            findings.append(f"{place}: a field has the wrong type")
        elif (row["claim"], row["evidence"]) in claims:
            findings.append(f"{place}: a second claim of the same name")
        else:
            claims[row["claim"], row["evidence"]] = PlacedClaim(place, claim_from(row))
    return list(claims.values())


def _is_claim(row: Mapping[str, Any]) -> bool:
    texts = all(isinstance(row[key], str) for key in ("claim", "kind", "evidence"))
    value = load_from(row["value"])
    if value is None or not (texts and isinstance(row["data"], Mapping)):
        return False
    return row["claim"] in (*OF_LOADS, SHORT, SQUARES) or isinstance(value, int)


TOLERANCE: Final = 1e-9
"""For means and percentages, relative and absolute: JSON writers round the last digits."""
UNCHECKED: Final = "reason"
"""Of a move: it explains the plan to people, claims nothing of it, and may have other words in
another version. `equilag explain` computes reasons anew."""
LARGEST: Final = 2**80
"""`math.isclose` cannot take whole numbers beyond floats; no true figure comes near this one."""


def differences(want: Any, got: Any, place: str) -> Iterator[str]:
    """One line for each place where `got` is not `want`."""
    if isinstance(want, dict):
        if not isinstance(got, Mapping):
            yield f"{place}: {not_a(got, 'an object')}"
            return
        for key in [k for k in want if k not in got]:
            yield f"{place}.{key}: missing"
        for key in [k for k in got if k not in want and k != UNCHECKED]:
            yield f"{place}.{key}: unexpected"
        for key in want:
            if key in got:
                yield from differences(want[key], got[key], f"{place}.{key}")
    elif isinstance(want, list):
        if not isinstance(got, list):
            yield f"{place}: {not_a(got, 'a list')}"
        elif len(want) != len(got):
            yield f"{place}: length {len(got)}, should be {len(want)}"
        # Equal lists of numbers need no second look; in anything else true may stand for 1.
        elif want != got or any(type(item) is not int for item in got):
            for number, (one, other) in enumerate(zip(want, got, strict=True)):
                yield from differences(one, other, f"{place}[{number}]")
    elif isinstance(want, float) and type(got) in (int, float):
        fits = isinstance(got, float) or abs(got) <= LARGEST
        close = fits and math.isclose(want, got, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        if not close:
            yield f"{place}: {show(got)}, should be {show(want)}"
    elif type(want) is not type(got) or want != got:
        yield f"{place}: {show(got)}, should be {show(want)}"
