"""The page of a simulation."""

from __future__ import annotations

from typing import Any

from support.orders_service import even_assignment, slow_group, slow_snapshot
from support.reports import text_of as text_on
from support.reports import words_of

from equilag.domain.group.group import Group
from equilag.planner.simulate import simulate
from equilag.report.reports.simulation import SimulationReport
from equilag.report.text.pictures import area

STAYS = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "slow": {"t": [4, 5]}}


def text_of(group: Group, width: int = 100, plain: bool = False, **settings: Any) -> str:
    plan = {**even_assignment(), "assignment": settings.pop("assignment", STAYS)}
    return text_on(SimulationReport(simulate(group, plan, **settings)), width, ascii=plain)


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_members_that_cannot_read_all_in_all() -> None:
    text = one_line(text_of(slow_group(rates={"t": [30, 20, 20, 30, 50, 150]})))
    assert (
        "Overloaded: no assignment keeps up; 300 records/s are produced, and all members together"
        " read 260: 40 records/s (15.4 %) too many. t-5 alone gets 150 records/s, and the fastest"
        " member that may take it reads 100"
    ) in text
    assert "equilag size tells how many members it takes" in text
    hot = one_line(text_of(slow_group(rates={"t": [0, 0, 0, 0, 0, 150]})))
    assert "150 records/s are produced, and the members together read 260. t-5 alone" in hot
    assert "equilag size" not in hot
    assert "Overloaded" not in text_of(slow_group())


def test_how_many_members_keep_up_with_a_plan_that_is_made() -> None:
    group = slow_group(rates={"t": [55, 55, 55, 55, 55, 55]})
    text = words_of(SimulationReport(simulate(group, effort=0.1, time_limit=60)))
    assert "Overloaded: no assignment keeps up; 330 records/s are produced, and all members" in text
    assert "3 more members keep up (proved: fewer do not): equilag plan with --add-members" in text
    enough = simulate(group, effort=0.1, time_limit=60, add_members=3)
    assert enough.planned.read_after < float("inf")


def test_partitions_without_a_reader_and_members_that_only_just_keep_up() -> None:
    members = slow_snapshot()["members"]
    members[1]["owned"] = {"t": [2]}
    text = one_line(text_of(slow_group(members=members)))
    assert "falls behind by 20 records/s, 1 partition has no reader." in text
    held = one_line(text_of(slow_group(rates={"t": [30, 20, 20, 30, 40, 20]})))
    assert "never all read: the members read no more than what is produced." in held


def test_nothing_to_read() -> None:
    text = text_of(slow_group(lags={"t": [0] * 6}, rates={"t": [0] * 6}))
    assert text.startswith("Now: all is read, and stays so.\n")
    assert "█" not in text


def test_what_was_assumed() -> None:
    members = slow_snapshot()["members"]
    del members[0]["capacity"]
    group = slow_group(members=members, rates={"t": [30, 20, None, 30, 50, 30]})
    text = one_line(text_of(group))
    assert "1 partition of unknown rate: the mean of the topic, else of all, is taken" in text
    assert "1 member of unknown capacity: the median of the others, 80 records/s, is" in text
    text = one_line(text_of(slow_group(rates={})))
    assert "no rate is known: nothing is taken to be produced" in text


def test_a_screen_without_block_characters_has_no_picture() -> None:
    assert "full height" in text_of(slow_group())
    plain = text_of(slow_group(), 80, True, assignment=even_assignment()["assignment"])
    assert "full height" not in plain
    assert plain.isascii()


def test_pictures() -> None:
    assert area([0, 1, 4, 8], 8, 1) == [" ▁▄█"]
    assert area([0, 8, 12, 16], 16, 2) == ["  ▄█", " ███"]
    assert area([1e-9, 5], 1e9, 2) == ["  ", "▁▁"]
    assert area([0, 0], 0, 1) == ["  "]
