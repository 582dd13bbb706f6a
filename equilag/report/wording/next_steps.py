"""What a reader does with a plan that helps."""

from __future__ import annotations

import shlex

from equilag.report.wording.words import printable


def next_steps(group: str) -> tuple[str, ...]:
    """Sentences, and a command, which begins with ``equilag``."""
    name = shlex.quote(printable(group)) if group else "GROUP"
    return (
        (
            "Kafka has no command that loads a plan into a group: its leading member assigns."
            " equilag's steward joins as that member. What it would do:"
        ),
        f"equilag steward --bootstrap-server HOST:PORT --group {name} --dry-run",
        (
            "Without --dry-run it assigns; consumers in any language stay as they are. Consumers in"
            " Python can have equilag's assignor instead. docs/live.md says what it takes."
        ),
    )
