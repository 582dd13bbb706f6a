"""``equilag`` and ``python -m equilag``: the command line."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""As in `equilag.cli`, which may not be there yet."""


def main() -> int:
    """Run the command of `sys.argv`; the exit status, also for Ctrl-C while modules are loaded."""
    try:
        from equilag.cli import main as run

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
