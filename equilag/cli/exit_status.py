"""The exit statuses of the commands."""

from __future__ import annotations

from typing import Final

FINE: Final = 0
ACT: Final = 10
"""From `plan --check`: there is something to do."""
BAD_INPUT: Final = 2
"""Exit statuses that the contract names."""
DEFECT: Final = 70
"""Something that equilag itself says cannot be (EX_SOFTWARE of sysexits)."""
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""What a shell reports for a program that SIGPIPE ended."""
