"""Which mutants the unit tests kill: once as a baseline, and again after files have moved.

    nice -n 5 python -m benchmarks.mutation.run
    nice -n 5 python -m benchmarks.mutation.run --again benchmarks/mutation/baseline.json

The first writes baseline.json. The second, in a checkout with other files and other tests, finds
the mutants that were killed, makes a new map of coverage, runs them, and lists those that survive
now and those whose code is gone; it exits with 1 if there are any survivors. `--map` takes the map
of an earlier run of this checkout, `--only` some mutants by number. A mutant is killed if a test
that covers it fails, or takes 10 times as long as usual and 5 seconds more; it survives if none
does until the cap.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.mutation import say
from benchmarks.mutation.coverage_map import CACHE, MAP, CoverageMap, load_map, make_map
from benchmarks.mutation.draw import BASE, Mutant, Place, Tree, load, renames
from benchmarks.mutation.fork_server import Job, run_jobs

BASELINE = Path("benchmarks/mutation/baseline.json")
AGAIN = CACHE / "again.json"
CAP = 20.0
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


def chosen_tests(covered: CoverageMap, place: Place, killer: str, cap: float) -> list[str]:
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
        exact = again and name.rpartition("::")[2] == killer.rpartition("::")[2]
        turn = -2 if exact else -1 if again else seen[function] // _OF_ONE_FUNCTION
        seen[function] += 1
        ranked.append((turn, covered.files[test], covered.seconds[test], name))
    chosen: list[str] = []
    left = cap
    for _, _, seconds, name in sorted(ranked):
        if not chosen or seconds <= left:
            chosen.append(name)
            left -= seconds
    return chosen[:_MAX_TESTS]


def run(mutants: list[Mutant], covered: CoverageMap, killers: dict[int, str]) -> list[Result]:
    """Place the mutants in this checkout and run the tests that cover them."""
    tree, usual = Tree(Path(), renames()), dict(zip(covered.tests, covered.seconds, strict=True))
    results: dict[int, Result] = {}
    jobs = {}
    for mutant in mutants:
        place = tree.find(mutant)
        if place is None:
            results[mutant.id] = Result(mutant.id, mutant.path, mutant.line, "gone", "", "", 0.0)
            continue
        tests = chosen_tests(covered, place, killers.get(mutant.id, ""), CAP)
        if tests:
            jobs[mutant.id] = Job(mutant.id, place, tests, usual, CAP)
        else:
            uncovered = Result(mutant.id, place.path, place.first, "uncovered", "", "", 0.0)
            results[mutant.id] = uncovered
    results |= _results(jobs)
    # A test that fails without a mutant, too, has killed nothing.
    unreliable = _failing_anyway({result.test for result in results.values()} & set(usual), usual)
    doubted = {
        key: Job(key, job.place, [t for t in job.tests if t not in unreliable], usual, CAP)
        for key, job in jobs.items()
        if results[key].test in unreliable
    }
    results |= _results({key: job for key, job in doubted.items() if job.tests})
    return [results[key] for key in sorted(results)]


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
        say(f"{len(results)}/{len(jobs)} {outcome.key} {status} {outcome.seconds} s {test}")
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


def main() -> int:
    """Make the baseline, or hold this checkout against it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", type=Path, metavar="BASELINE")
    parser.add_argument("--map", action="store_true", help="take the map of an earlier run")
    parser.add_argument("--only", type=int, nargs="+", metavar="ID")
    options = parser.parse_args()
    started = time.monotonic()
    mutants, killers = load(), {}
    if options.again:
        before = json.loads(options.again.read_text(encoding="utf-8"))["mutants"]
        killers = {row["id"]: row["test"] for row in before if row["status"] == "killed"}
        mutants = [mutant for mutant in mutants if mutant.id in killers]
    if options.only:
        mutants = [mutant for mutant in mutants if mutant.id in options.only]
    covered = load_map() if options.map and MAP.exists() else make_map()
    results = run(mutants, covered, killers)
    seconds = round(time.monotonic() - started)
    written = AGAIN if options.again or options.only else BASELINE
    rows = [asdict(result) for result in results]
    document = {"base": BASE, "seconds": seconds, "summary": summary(results), "mutants": rows}
    written.parent.mkdir(parents=True, exist_ok=True)
    written.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    say(f"{summary(results)['all']} in {seconds} s: {written}")
    if not options.again:
        return 0
    by_id = {mutant.id: mutant for mutant in mutants}
    worse = [result for result in results if result.status in ("survived", "uncovered")]
    for result in [result for result in results if result.status == "gone"] + worse:
        say(f"{result.status} now, killed before by {killers[result.id]}")
        say(patch(by_id[result.id], result))
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
