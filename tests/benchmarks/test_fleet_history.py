"""The generated history of a fleet: its format, and its faults, counted row by row."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from support.fleet_oracle import signals
from support.made_fleets import Row, read_table
from support.paths import CHECKOUT

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from benchmarks.fleet.history import main, write_history
from benchmarks.fleet.settings import HistorySettings
from benchmarks.fleet.tables import MEMBERS, OFFSETS
from equilag.domain.errors import InputError
from equilag.pipeline.sources.signals import FAULTS, STATES, Span

SMALL: Final = HistorySettings(
    groups=60, partitions=1_000, samples=5, every=60, seed=3, faults=True
)


def read(folder: Path) -> tuple[list[Row], list[Row]]:
    """The rows of both tables."""
    return read_table(folder, "offsets"), read_table(folder, "members")


def test_made_json_has_the_sizes(tmp_path: Path) -> None:
    """And faults, which `tests/integration/spark/test_job.py` counts."""
    result = write_history(tmp_path, SMALL)
    assert json.loads((tmp_path / "made.json").read_text("utf-8")) == result
    offsets, members = read(tmp_path)
    groups = {row["group"] for row in [*offsets, *members]}
    assert len(groups) == result["groups"] == SMALL.groups
    assert groups >= result["faults"].keys()
    assert 0 < len(result["faults"]) < SMALL.groups / 2
    assert len(offsets) == result["rows"]
    assert len(members) == result["member_rows"]
    seen = {(row["group"], row["topic"], row["partition"]) for row in offsets}
    assert sum(number >= 0 for _, _, number in seen) == result["partitions"] == SMALL.partitions


def test_a_clean_history_has_every_sample_and_no_faults(tmp_path: Path) -> None:
    settings = HistorySettings(groups=30, partitions=600, samples=6, seed=5, member_rounds=6)
    result = write_history(tmp_path, settings)
    offsets, members = read(tmp_path)
    assert result["faults"] == {}
    end = max(row["ts_ms"] for row in offsets)
    found = signals(offsets, Span(end, 10**9, 0), "latest")
    assert not any(row[fault] for row in found.values() for fault in (*FAULTS, *STATES))
    assert len(offsets) == settings.partitions * settings.samples
    assert len({row["ts_ms"] for row in members}) == settings.samples
    assert all(row["member"] for row in members)


def test_a_seed_gives_the_same_tables(tmp_path: Path) -> None:
    settings = HistorySettings(groups=45, partitions=1_000, samples=5, faults=True)
    one, two, other = (
        write_history(tmp_path / str(number), replace(settings, seed=seed))
        for number, seed in enumerate((1, 1, 2))
    )
    assert one == two
    assert other["faults"] != one["faults"]
    for name, columns in (("offsets", OFFSETS), ("members", MEMBERS)):
        tables = [pq.read_table(tmp_path / number / name) for number in "012"]
        assert tables[0].schema.equals(columns)
        assert [table.equals(tables[0]) for table in tables] == [True, True, False]


def test_the_command(tmp_path: Path) -> None:
    words = "--groups 9 --partitions 100 --samples 2 --start 2026-01-02T03:04:05+00:00 --out"
    command = [sys.executable, "-m", "benchmarks.fleet.history", *words.split(), tmp_path / "made"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["rows"] == 200
    offsets, _ = read(tmp_path / "made")
    assert min(row["ts_ms"] for row in offsets) == 1_767_323_045_000


WRONG: Final = [
    (["--groups", "0"], "--groups: less than 1"),
    (["--samples", "-2"], "--samples: less than 1"),
    (["--every", "0"], "--every: less than 1"),
    (["--member-rounds", "0"], "--member-rounds: less than 1"),
    (["--seed", "-1"], "--seed: less than 0"),
    (["--partitions", "499"], "--partitions: fewer than groups"),
    (["--faults", "--groups", "39"], "--groups: fewer than 40, with --faults"),
    (["--faults", "--samples", "4"], "--samples: fewer than 5, with --faults"),
    (["--faults", "--partitions", "600"], "--partitions: too few for every fault"),
    (["--start", "yesterday"], "--start: 'yesterday' is not a time with a zone"),
    (["--start", "2026-11-21T09:00:00"], "is not a time with a zone"),
]


@pytest.mark.parametrize(("arguments", "problem"), WRONG)
def test_values_that_make_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert problem in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_history_is_not_written_over(tmp_path: Path) -> None:
    settings = HistorySettings(groups=5, partitions=20, samples=1)
    write_history(tmp_path, settings)
    with pytest.raises(InputError, match="already"):
        write_history(tmp_path, settings)
