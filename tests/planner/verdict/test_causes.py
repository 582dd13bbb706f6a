"""Single causes: what is not planned as 0 in silence, limits, exit statuses, the saved group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import equilag
from equilag import Group
from equilag.cli import main
from equilag.domain.building.group_input import PartitionOffsets
from equilag.domain.errors import InputError
from equilag.domain.plan.verdict import VerdictFacts
from equilag.planner.verdict.quick_verdict import quick_verdict
from equilag.planner.worth.thresholds import Thresholds, VerdictLimits


def built(**fields: Any) -> Group:
    """Two members, of which m0 owns the first half of one topic."""
    n = next(iter(fields.pop("topics", {"t": 4}).values()))
    half = {"m0": {"t": [*range(n // 2)]}, "m1": {"t": [*range(n // 2, n)]}}
    return Group.build(**{
        "name": "g", "topics": {"t": n}, "members": ["m0", "m1"],
        "subscriptions": {"m0": ["t"], "m1": ["t"]}, "owned": half, **fields,
    })  # fmt: skip


def of(group: Group) -> VerdictFacts:
    found = equilag.solve(group, effort=0.01).verdict
    assert found is not None
    return found


def offsets(ends: list[int], commits: list[int | None]) -> PartitionOffsets:
    return PartitionOffsets({"t": [0] * len(ends)}, {"t": ends}, {"t": commits})


def test_a_partition_without_a_commit_is_told() -> None:
    found = of(built(offsets=offsets([812_333, 5, 5, 0], [None, 5, 5, None])))
    (cause,) = (one for one in found.causes if one.cause == "never-committed")
    assert cause.partitions == (("t", 0),)  # t-3 is empty
    assert "812,333 records in the log" in found.headline
    assert (found.action, found.worth_it) == ("look", True)


def test_an_unknown_lag_is_told() -> None:
    assert of(built(lags={"t": [5, 5, None, 5]})).action == "look"
    none = of(built(lags={"t": [None] * 4}))
    assert ([one.cause for one in none.causes], none.action) == (["unknown-lag"], "look")
    by_weights = of(built(lags={"t": [None] * 4}, weights={"t": [3] * 4}))
    assert "unknown-lag" not in [one.cause for one in by_weights.causes]


def test_spare_members_are_in_order() -> None:
    group = built(topics={"t": 1}, owned={"m0": {"t": [0]}}, lags={"t": [3]})
    found = of(group)
    assert [one.cause for one in found.causes] == ["idle-members", "caught-up"]
    assert (found.causes[0].members, found.action) == (("m1",), "leave")
    assert found.headline.endswith("; 2 members share 1 partition, so at least 1 reads nothing")


def test_what_nobody_owns_comes_before_what_is_uneven() -> None:
    found = of(built(owned={"m0": {"t": [0, 1, 2]}}, lags={"t": [9_000, 9_000, 9_000, 5]}))
    assert (found.action, found.causes[0].cause) == ("assign", "unassigned")
    assert found.causes[0].partitions == (("t", 3),)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0), (("--min-gain", "100"), 10), (("--min-gain", "100", "--gain", "60"), 0),
        (("--min-lag", "150"), 10),
    ],
)  # fmt: skip
def test_limits_are_options(
    options: tuple[str, ...], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of every command that judges a group."""
    group = built(
        lags={"t": [300, 240, 100, 100]}, owned={"m0": {"t": [0, 1]}, "m1": {"t": [2, 3]}}
    )
    path = tmp_path / "g.json"
    equilag.save_snapshot(group, path)
    assert main(["plan", str(path), "--check", "--effort", "0.01", *options]) == status
    capsys.readouterr()
    for command in ("plan", "explain", "report", "size", "simulate"):
        argv = [command, str(path), "--json", "--effort", "0.01", *options]
        assert main([*argv, *(["--capacity", "*=9"] if command == "simulate" else [])]) == 0
        verdict = json.loads(capsys.readouterr().out)["verdict"]
        assert (verdict["action"] != "leave") == (status == 10), command


def test_a_saved_group_has_the_same_verdict(tmp_path: Path) -> None:
    ends, now, then = [5_000] * 4, [100, 4_990, 4_995, 5_000], [100, 4_000, 4_100, 4_200]
    previous = 400.0, offsets([4_200] * 4, [*then])
    group = built(offsets=offsets(ends, [*now]), previous=previous)
    found = of(group)
    assert (found.causes[0].cause, found.causes[0].sure) == ("stuck-partition", True)
    equilag.save_snapshot(group, tmp_path / "g.json")
    again = equilag.load_snapshot(tmp_path / "g.json")
    assert of(again) == found
    snapshot = json.loads((tmp_path / "g.json").read_text("utf-8"))
    for seconds in (0, "60", True):
        snapshot["previous"]["seconds_before"] = seconds
        with pytest.raises(InputError, match=r"previous\.seconds_before"):
            equilag.load_snapshot(snapshot)
    snapshot["previous"] = {"seconds_before": 60, "offsets": {"u": {}}}
    with pytest.raises(InputError, match=r"previous\.offsets"):
        equilag.load_snapshot(snapshot)


def test_a_stuck_reader_of_few_records_is_told_and_asks_for_nothing() -> None:
    commits = [95, 100, 100, 100]
    earlier = offsets([100, 50, 50, 50], [95, 50, 50, 50])
    found = of(built(offsets=offsets([100] * 4, [*commits]), previous=(600.0, earlier)))
    assert (found.causes[0].cause, found.causes[0].sure) == ("stuck-partition", False)
    assert found.action == "leave"


def test_of_many_groups_the_uneven_ones_are_planned() -> None:
    uneven = built(lags={"t": [5_000, 3_900, 2_900, 2_000]})
    assert quick_verdict(uneven).action == "move"
    least = VerdictLimits(Thresholds(min_gain=9_000))
    assert quick_verdict(uneven, least).action == "leave"
    assert quick_verdict(built(lags={"t": [9_000, 0, 0, 0]})).action == "look"


def test_a_quick_verdict_on_a_group_without_some_commits_is_that_of_its_plan() -> None:
    ends, commits = [5_000, 3_900, 2_900, 2_000, 7, 7], [0, 0, None, 0, 0, None]
    group = built(topics={"t": 6}, offsets=offsets(ends, [*commits]))
    quick, planned = quick_verdict(group), of(group)
    assert (quick.action, quick.cause) == (planned.action, planned.cause)
    assert quick.cause == "uneven-assignment"
    assert "never-committed" in [one.cause for one in quick.causes]


def test_claims_and_verdict_are_made_when_they_are_read() -> None:
    plan = equilag.solve(built(lags={"t": [0] * 4}), policy="fair-yet-sticky")
    assert {"claims", "verdict"} & {k for k, v in plan.__dict__.items() if not callable(v)} == set()
    assert plan.claims
    assert plan.verdict is not None
    assert isinstance(plan.__dict__["claims"], tuple)


@pytest.mark.parametrize(("guessed", "told"), [((), False), (("m0",), False), (("m0", "m1"), True)])
def test_a_move_that_rests_on_a_guessed_subscription_says_so(
    guessed: tuple[str, ...], told: bool
) -> None:
    group = Group.build(
        name="g", topics={"t": 4, "u": 1}, members=["m0", "m1"],
        subscriptions={"m0": ["t", "u"], "m1": ["t", "u"]}, assumed_subscribers=guessed,
        owned={"m0": {"t": [0, 1, 2, 3]}, "m1": {"u": [0]}},
        lags={"t": [5_000, 3_900, 2_900, 2_000], "u": [1_900]},
    )  # fmt: skip
    found = of(group)
    assert found.action == "move"
    first = "It is a guess that m1 subscribes to t: it owns none of what the plan moves there."
    assert found.details[0].startswith(first) if told else not found.details
    (cause,) = (one for one in quick_verdict(group).causes if one.cause == "uneven-assignment")
    assert cause.sure is not told
