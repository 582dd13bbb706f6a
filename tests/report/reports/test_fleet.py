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
from equilag.pipeline.sources.problems import COUNTED
from equilag.planner.facts.fleet_run import VERDICTS, FailedGroup, GroupRow
from equilag.report.report_blocks import Breakdown, Table
from equilag.report.reports.fleet import FleetReport
from equilag.report.words.fleet import FAULTS


def report(*rows: GroupRow, **changes: Any) -> FleetReport:
    """A report of one group unless told."""
    return FleetReport(fleet_report(*(rows or (ROW,)), **changes), 20)


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
    assert "\nFleet of 3 groups by lag: 0 partitions" in text
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


def test_the_document_has_the_worst_ones() -> None:
    rows = [
        replace(
            ROW, group=f"g{n}",
            throughput=replace(KEPT, group=f"g{n}", verdict=verdict, short_now=100.0 * n),
        )
        for n, verdict in enumerate(VERDICTS)
    ]  # fmt: skip
    document = FleetReport(fleet_report(*rows), 2).document()["throughput"]
    assert document["groups"] == dict.fromkeys(VERDICTS, 1)
    assert [row["group"] for row in document["behind"]] == ["g4", "g3"]
    assert document["behind"][1] == to_document(rows[3].throughput)
    assert "Keeping up" not in sections(report())
    assert "throughput" not in report().document()


def test_what_groups_need_is_counted_by_the_table_of_all() -> None:
    made = FleetReport(fleet_report(*many_groups(61), failures=(FAILED,)), 20)
    table = next(one for one in sections(made)["Groups"] if isinstance(one, Table))
    said = [row[1] for row in table.rows]
    shares = next(one for one in made.blocks() if isinstance(one, Breakdown))
    assert sum(one.size for one in shares.rows) == 62
    unread, rebalance, *_ = (one.size for one in shares.rows)
    leave = next(one for one in shares.rows if one.tone == "good").size
    assert unread == said.count("assign partitions") + said.count("start members") > 0
    assert rebalance == said.count("rebalance") > 0
    assert leave == said.count("leave it") > 0
    assert len(table.details) == 61
    detail = table.details[30]
    assert detail.words == made.run.groups[30].headline
    assert detail.commands[0] == "equilag fleet export /runs/1 team-payments.settlement-0030"
