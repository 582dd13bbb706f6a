"""``python -m equilag``: the command line."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""As in `equilag.cli`, which may not be there yet."""

if __name__ == "__main__":
    try:
        from equilag.cli import main

        status = main()
    except KeyboardInterrupt:  # Ctrl-C while modules are loaded
        status = INTERRUPTED
    sys.exit(status)
