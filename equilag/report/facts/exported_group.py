"""The files that `equilag fleet export` has written for a group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from equilag.domain.plan.plan import Plan

FORMAT: Final = "equilag/fleet-export/1"


@dataclass(frozen=True, slots=True)
class ExportedGroupFacts:
    kind: ClassVar[str] = "fleet-export"
    size: ClassVar[int] = 0

    directory: str
    """The directory of the run."""
    snapshot_file: str
    plan_file: str
    plan: Plan
    verify_command: str
    """A shell command that checks the plan; it works in the directory where the export ran."""
    plan_command: str
    """A shell command that makes the plan again."""

    def document(self) -> dict[str, Any]:
        plan = self.plan
        return {
            "format": FORMAT,
            "group": plan.group.name,
            "directory": self.directory,
            "policy": plan.settings,
            "status": plan.status,
            "evidence": plan.evidence,
            "snapshot_file": self.snapshot_file,
            "plan_file": self.plan_file,
            "commands": {"verify": self.verify_command, "plan": self.plan_command},
        }
