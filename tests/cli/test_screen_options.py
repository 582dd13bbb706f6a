"""``--width`` and ``--color``: tables as wide as asked for, prose no wider than is readable."""

from __future__ import annotations

from rich.cells import cell_len
from support.paths import SAMPLES

PLAN = ("plan", SAMPLES / "real-group.snapshot.json", "--effort", "0.02")


def test_prose_stays_readable_on_a_wide_screen(run, write) -> None:
    snapshot = write(topics={f"topic-{i:03}": 2 for i in range(10)}, lags={}, members=[])
    lines = run("plan", snapshot, "--width", 300).out.splitlines()
    assert 100 < max(map(cell_len, lines)) <= 120


def test_colours_on_demand(run) -> None:
    assert "\x1b[" in run(*PLAN, "--color", "always").out
    assert "\x1b[" not in run(*PLAN, "--color", "never").out
    assert "\x1b[" not in run(*PLAN).out
