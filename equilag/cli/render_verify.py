"""What `verify` says: each finding, or what holds and on what it rests."""

from __future__ import annotations

from equilag.certificate.verify import VerificationReport
from equilag.cli.text import plural, printable
from equilag.group import Group


def render_verify(group: Group, name: str, report: VerificationReport) -> str:
    """A line per finding if there are any; else a line per claim."""
    if not report.holds:
        lines = [f"does not hold: {finding}" for finding in report.findings]
    else:
        sizes = f"{plural(group.n_partitions, 'partition')} of group {group.name}"
        lines = [
            f"holds: {name}: {sizes}, each with a subscriber if there is one; all figures agree",
            *(f"holds: proved again: {text}" for text in report.proved),
            *(f"holds, but not proved again: {text}" for text in report.unproved),
        ]
        if not report.proved and not report.unproved:
            lines.append("holds: the plan makes no claim about how good it is")
    return "".join(f"{printable(line)}\n" for line in lines)
