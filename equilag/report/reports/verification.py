"""The report on a verification: a line per finding, or a line per claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from equilag.certificate.verify import VerificationReport
from equilag.domain.figures import form, plural, printable
from equilag.domain.group.group import Group
from equilag.report.report_blocks import Block, Lines, Report
from equilag.report.words.extended import breaks

FORMAT: Final = "equilag/verification/1"
NOT_CHECKED: Final = "(verdict and reasons are not checked)"
"""They explain a plan and prove nothing."""


class CheckReport(Report):
    """What `verify` found in a plan, or what it proved again."""

    kind = "verification"

    def __init__(self, group: Group, plan: str, found: VerificationReport, policy: object) -> None:
        """`plan` is what the plan's file is called, `policy` what it states as its settings."""
        self.group, self.plan, self.found = group, plan, found
        self.policy = dict(policy) if isinstance(policy, Mapping) else None

    def document(self) -> dict[str, Any]:
        found = self.found
        evidence = None if found.findings else "solver" if found.unproved else "checked"
        return {
            "format": FORMAT,
            "plan": self.plan,
            "group": self.group.name,
            "policy": self.policy,
            "holds": found.holds,
            "evidence": evidence,
            "findings": list(found.findings),
            "proved": list(found.proved),
            "unproved": list(found.unproved),
            **({"breaks": found.broken.to_dict()} if found.broken else {}),
        }

    def parts(self) -> Iterator[Block]:
        wrong = [f"does not hold: {one}" for one in self.found.findings]
        yield Lines(tuple(map(printable, wrong or self._holds())))

    def _holds(self) -> Iterator[str]:
        proved, unproved, broken = self.found.proved, self.found.unproved, self.found.broken
        sizes = f"{plural(self.group.n_partitions, 'partition')} of group {self.group.name}"
        yield f"holds: {self.plan}: {sizes}; all checked figures agree {NOT_CHECKED}"
        yield from (f"holds: proved again: {text}" for text in proved)
        yield from (f"holds, but not proved again: {text}" for text in unproved)
        if broken:
            yield f"! {breaks(**broken.to_dict())}"
        ok = "OK as a heuristic's plan, but it breaks rules of the group" if broken else "OK: valid"
        if not proved and not unproved:
            yield f"{ok}; the plan makes no claim about how good it is"
            return
        text = f"{len(proved)} of {plural(len(proved) + len(unproved), 'claim')} re-proved"
        rests = f"{len(unproved)} {form(len(unproved), 'rests', 'rest')} on the solver's word"
        yield f"{ok}; {text}, {rests}" if unproved else f"{ok}; {text}"
