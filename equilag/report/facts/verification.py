"""What `verify` found in a plan, or what it proved again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from equilag.broken_rules import BrokenRules
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
    broken: BrokenRules | None = None
    """What the plan of a heuristic breaks of the group's rules; None if nothing."""

    @property
    def holds(self) -> bool:
        return not self.findings

    def document(self) -> dict[str, Any]:
        broken = {} if self.broken is None else {"breaks": self.broken.numbers()}
        return {
            "plan": self.plan,
            "group": self.group,
            "holds": self.holds,
            "findings": list(self.findings),
            "proved": list(self.proved),
            "unproved": list(self.unproved),
            **broken,
        }


def verification_facts(group: Group, plan: str, report: VerificationReport) -> VerificationFacts:
    return VerificationFacts(
        plan,
        group.name,
        group.n_partitions,
        tuple(report.findings),
        tuple(report.proved),
        tuple(report.unproved),
        report.broken or None,
    )
