"""A long solve ends when it is told to, and when its caller is interrupted."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, Timer
from typing import Final

import pytest
from ortools.sat.python import cp_model
from support.paths import CHECKOUT

from equilag.solver.cpsat.model import solve_until

ITEMS: Final = 60
"""Numbers to be split in five equal parts: a proof takes CP-SAT far longer than a test."""


def hard() -> cp_model.CpModel:
    model = cp_model.CpModel()
    loads = [model.new_int_var(0, 10**9, f"load{m}") for m in range(5)]
    x = [[model.new_bool_var(f"x{i}_{m}") for m in range(5)] for i in range(ITEMS)]
    weights = [(i * 7_919) ** 2 % 999_983 for i in range(ITEMS)]
    for row in x:
        model.add_exactly_one(row)
    for m, load in enumerate(loads):
        model.add(load == sum(w * row[m] for w, row in zip(weights, x, strict=True)))
    high, low = model.new_int_var(0, 10**9, "high"), model.new_int_var(0, 10**9, "low")
    model.add_max_equality(high, loads)
    model.add_min_equality(low, loads)
    model.minimize(high - low)
    return model


def solver() -> cp_model.CpSolver:
    made = cp_model.CpSolver()
    made.parameters.num_workers = 1
    made.parameters.max_time_in_seconds = 120.0
    made.parameters.catch_sigint_signal = False
    return made


def test_the_best_so_far_when_told_to_stop() -> None:
    stop, used = Event(), solver()
    Timer(0.3, stop.set).start()
    assert solve_until(used, hard(), stop) in (cp_model.FEASIBLE, cp_model.UNKNOWN)
    assert used.wall_time < 60


def test_told_before_it_began() -> None:
    stop, used = Event(), solver()
    stop.set()
    solve_until(used, hard(), stop)
    assert used.wall_time < 60


def test_an_error_of_the_solver_is_raised() -> None:
    with pytest.raises(AttributeError):
        solve_until(solver(), None, None)  # type: ignore[arg-type]


SCRIPT: Final = """
import os, signal, sys, threading
sys.path.insert(0, {tests!r})
from solver.cpsat.test_stoppable import hard, solver
from equilag.solver.cpsat.model import solve_until
used, model = solver(), hard()
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    solve_until(used, model, None)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_real_interruption_of_a_library_call_passes() -> None:
    code = SCRIPT.format(tests=str(CHECKOUT / "tests"))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)
