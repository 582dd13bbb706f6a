"""The report on a fleet run: its figures, and what a run does not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from support.fleet_rows import (
    FAILED,
    FAILURES,
    KEPT,
    ROW,
    SETTINGS,
    SUMMARY,
    assignor,
    fleet_report,
    many_groups,
)
from support.reports import sections, text_of, words_of

from equilag.domain.document import to_document
from equilag.domain.figures import Change
from equilag.pipeline.sources.problems import COUNTED
from equilag.planner.facts.fleet_run import FailedGroup, FleetRun, GroupRow
from equilag.report.report_blocks import Breakdown, Table
from equilag.report.reports.fleet import FleetReport
from equilag.report.words.fleet import FAULTS


def report(*rows: GroupRow, **changes: Any) -> FleetReport:
    """A report of one group unless told."""
    return FleetReport(fleet_report(*(rows or (ROW,)), **changes), 20)


def table_of(made: FleetReport, title: str) -> Table:
    return next(one for one in sections(made)[title] if isinstance(one, Table))


def worst(row: GroupRow) -> tuple[Any, ...]:
    (cells,) = table_of(report(row), "Groups").rows
    return cells


def test_what_a_group_does_not_have_is_not_there() -> None:
    nobody = replace(ROW, max_now=None, spread_now=None, excess_now=None)
    assert worst(nobody)[2:5] == ((0.0, 0.0), None, Change(None, 1.01))
    assert worst(nobody)[8:10] == (None, 21)
    assert "- today: nobody owns anything" in words_of(report(nobody))
    assert "today: nobody owns" not in words_of(report())
    empty = replace(
        ROW, load_mean=0.0, max_now=0, spread_now=0, spread_planned=0, excess_now=0.0,
        excess_planned=0.0,
    )  # fmt: skip
    assert worst(empty)[3:5] == (0.0, Change(None, None))


def test_what_saved_means_is_said() -> None:
    assert "by the excess saved" in words_of(report())
    assert "saved: excess, what members have above the mean, in records" in words_of(report())
    worse = replace(ROW, excess_now=1.0)
    assert "saved is below 0" in words_of(report(worse))
    assert "saved is below 0" not in words_of(report())


def test_every_fault_that_is_counted_has_words() -> None:
    assert set(FAULTS) == set(COUNTED)
    new = {"news\n": {"count": 2, "groups": 1}}
    assert r"news\n 2 1" in words_of(report(quality={"faults": new}))


def test_a_fleet_without_a_plan() -> None:
    planned = {**dict.fromkeys(SUMMARY["planned"], 0), "by_status": {}}
    empty = fleet_report(planned=planned, assignors=[], forecast={"partitions": 0})
    made = FleetReport(empty, 20)
    text = text_of(made)
    assert text.startswith("None of 3 groups was planned\n\n")
    assert "\nFleet of 3 groups: 0 partitions" in text
    assert not {"Groups", "Assignors", "Keeping up"} & sections(made).keys()


def test_nothing_reaches_the_terminal_as_it_is() -> None:
    bad = "\x1b]0;x\x07\n\u202e"
    made = report(
        replace(ROW, group=bad), replace(ROW, group=""),
        failures=(FailedGroup(bad, bad, bad), *FAILURES), at=bad, assignors=[assignor(bad)],
        settings={**SETTINGS, "weight": bad}, quality={"faults": {bad: {"count": 1, "groups": 1}}},
        failed={"groups": 1, "by_kind": {bad: 1}},
    )  # fmt: skip
    text = text_of(made)
    assert all(line.isprintable() for line in text.split("\n"))
    assert "(a group without a name)" in text


def behind_run() -> FleetRun:
    some = ("keeps_up", "moves", "members", "uneven", "hot")
    rows = [
        replace(
            ROW, group=f"g{n}",
            throughput=replace(
                KEPT, group=f"g{n}", verdict=verdict, short_now=100.0 * n, members_short=2,
                hot=("t-1", "t-2", "t-3") if verdict == "hot" else (),
            ),
        )
        for n, verdict in enumerate(some)
    ]  # fmt: skip
    return fleet_report(*rows)


def test_groups_that_do_not_keep_up() -> None:
    found = table_of(FleetReport(behind_run(), 2), "Keeping up")
    assert [row[0] for row in found.rows] == ["g4", "g3", "g2", "g1"]
    assert found.few == 2
    helps = [row[-1] for row in found.rows]
    assert helps == ["split t-1, t-2 and 1 more", "equilag size", "2 more members", "the plan"]
    document = FleetReport(behind_run(), 2).document()["throughput"]
    assert document["groups"] == dict.fromkeys(("keeps_up", "moves", "members", "uneven", "hot"), 1)
    assert [row["group"] for row in document["behind"]] == ["g4", "g3"]
    assert document["behind"][1] == to_document(behind_run().groups[3].throughput)
    assert "Keeping up" not in sections(report())
    assert "throughput" not in report().document()


def test_what_groups_need_is_counted_by_the_table_of_all() -> None:
    made = FleetReport(fleet_report(*many_groups(61), failures=(FAILED,)), 20)
    table = table_of(made, "Groups")
    said = [row[1] for row in table.rows]
    shares = next(one for one in made.blocks() if isinstance(one, Breakdown))
    assert sum(one.size for one in shares.rows) == 62
    rebalance, leave = shares.rows[0].size, next(o for o in shares.rows if o.tone == "good").size
    assert rebalance == said.count("rebalance") + said.count("assign partitions") > 0
    assert leave == said.count("leave it") > 0
    assert len(table.details) == 61
    detail = table.details[30]
    assert detail.words == made.run.groups[30].headline
    assert detail.commands[0] == "equilag fleet export /runs/1 team-payments.settlement-0030"
