"""What `verify` says: findings, and on what a plan rests."""

from __future__ import annotations

import pytest
from support.orders_service import orders_group
from support.reports import text_of as text_on

from equilag.certificate.verify import VerificationReport
from equilag.report.reports.verification import CheckReport


def text_of(report: VerificationReport) -> str:
    return text_on(CheckReport(orders_group(), "p.json", report, None), 80)


@pytest.mark.parametrize(
    ("proved", "unproved", "words"),
    [
        (5, 0, "5 of 5 claims re-proved"),
        (1, 0, "1 of 1 claim re-proved"),
        (3, 2, "3 of 5 claims re-proved, 2 rest on the solver's word"),
        (0, 0, "the plan makes no claim about how good it is"),
    ],
)
def test_the_last_line_counts_the_claims(proved: int, unproved: int, words: str) -> None:
    report = VerificationReport(unproved=["x"] * unproved, proved=["y"] * proved)
    assert text_of(report).splitlines()[-1] == f"OK: valid; {words}"


def test_findings_are_one_line_each_however_long() -> None:
    long = "assignment." + "x" * 100
    report = VerificationReport(findings=["assignment.a\nb: wrong", "x\x1b[2J", long], proved=["y"])
    lines = ["assignment.a\\nb: wrong", "x\\x1b[2J", long]
    assert text_of(report) == "".join(f"does not hold: {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("report", "evidence"),
    [
        (VerificationReport(proved=["x"]), "checked"),
        (VerificationReport(proved=["x"], unproved=["y"]), "solver"),
        (VerificationReport(["lag.max: 3, not 4"], ["y"]), None),
    ],
)
def test_what_a_verification_rests_on(report: VerificationReport, evidence: str | None) -> None:
    facts = CheckReport(orders_group(), "p.json", report, {"name": "lag-aware"})
    document = facts.document()
    assert (document["evidence"], document["policy"]) == (evidence, {"name": "lag-aware"})
    unreadable = CheckReport(orders_group(), "p.json", report, "lag-aware")
    assert unreadable.document()["policy"] is None
