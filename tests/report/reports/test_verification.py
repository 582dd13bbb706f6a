"""What a verification rests on."""

from __future__ import annotations

import pytest
from support.orders_service import orders_group

from equilag.certificate.verify import VerificationReport
from equilag.report.reports.verification import CheckReport


@pytest.mark.parametrize(
    ("report", "evidence"),
    [
        (VerificationReport(proved=["x"]), "checked"),
        (VerificationReport(proved=["x"], unproved=["y"]), "solver"),
        (VerificationReport(["lag.max: 3, not 4"], ["y"]), None),
    ],
)
def test_what_it_rests_on(report: VerificationReport, evidence: str | None) -> None:
    document = CheckReport(orders_group(), "p", report, {"name": "lag-aware"}).document()
    assert (document["evidence"], document["policy"]) == (evidence, {"name": "lag-aware"})
    unreadable = CheckReport(orders_group(), "p", report, "lag-aware")
    assert unreadable.document()["policy"] is None
