"""Which mutants the unit tests kill: once as a baseline, and again after files have moved.

    nice -n 5 python -m benchmarks.mutation.run
    nice -n 5 python -m benchmarks.mutation.run --again benchmarks/mutation/baseline.json

The first writes baseline.json, and goes on where an earlier run of it was ended. The second, in a
checkout with other files and other tests, finds the mutants that were killed and runs the test of
the same name as the one that killed each. What survives that meets the tests that cover it, by a
new map of coverage. It lists the mutants that survive now and those whose code is gone, and exits
with 1 if there are survivors. `--map` takes the map of an earlier run of this checkout, `--only`
some mutants by number. A mutant is killed if a test that covers it fails, or takes 10 times as
long as usual and 5 seconds more; it survives if none does until the cap.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.mutation import say
from benchmarks.mutation.coverage_map import (
    CACHE,
    MAP,
    CoverageMap,
    collected_tests,
    load_map,
    make_map,
)
from benchmarks.mutation.draw import BASE, Mutant, Place, Tree, load, renames
from benchmarks.mutation.fork_server import Job, run_jobs

BASELINE = Path("benchmarks/mutation/baseline.json")
AGAIN = CACHE / "again.json"
CAP = 20.0
WORSE = ("survived", "uncovered")
_BATCH = 50
_MAX_TESTS = 150
_OF_ONE_FUNCTION = 3  # tests of one function before those of the next function


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a mutant."""

    id: int
    path: str
    line: int
    # killed, survived, uncovered or gone
    status: str
    how: str
    test: str
    seconds: float


def function_of(test: str) -> str:
    """The name of the test function, wherever its file is."""
    return test.rpartition("::")[2].partition("[")[0]


def covering_tests(covered: CoverageMap, place: Place, killer: str) -> list[str]:
    """The tests to run: the killer of last time, then those that cover few files, then fast ones.

    Some parameters of each function come before the others, up to the cap of seconds.
    """
    tests = covered.covering(place.path, place.first, place.last)
    seen: Counter[str] = Counter()
    ranked = []
    for test in sorted(tests, key=lambda test: (covered.files[test], covered.seconds[test])):
        name = covered.tests[test]
        function = function_of(name)
        again = killer and function == function_of(killer)
        turn = -1 if again else seen[function] // _OF_ONE_FUNCTION
        seen[function] += 1
        ranked.append((turn, covered.files[test], covered.seconds[test], name))
    chosen: list[str] = []
    left = CAP
    for _, _, seconds, name in sorted(ranked):
        if not chosen or seconds <= left:
            chosen.append(name)
            left -= seconds
    return chosen[:_MAX_TESTS]


def tests_like(killer: str, tests: list[str]) -> list[str]:
    """The killer of last time, wherever it is now, and a few others of its name; else any test."""
    named = [test for test in tests if function_of(test) == function_of(killer)]
    same = [test for test in named if test.rpartition("::")[2] == killer.rpartition("::")[2]]
    others = [test for test in named if test not in same]
    return same + others[:_OF_ONE_FUNCTION] or tests[:1]


def run(
    mutants: list[Mutant], choose: Callable[[Mutant, Place], list[str]], usual: dict[str, float]
) -> dict[int, Result]:
    """Place the mutants in this checkout and run the tests that are chosen for them."""
    tree = Tree(Path(), renames())
    results: dict[int, Result] = {}
    jobs = {}
    for mutant in mutants:
        place = tree.find(mutant)
        if place is None:
            results[mutant.id] = Result(mutant.id, mutant.path, mutant.line, "gone", "", "", 0.0)
        elif tests := choose(mutant, place):
            jobs[mutant.id] = Job(mutant.id, place, tests, usual, CAP)
        else:
            uncovered = Result(mutant.id, place.path, place.first, "uncovered", "", "", 0.0)
            results[mutant.id] = uncovered
    results |= _results(jobs)
    # A test that fails without a mutant, too, has killed nothing.
    killers = {result.test for result in results.values() if result.test}
    unreliable = _failing_anyway(killers, usual)
    doubted = {}
    for key, job in jobs.items():
        if results[key].test in unreliable:
            tests = [test for test in job.tests if test not in unreliable]
            results[key] = replace(results[key], status="uncovered", how="", test="")
            doubted[key] = replace(job, tests=tests)
    return results | _results({key: job for key, job in doubted.items() if job.tests})


def run_with_map(
    mutants: list[Mutant], covered: CoverageMap, killers: dict[int, str]
) -> dict[int, Result]:
    """Run the tests that cover the mutants."""
    usual = dict(zip(covered.tests, covered.seconds, strict=True))
    return run(mutants, lambda m, at: covering_tests(covered, at, killers.get(m.id, "")), usual)


def _results(jobs: dict[int, Job]) -> dict[int, Result]:
    results = {}
    for outcome in run_jobs(jobs.values()):
        place = jobs[outcome.key].place
        assert place is not None
        status = "survived" if outcome.how == "passed" else "killed"
        test = outcome.failed[0] if outcome.failed else ""
        results[outcome.key] = Result(
            outcome.key, place.path, place.first, status, outcome.how, test, outcome.seconds
        )
        say(f"{len(results)}/{len(jobs)} {outcome.key} {outcome.how} {outcome.seconds} s {test}")
    return results


def _failing_anyway(tests: set[str], usual: dict[str, float]) -> set[str]:
    ordered = sorted(tests)
    jobs = [
        Job(number, None, ordered[start : start + 40], usual, 1e9, stop_at_failure=False)
        for number, start in enumerate(range(0, len(ordered), 40))
    ]
    failing = {test for outcome in run_jobs(jobs) for test in outcome.failed}
    for test in sorted(failing):
        say(f"fails without a mutant: {test}")
    return failing


def summary(results: list[Result]) -> dict[str, dict[str, int]]:
    """How many of each status, by file, with a row for all."""
    rows: dict[str, Counter[str]] = {"all": Counter()}
    for result in results:
        rows["all"][result.status] += 1
        rows.setdefault(result.path, Counter())[result.status] += 1
    return {path: dict(sorted(row.items())) for path, row in rows.items()}


def patch(mutant: Mutant, result: Result) -> str:
    """The mutant as a reader wants to see it."""
    lines = [f"mutant {mutant.id}, {mutant.operator}: {result.path}:{result.line}"]
    lines += [f"    {mutant.path}, {mutant.qualname or 'the module'}"]
    lines += [f"  - {line}" for line in mutant.old] + [f"  + {line}" for line in mutant.new]
    return "\n".join(lines)


def make_baseline(mutants: list[Mutant], covered: CoverageMap) -> list[Result]:
    """Run the mutants that baseline.json does not have yet, and write it after every batch."""
    done = {row.id: row for row in read_results(BASELINE)} if BASELINE.exists() else {}
    left = [mutant for mutant in mutants if mutant.id not in done]
    for start in range(0, len(left), _BATCH):
        done |= run_with_map(left[start : start + _BATCH], covered, {})
        write_results(BASELINE, list(done.values()))
    return list(done.values())


def run_again(
    mutants: list[Mutant], killers: dict[int, str], covered: Callable[[], CoverageMap]
) -> list[Result]:
    """Run the killers of last time, then the covering tests where these do not kill."""
    tests = collected_tests()
    found = run(mutants, lambda mutant, _: tests_like(killers[mutant.id], tests), {})
    left = [mutant for mutant in mutants if found[mutant.id].status in WORSE]
    if left:
        found |= run_with_map(left, covered(), killers)
    write_results(AGAIN, list(found.values()))
    return list(found.values())


def read_results(path: Path) -> list[Result]:
    """The results in a file."""
    rows = json.loads(path.read_text(encoding="utf-8"))["mutants"]
    return [Result(**row) for row in rows]


def write_results(path: Path, results: list[Result]) -> None:
    """Write results by number, with how many there are of each status."""
    ordered = sorted(results, key=lambda result: result.id)
    rows = ",\n  ".join(json.dumps(asdict(result)) for result in ordered)
    head = f'{{\n "base": "{BASE}",\n "summary": {json.dumps(summary(ordered), indent=1)},'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{head}\n "mutants": [\n  {rows}\n ]\n}}\n', encoding="utf-8")


def main() -> int:
    """Make the baseline, or hold this checkout against it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", type=Path, metavar="BASELINE")
    parser.add_argument("--map", action="store_true", help="take the map of an earlier run")
    parser.add_argument("--only", type=int, nargs="+", metavar="ID")
    options = parser.parse_args()
    started = time.monotonic()
    mutants = [one for one in load() if not options.only or one.id in options.only]
    covered = load_map if options.map and MAP.exists() else make_map
    killers: dict[int, str] = {}
    if options.again:
        before = read_results(options.again)
        killers = {result.id: result.test for result in before if result.status == "killed"}
        mutants = [mutant for mutant in mutants if mutant.id in killers]
        results = run_again(mutants, killers, covered)
    else:
        results = make_baseline(mutants, covered())
    say(f"{summary(results)['all']} in {time.monotonic() - started:.0f} s")
    by_id = {mutant.id: mutant for mutant in mutants}
    worse = [result for result in results if result.status in WORSE and result.id in killers]
    for result in [result for result in results if result.status == "gone"] + worse:
        say(f"{result.status} now, killed before by {killers.get(result.id)}")
        say(patch(by_id[result.id], result))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
