"""The page of `size`: the answer first, the rows, and what they rest on."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from support.orders_service import rated_group
from support.reports import text_of

import equilag
from equilag import Group, Member, Sizing
from equilag.planner.sizes.size_search import LeastSize
from equilag.report.reports.size import SizeReport


def page(group: Group, change: Any = None, **settings: Any) -> str:
    """The page in one line of words, as wide as it gets."""
    sizing = equilag.size(group, **settings)
    sizing = replace(sizing, **change) if change else sizing
    return text_of(SizeReport(group, sizing), 120)


def words(text: str) -> str:
    return re.sub(r"\s+", " ", text)


EVEN = [10.0] * 12


def test_too_few_members() -> None:
    text = page(rated_group(EVEN, [25.0, 25.0], [100] * 12), catch_up=120)
    assert text.startswith(
        "2 members do not keep up, whatever the assignment (the heaviest at 240 %).\n"
        "Needed: 6 members keep up, the heaviest at 80 %; 5 cannot (proved).\n"
        "Caught up: 6 members have read all within 2 min (after 40 s); fewer cannot.\n"
    )
    rows = [line.split() for line in text.splitlines() if re.match(r" +\d", line)]
    assert rows[0] == ["1", "480", "%", "proved", "no", "never"]
    assert ["2", "240", "%", "proved", "no", "never", "now"] in rows
    assert ["6", "80", "%", "proved", "yes", "40", "s", "keeps", "up,", "caught", "up", "within",
            "2", "min"] in rows  # fmt: skip
    assert rows[-1][0] == "12"
    assert "More:" not in text  # the last number helps
    assert "new members have 25 records/s" in text


def test_a_hot_partition() -> None:
    text = page(rated_group([70.0, *EVEN], [50.0] * 4), catch_up=60)
    assert "Needed: no number up to 13 members keeps up." in text
    assert "Caught up: no number up to 13 members within 1 min." in text
    hot = "Hot: orders-0 alone gets 140 % of a member's capacity: split it into 2 partitions."
    assert hot in words(text)
    assert "another one helps no further: orders-0 alone is 140 % of a member's capacity." in (
        words(text)
    )
    many = page(rated_group([70.0] * 5, [50.0]))
    assert "Hot: 2 more partitions like these." in many


def test_what_is_open() -> None:
    group = rated_group(EVEN, [25.0] * 2)
    found = equilag.size(group)
    assert "4 cannot (proved); what lies between is open" in page(
        group, {"least_keeping_up": LeastSize(5, 6)}
    )
    assert "at least 5 members; no number up to 12 was found" in page(
        group, {"least_keeping_up": LeastSize(5, None)}
    )
    rows = tuple(replace(row, keeps_up=None, load_at_least=row.load / 2) for row in found.rows)
    text = page(group, {"rows": rows, "interrupted": True})
    assert text.startswith("Interrupted: this is what is known so far.\n2 members: it is open")
    assert re.search(r"^ +2 +240 % +120 % +open +now$", text, re.MULTILINE)


def test_without_capacities() -> None:
    text = page(rated_group([10.0, 20.0, 12.5], [None, None]))
    assert text.startswith("Now: the heaviest of 2 members has 22.5 records/s at best.\n")
    assert "orders-1 alone is 20 records/s" not in text  # the last number helps
    assert "capacities are needed: --capacity '*=N'" in text


def test_lag_with_capacities_is_time() -> None:
    group = rated_group([0.0] * 4, [10.0, 5.0], [600, 300, 300, 300])
    text = page(replace(group, rates=None), members=(2, 2))
    assert "Now: the heaviest of 2 members has 2 min of reading at best." in text
    assert "as the time to read it" in text
    assert "of fewer members than now, the slowest stay" in text
    assert "to tell who keeps up, rates are needed" in text


def test_work_and_given_weights() -> None:
    group = rated_group([10.0, 10.0], [20.0], [300, 0], weights={"orders": [3, 4]})
    text = page(group, weight="work", horizon=60.0)
    assert text.startswith("1 member keeps up under the best plan.\n")
    assert "lag and what comes in 1 min of the heaviest member, in percent" in words(text)
    text = page(group, weight="given")
    assert "the weights of the snapshot of the heaviest member, per unit of capacity" in words(text)
    text = page(replace(group, members=(Member("m0"),)), weight="given")
    assert "the heaviest of 1 member has a weight of 7 at best." in text
    text = page(replace(group, members=(Member("m0"),)), weight="work", horizon=60.0)
    assert "has 1,500 records to read at best." in text


def test_threads_and_what_is_left_out() -> None:
    group = Group.build(
        name="g",
        topics={"a": 6, "b": 6},
        members=["m1", "m2", "m3", "m4", "idle"],
        subscriptions={"m1": ["a"], "m2": ["a"], "m3": ["b"], "m4": ["b"], "idle": []},
        rates={"a": [1.0, *[None] * 5], "b": [1.0] * 6},
        allowed={"a": {"0": ["m1"]}},
    )
    text = words(page(group, threads=2))
    assert "of the heaviest thread" in text
    assert "new processes have 2 threads" in text
    assert "members read 2 different sets of topics; each set keeps its share" in text
    assert "left out: 1 member without a partition to read" in text
    assert "open to all members here: 1 partition that only some may read now" in text
    assert "5 partitions of unknown rate: the mean of the topic" in text


def test_numbers_without_a_plan_and_numbers_left_out() -> None:
    group = rated_group(EVEN, [25.0] * 2)
    text = words(page(group, max_partitions=3))
    assert "not planned, for lack of time or of room: 3 numbers of members" in text
    rates = [float(n + 1) for n in range(40)]
    text = words(page(rated_group(rates, [100.0] * 4), tolerance=0))
    assert "of 40 numbers; --json has all" in text


def test_the_document_is_that_of_the_sizing() -> None:
    group = rated_group(EVEN, [25.0] * 2)
    found = equilag.size(group)
    assert isinstance(found, Sizing)
    document = SizeReport(group, found).document()
    headlines = document.pop("headlines")
    assert document == found.to_dict()
    assert words(page(group)).startswith(" ".join(headlines))


def test_an_unknown_rate_is_not_called_hot() -> None:
    found = equilag.size(rated_group([9.0, None], [5.0]))
    assert [unit.partition for unit in found.hot] == [0]
    assert found.basis.unknown_rates == 1


def test_smaller_sizes_that_were_not_asked_for_are_not_judged() -> None:
    text = page(rated_group([10.0, 20.0, 30.0, 40.0], [100.0, 100.0]), members=(7, 9))
    assert "Needed: 7 members keep up, the heaviest at 40 %; fewer were not looked at." in text
    assert "More:" not in text


def test_an_interval_of_a_load() -> None:
    group = rated_group(EVEN, [None, None])
    rows = tuple(replace(r, load_at_least=r.load / 2) for r in equilag.size(group).rows)
    assert "has 60 records/s (30 at least) at best." in page(group, {"rows": rows})


def test_no_rows_no_table() -> None:
    text = page(rated_group(EVEN, [25.0] * 2), {"rows": ()})
    assert "12 partitions" in text
    assert "proved" not in text.split("orders-service")[1]


def test_nothing_to_read() -> None:
    text = page(rated_group([0.0, 0.0], [25.0]))
    assert text.startswith("1 member keeps up under the best plan (the heaviest at 0 %).\n")
    assert "More:" not in text
