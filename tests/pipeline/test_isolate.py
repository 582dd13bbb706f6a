"""The child process: each of its ends is a result, and the next call works."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from support.paths import CHECKOUT

from benchmarks.waiting import until
from equilag.domain.errors import ContradictedBound, InputError, MissingExtra
from equilag.pipeline.isolate import WATCH, ChildProcess, Failure

PATIENT = 30.0
"""Seconds within which every call here ends, even on a slow machine."""


pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs /proc to see which processes live"
)


def fail(error: BaseException) -> None:
    raise error


def endless() -> None:
    while True:
        time.sleep(0.01)


WORK: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "pid": os.getpid,
    "long": lambda n: bytes(n),
    "function": lambda: lambda: None,
    "fail": fail,
    "exit": lambda code: os._exit(code),
    "kill": lambda number: os.kill(os.getpid(), number),
    "endless": endless,
    "recurse": lambda: WORK["recurse"](),
}


def work(name: str, *arguments: Any) -> Any:
    return WORK[name](*arguments)


@pytest.fixture
def child() -> Iterator[ChildProcess]:
    with closing(ChildProcess(work)) as child:
        yield child


def alive(pid: int) -> bool:
    """True if a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_one_process_serves_many_calls(child: ChildProcess) -> None:
    pids = {child.call(("pid",), PATIENT) for _ in range(5)}
    assert len(pids) == 1
    assert os.getpid() not in pids


def test_no_process_before_the_first_call_and_none_after_the_last() -> None:
    with closing(ChildProcess(work)):
        pass
    with closing(ChildProcess(work)) as child:
        pid = child.call(("pid",), PATIENT)
        assert alive(pid)
    assert not alive(pid)


def test_answers_and_arguments_longer_than_a_pipe(child: ChildProcess) -> None:
    assert len(child.call(("long", 5_000_000), PATIENT)) == 5_000_000
    text = "x" * 3_000_000
    assert child.call(("add", text, text), PATIENT) == text + text


ENDS: list[tuple[tuple[Any, ...], str, str]] = [
    (("fail", InputError("wrong", "lags", "file")), "input", "file: lags: wrong"),
    (("fail", MissingExtra("not there")), "input", "not there"),
    (("fail", ContradictedBound("better")), "input", "better"),
    (("fail", ValueError("a\n b\t\tc")), "error", "ValueError: a b c"),
    (("fail", Exception()), "error", "Exception"),
    (("fail", RuntimeError("x" * 900)), "error", "RuntimeError: " + "x" * 500),
    (("fail", MemoryError()), "error", "MemoryError: not enough memory for this group"),
    (("fail", StopIteration(3)), "error", "StopIteration: 3"),
    (("fail", EOFError()), "error", "EOFError"),
    (("recurse",), "error", "RecursionError: "),
    (("function",), "error", "the result cannot be pickled: "),
    (("exit", 7), "crash", "the process ended with status 7"),
    (("kill", signal.SIGKILL), "crash", "the process was ended by SIGKILL"),
    (("kill", signal.SIGXCPU), "crash", "the process was ended by SIGXCPU"),
    (("fail", SystemExit(3)), "crash", "the process ended with status 3"),
    (("fail", KeyboardInterrupt()), "crash", "the process ended with status 1"),
]
"""What is called, and the failure; reasons that end with a colon go on."""


@pytest.mark.parametrize(("arguments", "kind", "reason"), ENDS, ids=str)
def test_each_end_is_a_failure_and_the_next_call_works(
    child: ChildProcess,
    capfd: pytest.CaptureFixture[str],
    arguments: tuple[Any, ...],
    kind: str,
    reason: str,
) -> None:
    for _ in range(2):
        pid = child.call(("pid",), PATIENT)
        failure = child.call(arguments, PATIENT)
        assert failure.kind == kind
        assert failure.reason.startswith(reason)
        assert reason.endswith(": ") or failure.reason == reason
        assert alive(pid) == (kind != "crash")
        assert child.call(("add", 1, 1), PATIENT) == 2
    capfd.readouterr()  # Python's own report of how the process ended


def test_an_endless_loop(child: ChildProcess) -> None:
    pid = child.call(("pid",), PATIENT)
    start = time.monotonic()
    failure = child.call(("endless",), 0.2)
    assert failure == Failure("timeout", "no result within 0.2 s; process killed")
    assert 0.2 <= time.monotonic() - start < PATIENT
    assert not alive(pid)
    assert child.call(("add", 1, 1), PATIENT) == 2


def test_interrupts_are_the_parents_business(child: ChildProcess) -> None:
    pid = child.call(("pid",), PATIENT)
    os.kill(pid, signal.SIGINT)
    assert child.call(("pid",), PATIENT) == pid


# A parent that is killed.

PARENT = """
import itertools, os, re, sys, time
from contextlib import closing
from equilag.pipeline.isolate import ChildProcess

def work(how):
    if how == "pid":
        return os.getpid()
    if how == "endless":
        while True:
            pass
    if how == "holds":
        re.match("(a|a)*b", "a" * 60)

with closing(ChildProcess(work)) as child:
    print(child.call(("pid",), 60), flush=True)
    if sys.argv[1] == "idle":
        time.sleep(600)
    child.call((sys.argv[1],), 600)
"""


def cpu_s(pid: int) -> float:
    """Seconds that a process has computed: more than a moment once it is at its endless work."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def outlives_its_parent(how: str) -> bool:
    """True if a child still runs seconds after its parent was killed."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, how], cwd=CHECKOUT, stdout=subprocess.PIPE, text=True
    )
    with parent.stdout:
        pid = int(parent.stdout.readline())
        try:
            until(lambda: how == "idle" or cpu_s(pid) > 0.2)
            assert alive(pid)
            assert parent.poll() is None
            parent.kill()
            parent.wait()
            with suppress(AssertionError):
                until(lambda: not alive(pid), 5 * WATCH)
            return alive(pid)
        finally:
            parent.kill()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("how", ["idle", "endless", "holds"])
def test_the_child_ends_with_its_parent(how: str) -> None:
    """Also one that keeps the interpreter to itself, in an expression that it matches for ages."""
    assert not outlives_its_parent(how)


# Earlier defects.


def test_a_child_that_was_killed_between_two_calls(child: ChildProcess) -> None:
    pid = child.call(("pid",), PATIENT)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not alive(pid))
    assert child.call(("add", 1, 1), PATIENT) == 2


@pytest.mark.parametrize("seconds", [3e6, 1e300, float("inf")])
def test_longer_than_the_system_can_wait(child: ChildProcess, seconds: float) -> None:
    assert child.call(("add", 2, 3), seconds) == 5
