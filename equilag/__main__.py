"""``equilag`` and ``python -m equilag``: the command line."""

from __future__ import annotations

import sys

INTERRUPTED, DEFECT = 130, 70
"""As in `equilag.cli`, which may not be loaded yet."""


def main() -> int:
    """Run the command of `sys.argv`; the exit status, also for Ctrl-C while modules are loaded. A
    defect shows where it is; its status is none that a command may have."""
    try:
        from equilag.cli import main as run

        return run()
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:  # noqa: BLE001
        import traceback

        traceback.print_exc()
        return DEFECT


if __name__ == "__main__":
    sys.exit(main())
