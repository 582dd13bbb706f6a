"""A test, or a whole run, that hangs is ended with the stacks of its threads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import pytest
from support.paths import CHECKOUT
from support.small_suites import make_suite, run_suite

HANGING: Final = """
import ctypes, threading

def wait_beside():
    threading.Event().wait()

def test_before():
    pass

def test_hangs():
    threading.Thread(target=wait_beside, daemon=True).start()
    # As PyDLL keeps the interpreter's lock, no other Python code runs in this process.
    ctypes.PyDLL(None).pause()

def test_after():
    pass
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    limit = "faulthandler_timeout = 1\nfaulthandler_exit_on_timeout = true"
    markers = ("timeout(seconds)", "spark", "broker")
    return make_suite(tmp_path, *markers, more=limit)


def test_a_test_that_hangs_in_native_code_fails_alone(suite: Path) -> None:
    (suite / "test_it.py").write_text(HANGING, "utf-8")
    status, output = run_suite(suite, "-n1", "--dist=loadgroup")
    assert status == pytest.ExitCode.TESTS_FAILED, output
    assert "crashed while running 'test_it.py::test_hangs'" in output
    assert "1 failed, 2 passed" in output
    assert "Timeout (0:00:01)!" in output
    assert "in test_hangs" in output
    assert "in wait_beside" in output


def test_without_workers_the_run_ends(suite: Path) -> None:
    (suite / "test_it.py").write_text(HANGING, "utf-8")
    status, output = run_suite(suite)
    assert status == 1, output
    assert "in test_hangs" in output
    assert "passed" not in output


@pytest.mark.parametrize("mark", ["timeout(30)", "spark", "broker"])
def test_a_mark_gives_a_test_more_time(suite: Path, mark: str) -> None:
    code = f"import pytest, time\n@pytest.mark.{mark}\n@pytest.mark.xdist_group('{mark}')\n"
    code += "def test(): time.sleep(1.5)\n"
    (suite / "test_it.py").write_text(code, "utf-8")
    status, output = run_suite(suite)
    assert status == 0, output


RUN_LIMIT: Final = (sys.executable, str(CHECKOUT / "tests" / "support" / "run_limit.py"))
STARTER: Final = """
import subprocess

def test_starts_a_process():
    child = subprocess.Popen(["sleep", "300"], start_new_session=True, stdout=subprocess.DEVNULL)
    open("pid", "w").write(str(child.pid))
"""


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.long  # it waits for the limit, which a busy machine needs
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["no workers", "a worker"])
def test_a_run_beyond_its_limit_prints_its_stacks(suite: Path, workers: tuple[str, ...]) -> None:
    (suite / "test_it.py").write_text(STARTER + HANGING, "utf-8")
    options = (*workers, "-o", "faulthandler_timeout=0")
    status, output = run_suite(suite, *options, under=[*RUN_LIMIT, "20"])
    assert status == 124, output
    assert "run_limit: not done within 20 s" in output
    assert "in test_hangs" in output
    assert "in wait_beside" in output
    assert not is_running(int((suite / "pid").read_text()))


def test_what_a_run_leaves_behind_is_killed(suite: Path) -> None:
    (suite / "test_it.py").write_text(STARTER, "utf-8")
    status, output = run_suite(suite, under=[*RUN_LIMIT, "30"])
    assert status == 0, output
    pid = int((suite / "pid").read_text())
    assert f"run_limit: left behind and killed: sleep {pid}" in output
    assert not is_running(pid)


def test_the_status_is_that_of_the_command(suite: Path) -> None:
    (suite / "test_it.py").write_text("def test(): assert False\n", "utf-8")
    status, output = run_suite(suite, under=[*RUN_LIMIT, "30"])
    assert status == 1, output
    assert "run_limit" not in output
