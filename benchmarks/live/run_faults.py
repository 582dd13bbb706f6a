"""Random faults in live groups, for as long as wanted.

    python -m benchmarks.live.run_faults [--seconds 3600] [--only outages] [--groups KIP-848 …]
        [--seed 1]

Runs tests/integration/live/test_faults.py, which writes .cache/live/faults.json, with what it was
limited to in the name. Exits with pytest's status.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Final

from benchmarks.kafka_broker import CHECKOUT

TEST: Final = "tests/integration/live/test_faults.py"
SHARE: Final = 12
"""The test takes so many times the seconds of LIVE_SOAK_S, which shortens all live tests."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live.run_faults")
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--only", choices=("all", "outages"), default="all")
    parser.add_argument("--groups", nargs="*", default=[], metavar="PROTOCOL")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(arguments)
    environment = {
        **os.environ,
        "LIVE_SOAK_S": str(args.seconds / SHARE),
        "LIVE_FAULTS": args.only,
        "LIVE_GROUPS": ",".join(args.groups),
        "LIVE_SEED": str(args.seed),
    }
    no_limit = ("-o", "faulthandler_timeout=0")
    command = [sys.executable, "-m", "pytest", "-q", "-m", "live", *no_limit, TEST]
    return subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
