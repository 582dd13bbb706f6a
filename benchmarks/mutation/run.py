"""Which mutants of some modules their tests kill.

    nice -n 5 python -m benchmarks.mutation.run equilag/certificate --tests tests/certificate

Draws mutants by seed, a share for each file in proportion to its sites, and writes one after the
other into a copy of the checkout, where the tests run until the first one fails. A mutant is killed
if a test fails, or if the tests take MAX_SLOWDOWN times as long as without it. Those that survive
are listed; exits with 1 if there are any. To see whether tests got weaker, run it with the same
modules and seed before and after.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.mutation.operators import Site, mutated, sites

MAX_SLOWDOWN: Final = 3
"""A mutant that loops is told from a machine that is busy."""


class Mutant(NamedTuple):
    """One change of one file."""

    path: Path
    text: str
    """Of the file without it."""
    site: Site

    def __str__(self) -> str:
        line = self.text.count("\n", 0, self.site.start)
        last = self.text.count("\n", 0, self.site.end)
        old = self.text.splitlines()[line : last + 1]
        behind = len(self.text.splitlines()) - last - 1
        changed = mutated(self.text, self.site).splitlines()
        new = changed[line : len(changed) - behind]
        head = f"{self.path}:{line + 1} {self.site.qualname}, {self.site.operator}"
        return "\n".join([head, *(f"  - {one}" for one in old), *(f"  + {one}" for one in new)])


def draw(modules: Sequence[Path], count: int, seed: int) -> list[Mutant]:
    """Mutants of all files, in their order."""
    files = [file for one in modules for file in (sorted(one.rglob("*.py")) or [one])]
    found = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        found += [Mutant(file, text, site) for site in sites(text)]
    step, first = len(found) / max(1, min(count, len(found))), random.Random(seed).random()
    return [found[int((n + first) * step)] for n in range(min(count, len(found)))]


def copy_of_checkout(folder: Path) -> None:
    """What git knows of, as it is now."""
    listed = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        if Path(name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, folder / name)


def passes(folder: Path, tests: Sequence[str], limit: float | None) -> bool:
    """True if all tests pass in the copy, within a limit in seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return False
    return ran.returncode == 0


def main() -> int:
    """Run the tests on each mutant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+", type=Path)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=24)
    options = parser.parse_args()
    mutants = draw(options.modules, options.count, options.seed)
    survivors = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        copy_of_checkout(folder)
        started = time.monotonic()
        if not passes(folder, options.tests, None):
            parser.error("the tests fail without a mutant")
        limit = MAX_SLOWDOWN * (time.monotonic() - started) + 5
        for mutant in mutants:
            place = folder / mutant.path
            place.write_text(mutated(mutant.text, mutant.site), encoding="utf-8")
            if passes(folder, options.tests, limit):
                survivors += 1
                sys.stdout.write(f"{mutant}\n")
                sys.stdout.flush()
            place.write_text(mutant.text, encoding="utf-8")
    sys.stdout.write(f"{len(mutants) - survivors} of {len(mutants)} mutants killed\n")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main())
