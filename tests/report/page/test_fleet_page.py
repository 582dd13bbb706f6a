"""The page of a fleet as text: what it carries, how long it is, that it says what the JSON says."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode
from dataclasses import replace
from typing import Any

import pytest
from equilag.report.facts.fleets.fleet import FleetFacts, fleet_facts
from equilag.report.page.fleet_groups_table import COLUMNS, compact
from equilag.report.page.fleet_page import fleet_page, fleet_page_document
from equilag.report.page.page_filters import figure
from support.fleet_rows import FAILED, ROW, SUMMARY, fleet_gaps, fleet_report, many_groups

MAX_BYTES = 1_500_000
"""What a mail takes, and a browser opens at once."""
PLACES = {column["key"]: place for place, column in enumerate(COLUMNS)}


def facts_of(count: int, **changes: Any) -> FleetFacts:
    report = replace(fleet_report(*many_groups(count), **changes), gaps=fleet_gaps())
    return fleet_facts(report, 20, every_group=True)


def details_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress(b64decode(document["details"])))
    return found


def test_a_page_of_5000_groups_can_be_mailed() -> None:
    failures = tuple(replace_name(i) for i in range(500))
    page = fleet_page(facts_of(5000, failures=failures))
    assert 500_000 < len(page.encode("utf-8")) <= MAX_BYTES


def replace_name(i: int) -> Any:
    return FAILED._replace(group=f"team-payments.settlement-{i:05}")


def test_every_figure_is_that_of_the_json() -> None:
    facts = facts_of(60)
    document = fleet_page_document(facts)
    groups = facts.document()["groups"]
    assert len(groups) == 60
    for row, more, group in zip(document["groups"], details_of(document), groups, strict=True):
        assert row[0] == (group["group"] or "(a group without a name)")
        for key in ("saved", "max_over_mean", "planned_over_mean", "moves", "members", "lag"):
            assert figure(row[PLACES[key]]) == figure(group[key])
        for key in ("relief_percent", "load_mean", "max_now", "excess_now", "spread_planned"):
            assert figure(more[key]) == figure(group[key])
        for key in ("utilisation", "short_now"):
            if group["throughput"] is not None:
                assert figure(more[key]) == figure(group["throughput"][key])
        assert more["headline"] == group["headline"]
        assert (more["export"], more["plan"]) == tuple(group["commands"].values())


@pytest.mark.parametrize("value", [0.0, 12.0, 0.123456789, 999.4, 1234.5, 1e15, None, "a", 7])
def test_compact_figures_look_the_same(value: Any) -> None:
    short = compact(value)
    assert len(str(short)) <= 16
    if isinstance(value, float):
        assert figure(short) == figure(value)
    else:
        assert short == value


def test_the_counts_are_those_of_the_table() -> None:
    document = fleet_page_document(facts_of(61, failures=(FAILED,)))
    words = [row[PLACES["action"]] for row in document["groups"]]
    for action in document["actions"]:
        expected = 1 if action["tone"] == "failed" else sum(map(words.count, action["words"]))
        assert action["groups"] == expected > 0
        assert action["note"]


def test_groups_that_do_not_keep_up() -> None:
    document = fleet_page_document(facts_of(300))
    keeping = document["keeping_up"]
    assert len(keeping["rows"]) == 100 < keeping["behind"] < keeping["known"] == 200
    assert sum(line["groups"] for line in keeping["lines"]) == keeping["behind"]
    shorts = [row[1] for row in keeping["rows"]]
    assert shorts == sorted(shorts, reverse=True)
    assert {row[-1] for row in keeping["rows"]} >= {"the plan", "2 more members", "equilag size"}


def test_the_bands_of_gaps() -> None:
    gaps = fleet_page_document(facts_of(5))["gaps"]
    assert gaps["bands"] == [
        "up to 1 %", "1 % to 10 %", "10 % to 50 %", "50 % to 100 %", "over 100 %",
    ]  # fmt: skip
    assert [row["assignor"] for row in gaps["rows"]] == ["equilag", "range", "current"]
    assert all(sum(row["bands"]) == row["groups"] == 6 for row in gaps["rows"])
    assert [row["moves"] for row in gaps["rows"]] == [1234, 1234, None]


def test_a_fleet_without_anything() -> None:
    planned = {**dict.fromkeys(SUMMARY["planned"], 0), "by_status": {}}
    planned |= {"median_gap_percent": None, "p95_gap_percent": None}
    report = fleet_report(
        failures=(FAILED,), planned=planned, assignors=[], forecast={"partitions": 0},
        quality={"faults": {}},
    )  # fmt: skip
    page = fleet_page(fleet_facts(report, 20))
    assert "None of 1 group was planned" in page
    assert "1 group not planned" in page
    for part in ("worst", "behind", "gaps", "all"):
        assert f'id="{part}"' not in page


def test_a_run_from_before_verdicts_and_loads() -> None:
    older = replace(ROW, excess_now=None, excess_planned=None, excess_lower_bound=None)
    document = fleet_page_document(fleet_facts(fleet_report(older), 20))
    (more,) = details_of(document)
    assert "excess_planned" not in more
    assert "headline" not in more
    assert "Rebalance 1 of 1 group" in fleet_page(fleet_facts(fleet_report(older), 20))


def test_odd_names_stay_in_their_place() -> None:
    page = fleet_page(facts_of(8))
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "\u202e" not in page
