"""``groups``: the command to type next, and ``--watch`` with a cluster whose rounds are given."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.paths import SAMPLES

from equilag.cli import group_watch
from equilag.cli.commands import groups
from equilag.cli.commands.groups import plan_command
from equilag.cli.parser import build_parser
from equilag.domain.errors import InputError
from equilag.domain.group.group import Group
from equilag.report.reports.groups import GroupsReport, LiveGroupFacts, live_group_facts

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


def test_the_worst_group_is_the_next_to_look_at() -> None:
    group = Group.build(
        name="my orders", topics={"t": 2}, members=["m"], subscriptions={"m": ["t"]},
        owned={"m": {"t": [0]}}, lags={"t": [9, 9]},
    )  # fmt: skip
    worst = live_group_facts(group)
    live = ["groups", "--bootstrap-server", "b:1"]
    for words, told in (
        (live, live[1:]),
        ([*live, "--watch", "--command-config", "c.properties"],
         [*live[1:], "--command-config", "c.properties"]),
    ):  # fmt: skip
        args = build_parser(words).parse_args(words)
        command = f"equilag plan {' '.join(told)} --group 'my orders'"
        assert plan_command([ORDERS, worst], args) == command
        assert plan_command([ORDERS, EVEN], args) is None


def printed(name: str, lags: list[int], owners: list[str], read: int = 0, came: int = 0) -> str:
    """What Kafka's tool prints, after `read` records of each partition and `came` more."""
    rows = ["GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"]
    for number, (lag, owner) in enumerate(zip(lags, owners, strict=True)):
        host = "-" if owner == "-" else "/10.0.0.1"
        here, end = 1_000_000 + read, 1_000_000 + lag + came
        rows.append(f"{name} t {number} {here} {end} {end - here} {owner} {host} c")
    return "\n".join(rows) + "\n\n"


IDS = [f"c-{n}-3b241101-e2bb-4255-8caf-4136c566a96{n}" for n in range(2)]


def test_every_group_of_a_text_the_worst_first(run, tmp_path) -> None:
    """A cause and an action each; names that differ in the middle only can be told apart."""
    text, saved = tmp_path / "all.txt", tmp_path / "g.json"
    names = [f"checkout-payment-authorisation-service-{way}-production-eu-west-1" for way in "ab"]
    cut = printed("cut", [9, 9, 9, 9], IDS * 2).replace("-a966", "").replace(" /10.0.0.1 c", "")
    text.write_text(
        "".join(printed(name, [3, 2, 0, 4], IDS * 2) for name in names)
        + printed("behind", [1_000_000] * 4, IDS * 2)
        + printed("nobody", [500, 0], ["-", "-"])
        + "\n".join(line[:58] for line in cut.splitlines())
        + "\n\n"
        + printed("one", [5, 812_333, 4, 3], IDS * 2),
        "utf-8",
    )
    status, out, _ = run("groups", "--from-describe", text, "--json")
    document = json.loads(out)
    found = [(row["group"], row["cause"], row["action"]) for row in document["groups"]]
    assert found == [
        ("behind", "all-behind", "look"),
        ("one", "one-partition", "look"),
        ("nobody", "no-members", "start-members"),
        ("cut", "incomplete-input", "cannot-tell"),
        *((name, "caught-up", "leave") for name in names),
    ]
    assert status == 10
    assert [row["verdict"]["action"] for row in document["groups"]] == [one[2] for one in found]
    shown = run("groups", "--from-describe", text, "--width", 60).out
    assert shown.startswith("6 groups, total lag 4,812,899, 4 need something\n")
    assert "-a-" in shown
    assert "-b-" in shown
    argv = ("groups", "--from-describe", text, "--groups", "checkout.*")
    assert run(*argv).status == 0
    # A saved group keeps what its text does not say.
    argv = ("--from-describe", text, "--group", "cut", "--time-limit", 0)
    assert run("plan", *argv, "--save-snapshot", saved).status == 0
    again = json.loads(run("plan", saved, "--json", "--time-limit", 0).out)["verdict"]
    assert (again["action"], again["cause"]) == ("cannot-tell", "incomplete-input")


def test_two_texts_of_all_groups(run, tmp_path) -> None:
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text(
        printed("slow", [90_000] * 4, IDS * 2) + printed("other", [90_000] * 4, IDS * 2), "utf-8"
    )
    after.write_text(
        printed("slow", [90_000] * 4, IDS * 2, 40_000, 60_000)
        + printed("other", [90_000] * 4, IDS * 2, 80_000, 60_000)
        + printed("new", [3], IDS[:1]),
        "utf-8",
    )
    argv = ["--from-describe", before, "--from-describe", after, "--between", "1m"]
    status, out, _ = run("groups", *argv, "--json")
    assert status == 10
    rows = {row["group"]: row for row in json.loads(out)["groups"]}
    assert (rows["slow"]["cause"], rows["slow"]["action"]) == ("all-behind", "add-members")
    assert rows["slow"]["seconds_behind"] == pytest.approx(110)
    assert rows["other"]["action"] == rows["new"]["action"] == "leave"
    assert "--between 60s" in run("groups", *argv).out


def test_a_plan_that_rests_on_guessed_subscriptions_is_marked(run) -> None:
    shown = run("groups", "--from-describe", SAMPLES / "stats.describe.txt").out
    assert "rebalance ?" in shown
    assert "? if all members subscribe to all topics" in shown
    assert " ?" not in run("groups", "--from-describe", SAMPLES / "audit.describe.txt").out
