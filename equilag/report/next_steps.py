"""What a reader does with a plan that helps."""

from __future__ import annotations

import shlex

from equilag.report.words import printable


def next_steps(group: str) -> tuple[str, ...]:
    """Sentences, and a command, which begins with ``equilag``."""
    name = shlex.quote(printable(group)) if group else "GROUP"
    return (
        "No tool can load a plan into a running group; equilag can lead it. What it would do:",
        f"equilag steward --bootstrap-server HOST:PORT --group {name} --dry-run",
        "Consumers in Python can have equilag's assignor instead (docs/live.md).",
    )
