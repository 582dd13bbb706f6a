"""Why a group is uneven now, in words; and members that may be slow or stuck."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.groups import group_of

import equilag
from equilag.domain.group.group import Group
from equilag.domain.plan.verdict import SuspectFacts
from equilag.planner.diagnosis.unevenness import UnevennessFacts, unevenness_facts
from equilag.planner.verdict.plan_verdict import judge_plan
from equilag.report.words.unevenness import suspect_words, unevenness_heading, unevenness_words


def now_of(group: Group, **settings: str) -> UnevennessFacts:
    return unevenness_facts(judge_plan(equilag.solve(group, time_limit=0, **settings)))


def why(group: Group) -> str:
    return "\n".join(unevenness_words(now_of(group)))


def test_few_heavy_partitions() -> None:
    lags = [100] * 15
    lags[2] = lags[4] = 900
    group = group_of([15], [[0]] * 3, owners=np.repeat([0, 1, 2], 5), lags=lags)
    text = why(group)
    assert "The number of its partitions is not the reason: it has 5, the others 5." in text
    assert (
        "2 of its 5 partitions are 85.7 % of its load: t00-2 (900), t00-4 (900); a partition"
        " of the group has 206.7 records on average." in text
    )


@pytest.mark.parametrize(
    ("readers", "words"),
    [
        (1, "Only it may read these partitions of t00: 100 % of its load."),
        (2, "which only 2 of the 4 members may read: spread equally over these, it is 2,000"),
    ],
)  # fmt: skip
def test_what_few_members_may_read(readers: int, words: str) -> None:
    subscriptions = [[0]] * readers + [[1]] * (4 - readers)
    owners = [0, 0, 0, readers - 1, *[readers, 3] * 2]
    group = group_of([4, 4], subscriptions, owners=owners, lags=[1000] * 4 + [100] * 4)
    assert words in why(group)


def test_a_member_that_may_be_stuck() -> None:
    lags = [20_000] * 6 + [5] * 30
    group = group_of([36], [[0]] * 6, owners=np.repeat(np.arange(6), 6), lags=lags)
    text = why(group)
    assert "m00 may be slow or stuck: all 6 of its partitions lag at least 20,000 records" in text
    assert "heavier" not in text


def test_slow_members() -> None:
    group = group_of([12], [[0]] * 4, owners=np.repeat(np.arange(4), 3), lags=[1000] * 12)
    speeds = (2.0, 10.0, 10.0, 5.0)
    members = [replace(m, capacity=c) for m, c in zip(group.members, speeds, strict=True)]
    text = why(replace(group, members=tuple(members), alike=None))
    assert "It is slow: its capacity is 2, the median 7.5" in text
    assert "m03 (5) is slow too; the median capacity is 7.5" in text


def test_owners_that_are_missing() -> None:
    group = group_of([6], [[0]] * 3, owners=[0, 0, 1, 1, 1, -1], lags=[100] * 6)
    assert "m02 owns no partition.\n1 partition has no owner." in why(group)
    nobody = group_of([6], [[0]] * 3)
    assert why(nobody) == "Nobody owns a partition: 6 partitions to assign."
    assert why(group_of([2], [[]])) == "No member reads a partition."


def test_an_even_group_says_so() -> None:
    lags = [100, 101, 99, 100]
    group = group_of([4], [[0]] * 2, owners=[0, 0, 1, 1], lags=lags)
    assert why(group) == "It is even: the members have 199 to 201 records, a fair share is 200."
    assert unevenness_heading(now_of(group)) == "How even it is now"
    alone = group_of([2], [[0]], owners=[0, -1], lags=[5, 900])
    assert "It is even" in why(alone)


def test_a_group_without_lag_is_counted() -> None:
    group = group_of([5], [[0]] * 3, owners=[0, 0, 1, 1, 2])
    assert why(group).startswith("The group has caught up, so loads are numbers of partitions.\nIt")
    assert now_of(group).evenness == "even"
    uneven = group_of([5], [[0]] * 3, owners=[0, 0, 0, 0, 2])
    assert "m00 is the heaviest member: 4 partitions, 2.4 × a fair share" in why(uneven)
    assert "The others have 0 to 1." in why(uneven)
    weightless = Group.build(
        name="g", topics={"t": 2}, members=["a"], subscriptions={"a": ["t"]},
        owned={"a": {"t": [0, 1]}}, weights={"t": [0, 0]},
    )  # fmt: skip
    assert unevenness_words(now_of(weightless, weight="given")) == (
        "There is no lag: all members have 0 weight.",
    )


def test_suspects_in_words() -> None:
    found = SuspectFacts("m03", 6, 6, 30_000, 54, 54, 59, 59)
    (line,) = suspect_words((found,))
    assert line == (
        "m03 may be slow or stuck: all 6 of its partitions lag at least 30,000 records each, the"
        " 54 partitions of other members at most 59. Moving partitions moves the backlog:"
        " measure speeds with --sample 60s, or look at it first."
    )
    some = SuspectFacts("m00", 10, 9, 30_000, 50, 49, 59, 40_000)
    (line,) = suspect_words((some,))
    assert "9 of its 10 partitions lag" in line
    assert "49 of the 50 partitions of other members at most 59" in line
    assert suspect_words(()) == ()
