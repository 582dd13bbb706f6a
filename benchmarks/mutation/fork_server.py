"""Runs tests on mutated copies of the checkout: two children at once, forked after slow imports.

The parent has imported third-party packages but nothing of equilag. Each child works in a copy of
the checkout in which one file is rewritten, so that processes that tests start see the mutant, too.
A test that takes more than 10 times as long as usual and 5 seconds ends its child by SIGALRM.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.mutation import pytest_plugin
from benchmarks.mutation.coverage_map import OPTIONS, environment
from benchmarks.mutation.draw import Place

SLOW_IMPORTS = (
    *("numpy", "pandas", "networkx", "jinja2", "rich.live", "jsonschema", "hypothesis"),
    *("ortools.sat.python.cp_model", "ortools.graph.python.min_cost_flow"),
)
_FIRST_TESTS = 12  # run before the files of all others are collected
_UNKNOWN_SECONDS = 6.0  # for a test whose usual time is not known
_MEMORY = 6 * 2**30
_COLLECTION_SECONDS = 120.0
_STARTED_AT = int(time.time())


@dataclass(frozen=True, slots=True)
class Job:
    """Tests to run, on a mutant or on the code as it is, and for how long."""

    key: int
    place: Place | None
    tests: list[str]
    usual: dict[str, float]
    cap: float
    stop_at_failure: bool = True


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tests that failed, how the child ended, and how many seconds and tests it took."""

    key: int
    failed: list[str]
    how: str
    seconds: float
    passed: int


class _Guard:
    """In the child: writes what starts and what fails, keeps to the cap, times each test."""

    def __init__(self, job: Job, log: Path) -> None:
        self._job, self._log = job, log
        self._started = time.monotonic()
        self.failed = False
        self.capped = False

    def note(self, event: str, test: str) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps([event, test]) + "\n")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The order that was asked for."""
        order = {test: position for position, test in enumerate(self._job.tests)}
        items.sort(key=lambda item: order.get(item.nodeid, len(order)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Note a test of a module that cannot be imported."""
        if report.failed:
            self.failed = True
            of_module = (test for test in self._job.tests if test.startswith(report.nodeid))
            self.note("failed", next(of_module, self._job.tests[0]))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Start the clock of a test."""
        self.note("started", nodeid)
        signal.setitimer(signal.ITIMER_REAL, 10 * self._job.usual.get(nodeid, _UNKNOWN_SECONDS) + 5)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the first failure."""
        if report.failed:
            self.failed = True
            self.note("failed", report.nodeid)
        elif report.when == "call":
            self.note("passed", report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        """Stop behind this test if the time is up."""
        if time.monotonic() - self._started > self._job.cap:
            self.capped = True
            item.session.shouldstop = "the cap is reached"


def run_jobs(jobs: Iterable[Job], workers: int = 2) -> Iterator[Outcome]:
    """The outcomes of all jobs, as they come."""
    for name in SLOW_IMPORTS:
        importlib.import_module(name)
    waiting = iter(jobs)
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        trees = [_copy(Path(folder, f"tree{number}")) for number in range(workers)]
        running: dict[int, tuple[Job, Path, float]] = {}
        while True:
            while trees and (job := next(waiting, None)):
                tree = trees.pop()
                _write(job, tree)
                running[_fork(job, tree)] = (job, tree, time.monotonic())
            if not running:
                return
            child, status = os.wait()
            job, tree, started = running.pop(child)
            _end_group(child)
            _restore(job, tree)
            trees.append(tree)
            yield _outcome(job, tree, status, time.monotonic() - started)


def _copy(tree: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if Path(name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(name, tree / name)
    return tree


def _write(job: Job, tree: Path) -> None:
    if job.place is not None:
        path = tree / job.place.path
        path.write_text(job.place.text, encoding="utf-8")
        # Compiled files are told apart by seconds and size: each mutant gets its own second.
        os.utime(path, times=(_STARTED_AT + job.key, _STARTED_AT + job.key))


def _restore(job: Job, tree: Path) -> None:
    if job.place is not None:
        shutil.copy2(job.place.path, tree / job.place.path)


def _end_group(child: int) -> None:
    """End what the tests started and left."""
    try:
        os.killpg(child, signal.SIGKILL)
    except ProcessLookupError:
        return


def _fork(job: Job, tree: Path) -> int:
    (tree / "log.jsonl").unlink(missing_ok=True)
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = _in_child(job, tree)
    finally:
        os._exit(code)


def _in_child(job: Job, tree: Path) -> int:
    os.setsid()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    # A shell's background job ignores it, and tests interrupt processes.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    sys.path[:] = [str(tree), *(path for path in sys.path if path not in ("", str(Path.cwd())))]
    os.chdir(tree)
    os.environ.update(environment(tree))
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    guard = _Guard(job, tree / "log.jsonl")
    options = [*OPTIONS, "-p", "no:xdist", "-p", "no:cov"]
    options += ["-o", "faulthandler_timeout=0"]  # the guard has its own limit
    # Hypothesis and our plugin are imported already; that is meant.
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
    options += ["-x"] if job.stop_at_failure else []
    for tests in (job.tests[:_FIRST_TESTS], job.tests[_FIRST_TESTS:]):
        if not tests or guard.capped:
            break
        signal.setitimer(signal.ITIMER_REAL, _COLLECTION_SECONDS)
        code = int(pytest.main([*options, *tests], plugins=[pytest_plugin, guard]))
        signal.setitimer(signal.ITIMER_REAL, 0)
        if code and not guard.capped and not guard.failed:
            guard.note("failed", tests[0])  # a test is not found or pytest does not start
        if guard.failed and job.stop_at_failure:
            break
    return 0


def _outcome(job: Job, tree: Path, status: int, seconds: float) -> Outcome:
    log = tree / "log.jsonl"
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    events = [json.loads(line) for line in lines]
    failed = [test for event, test in events if event == "failed"]
    started = [test for event, test in events if event == "started"]
    passed = sum(event == "passed" for event, _ in events)
    how = "failed" if failed else "passed"
    if os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status):
        endless = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        how = "endless" if endless else "crash"
        failed = failed or [started[-1] if started else job.tests[0]]
    return Outcome(job.key, failed, how, round(seconds, 2), passed)
