"""A test, or a whole run, that hangs is ended with the stacks of its threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from support.paths import CHECKOUT

RUN_LIMIT: Final = (sys.executable, str(CHECKOUT / "tests" / "support" / "run_limit.py"))
STARTS: Final = """
import subprocess

def test_starts_a_process():
    child = subprocess.Popen(["sleep", "300"], start_new_session=True, stdout=subprocess.DEVNULL)
    open("pid", "w").write(str(child.pid))
"""
HANGS: Final = """
import ctypes, threading

started = threading.Event()

def wait_beside():
    started.set()
    threading.Event().wait()

def test_hangs():
    threading.Thread(target=wait_beside, daemon=True).start()
    started.wait()
    # As PyDLL keeps the interpreter's lock, no other Python code runs in this process.
    ctypes.PyDLL(None).pause()

def test_after():
    pass
"""


def run_pytest(folder: Path, limit: float, *options: str, under: Sequence[str] = ()) -> str:
    """What pytest prints of `test_it.py`, and its status; `under` is a command to run it by."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "COV_", "COVERAGE_"))
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # they take longer to load than the tests
    limits = ("-o", f"faulthandler_timeout={limit}", "-o", "faulthandler_exit_on_timeout=true")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [*under, sys.executable, "-m", "pytest", "-v", *limits, *options, "test_it.py"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    return f"{done.stdout}{done.stderr}\nstatus {done.returncode}\n"


def test_a_test_that_hangs_in_native_code_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(HANGS, "utf-8")
    workers = ("-p", "xdist", "-n2", "--dist=loadgroup", "--max-worker-restart=0")
    printed = run_pytest(tmp_path, 1, *workers)
    assert "crashed while running 'test_it.py::test_hangs'" in printed
    assert "1 failed, 1 passed" in printed
    assert "in test_hangs" in printed
    assert "in wait_beside" in printed


@pytest.mark.long  # it waits for the limit, which a busy machine needs
def test_a_run_beyond_its_limit_prints_its_stacks(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(STARTS + HANGS, "utf-8")
    printed = run_pytest(tmp_path, 0, "-p", "xdist", "-n1", under=[*RUN_LIMIT, "20"])
    assert "run_limit: not done within 20 s" in printed
    assert "in test_hangs" in printed
    assert "in wait_beside" in printed
    assert "status 124" in printed
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_what_a_run_leaves_behind_is_killed(tmp_path: Path) -> None:
    """And the status is that of the command."""
    (tmp_path / "test_it.py").write_text(STARTS + "    assert False\n", "utf-8")
    printed = run_pytest(tmp_path, 60, under=[*RUN_LIMIT, "60"])
    pid = int((tmp_path / "pid").read_text())
    assert f"run_limit: left behind and killed: sleep {pid}" in printed
    assert "status 1" in printed
    assert not is_running(pid)


def is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()
