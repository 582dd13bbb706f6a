"""The screen of `fleet show` and its JSON, from a report to text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from equilag.report.facts.fleets.fleet import fleet_facts
from equilag.report.text.fleets.fleet import FAULT_WORDS
from equilag.report.text.tables.pages import text_for
from rich.cells import cell_len
from support.fleet_rows import FAILURES, KEPT, ROW, SETTINGS, SUMMARY, assignor, fleet_report

from equilag.domain.document import to_document
from equilag.pipeline.sources.problems import COUNTED
from equilag.report.facts.fleet_run import FailedGroup, FleetReport, GroupRow
from equilag.report.terminal import Screen


def report(*rows: GroupRow, **changes: Any) -> FleetReport:
    """A report of one group unless told."""
    return fleet_report(*(rows or (ROW,)), **changes)


def text_of(given: FleetReport, top: int = 20, **style: Any) -> str:
    return text_for(fleet_facts(given, top), Screen(**{"width": 300, **style}))


def lines_of(given: FleetReport, **style: Any) -> list[str]:
    return [" ".join(line.split()) for line in text_of(given, **style).splitlines()]


def group_line(row: GroupRow, **style: Any) -> list[str]:
    lines = text_of(report(row), **style).splitlines()
    return lines[next(i for i, x in enumerate(lines) if x.startswith("  group ")) + 1].split()


def test_what_nobody_owns_is_said() -> None:
    planned = {**SUMMARY["planned"], "unowned": 7, "unowned_groups": 2, "unowned_lag": 12_345}
    text = " ".join(text_of(report(planned=planned)).split())
    assert "nobody owns 7 partitions with 12,345 of it, in 2 groups;" in text


def test_what_a_group_does_not_have_is_a_dash() -> None:
    nobody = replace(ROW, max_now=None, spread_now=None, excess_now=None)
    assert group_line(nobody)[1:5] == ["-", "-", "21", "-"]
    assert "- today: nobody owns anything" in lines_of(report(nobody))
    assert not any("today: nobody owns" in line for line in lines_of(report()))
    empty = replace(ROW, load_mean=0.0, max_now=0, spread_now=0, spread_planned=0)
    empty = replace(empty, excess_now=0.0, excess_planned=0.0)
    assert group_line(empty)[1:5] == ["0", "-", "0", "0"]


def test_a_saving_below_zero_is_explained() -> None:
    worse = replace(ROW, excess_now=1.0)
    assert group_line(worse)[4] == "-12"
    assert "saved is below 0" in text_of(report(worse))
    assert "saved is below 0" not in text_of(report())


def test_what_saved_means_is_said() -> None:
    text = " ".join(text_of(report()).split())
    assert "by the excess saved" in text
    assert "saved: excess, what members have above the mean" in text
    older = replace(ROW, excess_now=None, excess_planned=None, excess_lower_bound=None)
    assert group_line(older)[4] == "2,324"
    text = " ".join(text_of(report(older)).split())
    assert "by the spread saved" in text
    assert "saved: spread (the run is from before excess was known)" in text


def test_every_fault_that_is_counted_has_words() -> None:
    assert set(FAULT_WORDS) == set(COUNTED)
    new = {"news\n": {"count": 2, "groups": 1}}
    assert r"2 news\n in 1 group" in lines_of(report(quality={"faults": new}))


def test_a_fleet_without_a_plan() -> None:
    empty = report(
        planned={
            "groups": 0, "partitions": 0, "members": 0, "moves": 0, "by_status": {},
            "median_gap_percent": 0.0, "p95_gap_percent": 0.0,
        },
        assignors=[],
    )  # fmt: skip
    text = text_of(replace(empty, groups=()))
    assert text.startswith("None of 3 groups was planned\n\nFleet of 3 groups at")
    for word in ("proved", "Worst", "Assignors"):
        assert word not in text


HUGE = replace(
    ROW,
    group="team-" + "x" * 200 + "-consumer-0123",
    max_now=2**62,
    spread_now=2**62,
    spread_planned=2**61,
    moves=1_234_567,
    gap_percent_of_mean=123.4,
    status="feasible",
)
WIDE = replace(HUGE, group="注文" * 60)


@pytest.mark.parametrize("width", [80, 90, 100])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("row", [ROW, HUGE, WIDE])
def test_it_fits_the_screen(width: int, plain: bool, row: GroupRow) -> None:
    failures = (
        FailedGroup(row.group, "input", "members[1].capacity: " + "many words of it " * 30),
        *FAILURES,
    )
    assignors = [
        assignor("a" * 50, moves=10**7, even_counts=10**6, wall_ms=10**6, p95_gap_percent=10**6),
        assignor("注文" * 40, failed=2),
    ]
    text = text_of(
        report(row, replace(ROW, group="b"), failures=failures, assignors=assignors),
        width=width,
        ascii=plain,
    )
    assert max(cell_len(line) for line in text.splitlines()) <= width


def test_names_are_cut_so_that_they_still_differ() -> None:
    front = "team-payments.settlement-reconciliation-service"
    rows = [replace(ROW, group=f"{front}-{i}-of-the-north-eastern-region") for i in range(3)]
    lines = text_of(report(*rows), width=80).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("  group "))
    names = [line.split()[0] for line in lines[at + 1 : at + 4]]
    assert [name.partition("vice-")[2][:1] for name in names] == ["0", "1", "2"]
    assert max(map(cell_len, lines)) <= 80
    assert "--json has them whole" in text_of(report(*rows), width=80)
    assert "--json" not in text_of(report(), width=80)


def test_nothing_reaches_the_terminal_as_it_is() -> None:
    bad = "\x1b]0;x\x07\n\u202e"
    text = text_of(
        report(
            replace(ROW, group=bad),
            replace(ROW, group=""),
            failures=(FailedGroup(bad, bad, bad), *FAILURES),
            at=bad,
            assignors=[assignor(bad)],
            settings={**SETTINGS, "weight": bad},
            quality={"faults": {bad: {"count": 1, "groups": 1}}},
            failed={"groups": 1, "by_kind": {bad: 1}},
        )
    )
    assert all(line.isprintable() for line in text.split("\n"))
    assert "(a group without a name)" in text


def test_groups_that_do_not_keep_up() -> None:
    rows = (
        KEPT,
        replace(KEPT, group="fine", verdict="keeps_up", utilisation_now=0.4, short_now=0.0),
        replace(KEPT, group="few", verdict="members", members_short=2, short_now=3_000.0),
        replace(KEPT, group="odd", verdict="uneven", short_now=10.0),
        replace(KEPT, group="hot", verdict="hot", hot=("t-1", "t-2", "t-3"), short_now=1.0),
    )
    given = report(*(replace(ROW, group=row.group, throughput=row) for row in rows))
    text = text_of(given)
    assert "Keeping up: 1 of 5 groups whose rates and capacities are known" in text
    assert "1 would keep up with the plan" in text
    assert "1 would keep up with more members" in text
    lines = [line.split() for line in text.splitlines()]
    start = next(n for n, line in enumerate(lines) if line[-2:] == ["what", "helps"])
    assert [line[0] for line in lines[start + 1 : start + 5]] == ["few", "orders", "odd", "hot"]
    assert lines[start + 1][1:] == ["3,000", "150", "%", "90", "%", "7", "2", "more",
                                    "members"]  # fmt: skip
    assert lines[start + 2][-2:] == ["the", "plan"]
    assert lines[start + 3][-2:] == ["equilag", "size"]
    assert lines[start + 4][-6:] == ["split", "t-1,", "t-2", "and", "1", "more"]
    document = fleet_facts(given, 2).document()["throughput"]
    assert document["groups"] == dict.fromkeys(("keeps_up", "moves", "members", "uneven", "hot"), 1)
    assert [row["group"] for row in document["behind"]] == ["few", "orders"]
    assert document["behind"][1] == to_document(KEPT)


def test_five_failures_of_a_kind_are_named() -> None:
    many = tuple(FailedGroup(f"g{i}", "error", f"reason {i}") for i in range(7))
    lines = lines_of(report(failures=many))
    assert "g4: reason 4" in lines
    assert not any(line.startswith("g5") for line in lines)
    assert "… and 2 more" in lines
    assert "more" not in text_of(report(failures=many[:5]))


def test_no_word_of_keeping_up_where_nothing_is_known() -> None:
    assert "Keeping up" not in text_of(report())
    assert "throughput" not in fleet_facts(report(), 2).document()
