"""What `verify` says: findings, and on what a plan rests."""

from __future__ import annotations

from support.orders_service import orders_group

from equilag.certificate.verify import VerificationReport
from equilag.report.facts.verification import verification_facts
from equilag.report.terminal import Screen
from equilag.report.text.pages import text_for


def text_of(report: VerificationReport) -> str:
    return text_for(verification_facts(orders_group(), "p.json", report), Screen(80))


def test_what_rests_on_a_solver_is_named() -> None:
    report = VerificationReport(
        unproved=["spread_at_least 7 (cp-sat)"], proved=["counts 3 (residual)"]
    )
    first, proved, last = text_of(report).splitlines()
    assert first == "holds: p.json: 9 partitions of group orders-service; all figures agree"
    assert proved == "holds: proved again: counts 3 (residual)"
    assert last == "holds, but not proved again: spread_at_least 7 (cp-sat)"


def test_a_plan_without_claims() -> None:
    last = text_of(VerificationReport()).splitlines()[-1]
    assert last == "holds: the plan makes no claim about how good it is"


def test_findings_are_one_line_each_however_long() -> None:
    long = "assignment." + "x" * 100
    report = VerificationReport(findings=["assignment.a\nb: wrong", "x\x1b[2J", long], proved=["y"])
    lines = ["assignment.a\\nb: wrong", "x\\x1b[2J", long]
    assert text_of(report) == "".join(f"does not hold: {line}\n" for line in lines)
