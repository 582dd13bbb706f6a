"""What `verify` found in a plan, or what it proved again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from equilag.certificate.verify import VerificationReport
    from equilag.group import Group


@dataclass(frozen=True, slots=True)
class VerificationFacts:
    kind: ClassVar[str] = "verification"
    size: ClassVar[int] = 0

    plan: str
    """The plan's file."""
    group: str
    partitions: int
    findings: tuple[str, ...]
    """What is wrong; empty if the plan holds."""
    proved: tuple[str, ...]
    """Claims that were proved again without a solver."""
    unproved: tuple[str, ...]
    """Claims that rest on a solver's word."""

    @property
    def holds(self) -> bool:
        return not self.findings

    def document(self) -> dict[str, Any]:
        return {
            "plan": self.plan,
            "group": self.group,
            "holds": self.holds,
            "findings": list(self.findings),
            "proved": list(self.proved),
            "unproved": list(self.unproved),
        }


def verification_facts(group: Group, plan: str, report: VerificationReport) -> VerificationFacts:
    return VerificationFacts(
        plan,
        group.name,
        group.n_partitions,
        tuple(report.findings),
        tuple(report.proved),
        tuple(report.unproved),
    )
