"""Draw the pictures of the README: python -m benchmarks.pictures.draw [--out docs/pictures]."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import equilag
from benchmarks.pictures.group_picture import DARK, LIGHT, alternative_text, group_picture

CHECKOUT: Final = Path(__file__).parents[2]
SAMPLE: Final = CHECKOUT / "samples" / "token-indexer.snapshot.json"
EFFORT: Final = 0.5
"""That of the README's command, so that both have the same plan."""
TIME_LIMIT: Final = 60.0
"""Seconds: long enough that the clock does not end the run."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write both pictures of the sample group, and print the text that stands for them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=CHECKOUT / "docs" / "pictures")
    out: Path = parser.parse_args(argv).out
    group = equilag.load_snapshot(SAMPLE)
    plan = equilag.solve(group, effort=EFFORT, time_limit=TIME_LIMIT)
    out.mkdir(parents=True, exist_ok=True)
    for name, palette in (("light", LIGHT), ("dark", DARK)):
        (out / f"token-indexer-{name}.svg").write_bytes(group_picture(group, plan, palette))
    sys.stdout.write(alternative_text(group, plan) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
