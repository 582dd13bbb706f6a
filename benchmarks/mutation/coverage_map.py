"""Which test runs which line, and how long each test takes: one run of the unit tests.

    python -m benchmarks.mutation.coverage_map

writes .cache/mutation/coverage_map.json in the current checkout. It takes the tests that are there
of the old layout (a room of tests per room) and of the new one (ten rooms).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from coverage import CoverageData

from benchmarks.mutation import say
from benchmarks.mutation.pytest_plugin import TIMINGS

CACHE = Path(".cache/mutation")
MAP = CACHE / "coverage_map.json"
ROOMS = (
    *("certificate", "heuristics", "planner", "solver", "conformance", "domain"),
    *("constraint", "exhaustive", "reduction", "overrides", "move_reasons", "worth", "simulation"),
)
# Tests of the house, not of what it does.
NOT_UNITS = {
    "test_architecture.py",
    "test_changed_rooms.py",
    "test_contributing.py",
    "test_coverage_gate.py",
    "test_docs.py",
    "test_durations.py",
    "test_grouping.py",
    "test_house.py",
    "test_limits.py",
    "test_packaging.py",
    "test_page_pictures.py",
}
MARKS = "not long and not live and not spark and not broker and not browser"
OPTIONS = ("-q", "-m", MARKS, "-p", "no:cacheprovider")
_SETTINGS = """[run]
source_pkgs = equilag
data_file = {data}
"""


@dataclass(frozen=True, slots=True)
class CoverageMap:
    """The passing tests with their seconds and number of files, and who runs which line."""

    tests: list[str]
    seconds: list[float]
    files: list[int]
    # By path and line: positions in `tests`.
    lines: dict[str, dict[str, list[int]]]
    # By path: the lines that run when the module is imported.
    imported: dict[str, list[int]]

    def runners(self, path: str, first: int, last: int) -> set[int]:
        """The tests that run one of these lines."""
        lines = self.lines.get(path, {})
        return {test for line in range(first, last + 1) for test in lines.get(str(line), ())}

    def runners_of(self, start: str) -> set[int]:
        """The tests that run any line of these files after their import."""
        paths = [path for path in self.lines if path.startswith(start)]
        return {t for path in paths for tests in self.lines[path].values() for t in tests}

    def covering(self, path: str, first: int, last: int) -> set[int]:
        """The tests of some lines; of lines at import, those of the file, else of its folder."""
        if tests := self.runners(path, first, last):
            return tests
        if not set(self.imported.get(path, ())) & set(range(first, last + 1)):
            return set()
        return self.runners_of(path) or self.runners_of(str(Path(path).parent))


def selected_tests() -> list[str]:
    """The folders and files of unit tests that this checkout has."""
    rooms = [f"tests/{room}" for room in ROOMS if Path("tests", room).is_dir()]
    files = sorted(str(path) for path in Path("tests").glob("test_*.py"))
    return rooms + [path for path in files if Path(path).name not in NOT_UNITS]


def collected_tests() -> list[str]:
    """The node ids of the selected tests."""
    command = [sys.executable, "-m", "pytest", *OPTIONS, "--collect-only", *selected_tests()]
    run = subprocess.run(
        command, env=environment(Path.cwd()), capture_output=True, text=True, check=True
    )
    return [line for line in run.stdout.splitlines() if line.startswith("tests/")]


def environment(root: Path) -> dict[str, str]:
    """What a run of tests sees: this checkout first, and the same examples in every run."""
    return {**os.environ, "PYTHONPATH": str(root), "CI": "1", "OPENBLAS_NUM_THREADS": "1"}


def make_map() -> CoverageMap:
    """Run the tests under coverage with a context per test, and keep the map."""
    root = Path.cwd()
    # A shell's background job ignores it, and tests interrupt processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    CACHE.mkdir(parents=True, exist_ok=True)
    timings, data, rc = CACHE / "timings.jsonl", CACHE / "coverage", CACHE / "coveragerc"
    for path in (timings, data):
        path.unlink(missing_ok=True)
    rc.write_text(_SETTINGS.format(data=root / data), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-n", "2"]
    command += [
        "-p",
        "benchmarks.mutation.pytest_plugin",
        "--cov",
        f"--cov-config={rc}",
        "--cov-context=test",
        "--cov-report=",
    ]
    seen = {**environment(root), TIMINGS: str(root / timings)}
    subprocess.run([*command, *selected_tests()], env=seen, check=False)
    made = read_map(root, timings, data)
    MAP.write_text(json.dumps(asdict(made)), encoding="utf-8")
    return made


def read_map(root: Path, timings: Path, data: Path) -> CoverageMap:
    """The map from what pytest and coverage wrote."""
    rows = [json.loads(line) for line in timings.read_text(encoding="utf-8").splitlines()]
    passed = {name: seconds for name, seconds, outcome in rows if outcome == "passed"}
    failed = sorted({name for name, _, outcome in rows if outcome == "failed"})
    for name in failed:
        say(f"fails without a mutant, left out: {name}")
    names = sorted(passed)
    number = {name: position for position, name in enumerate(names)}
    covered = CoverageData(str(data))
    covered.read()
    lines: dict[str, dict[str, list[int]]] = {}
    files: dict[int, set[str]] = defaultdict(set)
    imported: dict[str, list[int]] = {}
    for file in covered.measured_files():
        path = str(Path(file).relative_to(root))
        found: dict[str, list[int]] = {}
        by_line = covered.contexts_by_lineno(file)
        imported[path] = sorted(line for line, contexts in by_line.items() if "" in contexts)
        for line, contexts in by_line.items():
            tests = {number[name] for c in contexts if (name := c.rpartition("|")[0]) in number}
            for test in tests:
                files[test].add(path)
            if tests:
                found[str(line)] = sorted(tests)
        lines[path] = found
    return CoverageMap(
        tests=names,
        seconds=[passed[name] for name in names],
        files=[len(files[position]) for position in range(len(names))],
        lines=lines,
        imported=imported,
    )


def load_map() -> CoverageMap:
    """The map of an earlier run."""
    return CoverageMap(**json.loads(MAP.read_text(encoding="utf-8")))


if __name__ == "__main__":
    made_map = make_map()
    say(f"{len(made_map.tests)} tests, {sum(made_map.seconds):.0f} s of tests: {MAP}")
