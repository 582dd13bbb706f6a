"""The tables and the report of a finished run: largest improvement first, and incomplete runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
import pyarrow.parquet as pq
from support.fleet_runs import UNEVEN, problem, refusal, write_run
from support.json_schemas import without

from equilag.domain.document import to_document
from equilag.domain.errors import MissingExtra
from equilag.pipeline.results.fleet_report import load_fleet
from equilag.pipeline.results.run_dir import SUMMARY, plan_row, read_columns

FREE = problem("free", {"t": [5, 6, 7]}, {"a": {}, "b": {}})
ZERO = problem("zero", {"t": [0, 0]}, {"a": {"t": [0, 1]}, "b": {}})
FAILURES = [("gone", "stale", "last sampled 60 s before the time of the run")]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return write_run(tmp_path / "run", [ZERO, FREE, UNEVEN], FAILURES)


def test_a_group_is_joined_with_its_current_assignment(path: str) -> None:
    row = load_fleet(path).groups[0]
    assert (row.max_now, row.spread_now) == (2460, 2459)
    assert row.load_mean == pytest.approx(2473 / 3)
    assert row.max_over_mean == pytest.approx(2460 / (2473 / 3))
    assert row.excess_now == pytest.approx(2460 - 2473 / 3)
    assert row.spread_lower_bound <= row.spread_planned < 300
    assert row.excess_lower_bound <= row.excess_planned < 300
    assert row.saved == row.excess_now - row.excess_planned
    assert row.moves > 0
    assert (row.partitions, row.members) == (10, 3)
    assert (row.status, row.evidence) == ("optimal", "checked")


def test_a_group_without_owners_has_no_current_figures(path: str) -> None:
    row = load_fleet(path).groups[-1]
    now = row.max_now, row.spread_now, row.excess_now, row.saved, row.max_over_mean
    assert now == (None,) * 5
    assert to_document(row)["saved"] is None


def test_a_plan_can_be_less_even_than_the_current_assignment(tmp_path: Path) -> None:
    lopsided = problem("l", {"t": [9, 1, 1, 7]}, {"a": {"t": [0]}, "b": {"t": [1, 2, 3]}})
    (row,) = load_fleet(write_run(tmp_path / "run", [lopsided])).groups
    assert row.spread_now == 0
    assert row.excess_now == 0
    assert row.saved == -row.excess_planned < 0


HIDDEN = problem(
    "hidden",
    {"t": [100_000, *[0] * 3, *[20_000] * 4, *[0] * 16]},
    {f"m{i}": {"t": [4 * i + k for k in range(4)]} for i in range(6)},
)
"""No plan has a spread below 100,000; m1 can give 60,000 of its 80,000 to idle members."""


def test_groups_are_in_the_order_of_what_is_saved_and_of_names(tmp_path: Path) -> None:
    equals = [{**ZERO, "group": name} for name in ("c", "a", "b")]
    report = load_fleet(write_run(tmp_path / "run", [FREE, *equals, HIDDEN, UNEVEN], FAILURES))
    assert [row.group for row in report.groups] == ["hidden", "orders", "a", "b", "c", "free"]
    assert report.groups[0].saved == 120_000 - 70_000
    assert [tuple(row) for row in report.failures] == FAILURES
    assert report.summary["planned"]["groups"] == 6


@pytest.mark.parametrize("table", ["plans", "baseline", "failures"])
def test_a_missing_table(path: str, table: str) -> None:
    shutil.rmtree(Path(path) / table)
    assert refusal(load_fleet, path) == f"{table}: has no parquet files: is it complete?"


def test_a_lost_file_is_noticed(path: str) -> None:
    next((Path(path) / "plans").glob("part-00001*")).unlink()
    assert refusal(load_fleet, path) == f"plans: holds 1 groups, but {SUMMARY} counts 3"


def test_a_broken_file(path: str) -> None:
    next((Path(path) / "plans").glob("part-00001*")).write_bytes(b"PAR1 this is not parquet PAR1")
    assert refusal(load_fleet, path).startswith("plans: cannot be read: ")


def test_a_column_that_is_not_there(path: str) -> None:
    for part in (Path(path) / "plans").glob("*.parquet"):
        pq.write_table(pq.read_table(part).drop_columns(["moves"]), part)
    assert refusal(load_fleet, path) == "plans: column moves: missing"


@pytest.mark.parametrize("place", [("at",), ("planned", "by_status")])
def test_a_summary_that_lacks_something(path: str, place: tuple[str, ...]) -> None:
    file = Path(path) / SUMMARY
    summary = without(json.loads(file.read_text("utf-8")), place)
    file.write_text(json.dumps(summary), "utf-8")
    assert refusal(load_fleet, path) == f"{SUMMARY}: {'.'.join(place)}: missing"


def test_without_pyarrow(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("equilag.pipeline.results.run_dir.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"equilag\[arrow\]"):
        load_fleet(path)


def refused(path: str, group: str) -> str:
    return refusal(lambda run: plan_row(run, group, ("group",)), path)


def test_a_similar_name_is_suggested_for_an_unknown_group(path: str) -> None:
    assert refused(path, "order") == 'there is no group "order", did you mean "orders"?'
    assert "did you mean" not in refused(path, "nothing like it")
    assert 'did you mean "gone"' in refused(path, "gonee")
    assert "there is no group" in refused(path, "\udc80")


def test_rows_that_match_all_values(path: str) -> None:
    where = {"group": "orders", "topic": "u"}
    table = read_columns(path, "assignment", ("partition", "from"), where)
    assert sorted(table.to_pylist(), key=lambda row: row["partition"]) == [
        {"partition": number, "from": owner} for number, owner in enumerate(["a", "a", "c", "c"])
    ]
    assert not len(read_columns(path, "assignment", ("partition",), {"topic": "x"}))
