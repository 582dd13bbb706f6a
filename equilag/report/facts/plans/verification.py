"""What `verify` found in a plan, or what it proved again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from equilag.certificate.verify import VerificationReport
    from equilag.domain.group.group import Group
    from equilag.domain.plan.broken_rules import BrokenRules
    from equilag.domain.plan.claim import Evidence

FORMAT: Final = "equilag/verification/1"


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

    policy: Mapping[str, Any] | None = None
    """The settings as the plan states them; None where they cannot be read."""

    @property
    def holds(self) -> bool:
        return not self.findings

    @property
    def evidence(self) -> Evidence | None:
        """``checked`` if every claim was proved again; None if the plan does not hold."""
        if self.findings:
            return None
        return "solver" if self.unproved else "checked"

    def document(self) -> dict[str, Any]:
        broken = {} if self.broken is None else {"breaks": self.broken.to_dict()}
        return {
            "format": FORMAT,
            "plan": self.plan,
            "group": self.group,
            "policy": None if self.policy is None else dict(self.policy),
            "holds": self.holds,
            "evidence": self.evidence,
            "findings": list(self.findings),
            "proved": list(self.proved),
            "unproved": list(self.unproved),
            **broken,
        }


def verification_facts(
    group: Group, plan: str, report: VerificationReport, policy: object = None
) -> VerificationFacts:
    """`policy` is what the plan states as its settings."""
    return VerificationFacts(
        plan,
        group.name,
        group.n_partitions,
        tuple(report.findings),
        tuple(report.proved),
        tuple(report.unproved),
        report.broken or None,
        policy if isinstance(policy, Mapping) else None,
    )
