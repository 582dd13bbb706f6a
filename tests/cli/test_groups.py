"""``groups``: the command to type next, and ``--watch`` with a cluster whose rounds are given."""

from __future__ import annotations

import json
import os
import re
import signal
from argparse import Namespace
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from equilag.cli import group_watch
from equilag.cli.commands import groups
from equilag.cli.commands.groups import plan_command
from equilag.domain.errors import InputError
from equilag.planner.facts.live_group import LiveGroupFacts
from equilag.report.reports.groups import GroupsReport

ORDERS = LiveGroupFacts("orders", "Stable", "classic", 3, 48, 12_345, 678, "c-1", 62.5, 0, [])
EVEN = LiveGroupFacts("audit", "Stable", "classic", 3, 48, 12, 0, "c-1", 33.3, 0, [])
NOBODY_ANSWERS = InputError("no broker answers", "", "b:1")
TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"

Watch = Callable[..., Any]


def found(*rows: LiveGroupFacts, **more: Any) -> GroupsReport:
    return GroupsReport(rows, {}, **more)


@pytest.fixture
def watch(run, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Run the command over some rounds; Ctrl-C ends it when they are over."""

    def call(*rounds: GroupsReport | InputError, remarks: tuple[str, ...] = (), argv=()) -> Any:
        left: Iterator[GroupsReport | InputError] = iter(rounds)

        def listed(_args: object) -> tuple[GroupsReport, list[str]]:
            one = next(left, None)
            if isinstance(one, InputError):
                raise one
            if one is None:
                os.kill(os.getpid(), signal.SIGINT)
                one = found()
            return one, [*remarks]

        monkeypatch.setattr(groups, "listed", listed)
        monkeypatch.setattr(group_watch.time, "sleep", lambda _seconds: None)
        return run("groups", "--bootstrap-server", "b:1", "--watch", *argv)

    return call


def test_without_a_terminal_every_round_is_a_block_with_its_time(watch: Watch) -> None:
    status, out, err = watch(found(ORDERS), found(ORDERS, EVEN))
    assert (status, err) == (0, "")
    assert re.match(rf"{TIME}\n1 group, total lag 12,345\n", out)
    assert re.search(rf"\n\n{TIME}\n2 groups, total lag 12,357\n", out)
    assert "\x1b" not in out


def test_a_failed_round_is_a_line_and_not_the_end(watch: Watch) -> None:
    status, out, err = watch(found(ORDERS), NOBODY_ANSWERS, found(EVEN))
    assert status == 0
    assert re.fullmatch(rf"equilag: {TIME}: round failed: b:1: no broker answers\n", err)
    assert "orders" in out
    assert "audit" in out


def test_a_first_round_that_fails_is_the_end(watch: Watch) -> None:
    assert watch(NOBODY_ANSWERS) == (2, "", "equilag: b:1: no broker answers\n")


def test_remarks_are_told_when_they_are_new(watch: Watch) -> None:
    done = watch(found(ORDERS), found(ORDERS), remarks=("left out: x",))
    assert done.err == "equilag: left out: x\n"


def test_json_is_a_line_per_round(watch: Watch) -> None:
    out = watch(found(ORDERS), found(EVEN), argv=("2", "--json")).out
    documents = [json.loads(line) for line in out.splitlines()]
    assert [one["groups"][0]["group"] for one in documents[:2]] == ["orders", "audit"]
    assert {one["format"] for one in documents} == {"equilag/groups/1"}
    assert not re.search(TIME, out)


def test_a_terminal_is_drawn_anew(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_watch, "is_terminal", lambda _stream: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "12")
    rows = [found(ORDERS), NOBODY_ANSWERS, found(*[EVEN] * 40)]
    status, out, err = watch(*rows, remarks=("left out: x",))
    assert (status, err) == (0, "")
    clear, *screens = out.split("\x1b[H")
    assert clear == "\x1b[2J"
    first, failed, many = (screen.replace("\x1b[K", "").splitlines() for screen in screens)
    assert re.fullmatch(rf"{TIME}, every 5 s; Ctrl-C ends it", first[0])
    assert "equilag: left out: x" in first
    assert re.fullmatch(rf"{TIME} round failed: b:1: no broker answers", failed[0])
    assert failed[1:] == first[1:]
    assert len(many) == 12  # the last is what erases the rest
    assert many[-2].endswith(" more lines; --groups REGEX lists fewer groups")


def test_the_most_uneven_group_is_the_next_to_plan() -> None:
    args = Namespace(bootstrap_server="b:1", command_config=None)
    even = replace(ORDERS, lag_spread=0)
    share = replace(ORDERS, group="s", lag_spread=None)
    spaced = replace(ORDERS, group="my orders")
    command = "equilag plan --bootstrap-server b:1 --group 'my orders'"
    assert plan_command([share, spaced, even], args) == command
    assert plan_command([even, share], args) is None
    login = Namespace(bootstrap_server="b:1", command_config="c.properties")
    assert "--command-config c.properties --group" in (plan_command([ORDERS], login) or "")
