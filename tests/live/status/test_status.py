"""The steward's status: its facts, log and report; decisions, events, headline, speeds, moves."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path

import pytest
from support.groups import group_of
from support.live_loads import loads_of
from support.reports import words_of
from support.steward_fakes import made_steward

from equilag.domain.errors import InputError
from equilag.live.status.served_pages import live_parts
from equilag.live.status.status import (
    MAX_EVENTS,
    MAX_POINTS,
    SPAN_S,
    StewardStatus,
    log_event,
    recorded,
)
from equilag.live.status.status_figures import SpeedReport, lasting, shown_moves
from equilag.live.status.steward_facts import read_steward_facts
from equilag.live.status.steward_report import StewardReport
from equilag.planner.solve import solve
from equilag.planner.verdict.quick_verdict import quick_verdict
from equilag.planner.worth.thresholds import VerdictLimits
from equilag.report.report_blocks import Fact, Facts


def leading() -> StewardStatus:
    state = StewardStatus(1.0, 10.0)
    state.set(role="leader", members=2, heaviest_percent=104.0)
    state.observed()
    state.heartbeat_answered()
    return state


def test_decisions_of_one_kind_are_one_entry() -> None:
    state = leading()
    for kind, reason in [("even", "a"), ("even", "b"), ("patience", "c"), ("", "not leading")]:
        state.decide(kind, reason)
    newest, oldest = state.facts.decisions
    assert (newest.decision, newest.observations) == ("patience", 1)
    assert (oldest.decision, oldest.reason, oldest.observations) == ("even", "b", 2)
    assert (state.facts.decision, state.facts.decision_reason) == ("", "not leading")


def test_events_of_the_log() -> None:
    state = leading()
    with recorded(state):
        log_event(logging.WARNING, "rebalance", cause="gain", reason="it helps", moves="", ms=3)
        log_event(logging.WARNING, "decision", reason="shown elsewhere")
        for _ in range(MAX_EVENTS):
            log_event(logging.ERROR, "refused", problem="no right")
    log_event(logging.WARNING, "rebalance", reason="after its end")
    assert len(state.facts.events) == MAX_EVENTS
    assert {(one.event, one.level, one.text) for one in state.facts.events} == {
        ("refused", "error", "no right")
    }
    with recorded(state):
        log_event(logging.WARNING, "rebalance", cause="gain", reason="it helps", moves="", ms=3)
    assert state.facts.events[0].text == "cause: gain; it helps; ms: 3"


HEADLINES = Path(__file__).with_name("headlines.jsonl").read_text("utf-8").splitlines()
"""What is other than in `leading`, how the headline begins, and its tone."""


@pytest.mark.parametrize(("changed", "words", "tone"), [*map(json.loads, HEADLINES)])
def test_headlines(changed: dict[str, object], words: str, tone: str) -> None:
    state = leading()
    state.set(**changed)
    assert state.facts.headline.startswith(words)
    assert state.facts.tone == tone


def test_the_history_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    state, clock = leading(), [0.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    for second in range(2 * int(SPAN_S)):
        clock[0] = float(second)
        state.set(lag_total=second)
        state.record_figures()
        if second % 1000 == 0:
            state.record_rebalance()
    found = state.history
    assert leading().history.times == ()
    assert len(found.times) <= MAX_POINTS + 1
    assert found.times[-1] == found.lag_total[-1] == 2 * SPAN_S - 1
    assert found.times[0] >= SPAN_S - 1
    assert all(at >= SPAN_S - 1 for at in found.rebalances)


@pytest.mark.parametrize(
    ("growth", "behind"), [([100.0] * 40, 10.0), ([100.0] * 20 + [-100.0] * 20, None), ([1], None)]
)
def test_a_group_that_falls_behind_is_not_even(
    growth: list[float], behind: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lag grows by 10 records a second, of 100 that are produced."""
    state, lag = leading(), 20_000.0
    state.decide("even", "at best relieves a member by 2 % of a fair share")
    for number, more in enumerate(growth):
        monkeypatch.setattr("time.time", lambda number=number: 10.0 * number)
        lag += more
        state.set(lag_total=round(lag), rate_total=100.0)
        state.record_figures()
    facts = state.facts
    assert facts.falls_behind == behind
    assert facts.tone == ("good" if behind is None else "bad")
    begin = "Leave it: the load is even" if behind is None else "The group falls behind by 10 rec"
    assert facts.headline.startswith(begin)
    state.set(lag_total=2_900)  # the records of 29 s: commits may take so long
    assert state.facts.falls_behind is None


def test_what_is_shown_first_of_a_group_that_is_in_trouble() -> None:
    state = made_steward()
    tiles = [row.label for row in parts_of(state)]
    assert not {"without an owner", "figures are old", "falls behind"} & set(tiles)
    state.set(unowned_partitions=3)
    state._observed_at = time.monotonic() - 44.0
    assert [(row.label, row.words) for row in parts_of(state)][:2] == [
        ("figures are old", "44 s"),
        ("without an owner", "3"),
    ]
    assert '<dl class="stats old">' in live_parts(state)
    assert "at least 1,200" in live_parts(state)
    assert '<dl class="stats">' in live_parts(made_steward())


def parts_of(state: StewardStatus) -> tuple[Fact, ...]:
    """The tiles of the report."""
    blocks = [one for one in StewardReport(state.facts).parts() if isinstance(one, Facts)]
    return blocks[0].rows


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.fields["reason"] for record in caplog.records]  # type: ignore[attr-defined]


def test_speeds_are_reported_when_they_change(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    report = SpeedReport()
    report.report({}, (), 0.0)
    assert not caplog.records
    speeds = {f"c-{n}": 120.0 for n in range(5)} | {"slow": 40.04}
    for _ in range(3):
        report.report(speeds, {"slow"}, 512.0)
    assert lines(caplog) == [
        "slow: 40.0 records/s; 5 members: at least 120.0 records/s, never behind so far"
    ]
    report.report({"a": 10.0, "b": 10.0}, "ab", 1.0)
    used = [record.fields["used_percent"] for record in caplog.records]  # type: ignore[attr-defined]
    assert used == ["", 5]  # no share of what is assumed
    named = "worker-3-25689002-60c4-4600-8d95-0f445392efc6"
    report.report({"a": 10.0, named: 5.0}, ["a", named], 1.0)
    report.report({}, (), 1.0)
    assert lines(caplog)[1:] == [
        "2 members: 10.0 records/s",
        "worker-3: 5.0 records/s; a: 10.0 records/s",
        "no longer known; all members count as equal",
    ]


def test_moves_are_named_up_to_a_number() -> None:
    two = solve(loads_of([900, 500, 400, 0], ["a", "b"], [0, 0, 1, 1]).group, effort=0.1)
    assert shown_moves(two) == "t-0 a to b, t-2 b to a"
    many = solve(loads_of([10] * 30, ["a", "b"], [0] * 30).group, effort=0.1)
    assert shown_moves(many).endswith(" a to b and 3 more")
    assert shown_moves(solve(loads_of([1, 1], ["a", "b"], [0, 1]).group, effort=0.1)) == ""


def test_facts_come_back_from_their_json() -> None:
    facts = made_steward().facts
    assert read_steward_facts(json.loads(json.dumps(facts.document()))) == facts


def test_a_status_of_another_version() -> None:
    with pytest.raises(InputError, match="format: is None, not 'equilag/steward-status/1'"):
        read_steward_facts({"role": "leader"})
    broken = {**made_steward().facts.document(), "events": [{"what": 1}]}
    with pytest.raises(InputError, match="status: cannot be read"):
        read_steward_facts(broken)


def test_what_no_rebalance_mends_is_told_with_what_to_do() -> None:
    late = group_of([4], [[0]] * 2, owners=[0, 0, 1, 1], lags=[90_000] * 4)
    state = leading()
    state.set(
        causes=lasting(quick_verdict(late, VerdictLimits()).causes), at="2026-11-22T00:00:00Z"
    )
    facts = read_steward_facts(json.loads(json.dumps(state.facts.document())))
    (cause,) = facts.causes
    assert (cause.cause, cause.action, cause.sure) == ("all-behind", "look", False)
    assert f"{cause.evidence} {cause.advice}" in words_of(StewardReport(facts))
    uneven = group_of([4], [[0]] * 2, owners=[0, 0, 0, 1], lags=[5_000, 3_900, 2_900, 2_000])
    assert lasting(quick_verdict(uneven, VerdictLimits()).causes) == ()
