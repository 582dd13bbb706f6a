"""``equilag steward``: its options, its log, and errors before it runs."""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.json_schemas import findings

from equilag.adapters.kafka import cluster
from equilag.cli import main
from equilag.cli.arguments.steward_options import steward_options
from equilag.cli.parser import build_parser
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.status.http_server import serve
from equilag.live.status.log_lines import LogLine
from equilag.live.status.status import StewardStatus
from equilag.live.steward.steward_options import StewardOptions
from equilag.planner.worth.thresholds import Thresholds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--bootstrap-server: is required"),
        (["--bootstrap-server", "b:1"], "--group: is required"),
        (["--group", ""], "--bootstrap-server: is required"),
        (["--listen", "nowhere"], "'nowhere' is not of the form HOST:PORT"),
        (["--listen", "h:70000"], "--listen: 70000 is no port; 65535 is the highest"),
        (["--every", "soon"], "'soon' is not a duration"),
        (["--gain", "-1"], "is not a percentage"),
        (["--policy", "none"], "'none' is none of"),
        (
            ["--bootstrap-server", "b:1", "--group", "g", "--confirm", "0"],
            "--confirm: must be at least 1",
        ),
        (
            ["--bootstrap-server", "b:1", "--group", "g", "--instance-id", ""],
            "--instance-id: is empty",
        ),
        (["--status", "--listen", "127.0.0.1:1"], "no steward answers at 127.0.0.1:1"),
        (["--json"], "--json: needs --status"),
        (
            [
                "--bootstrap-server",
                "b:1",
                "--group",
                "g",
                "--co-partition",
                "none",
                "--co-partition",
                "t,u",
            ],
            "--co-partition: none does not go with another value",
        ),
        (
            ["--bootstrap-server", "b:1", "--group", "g", "--policy", "kip-169", "--rack-aware"],
            "--balance: per-topic does not go with the settings of an extended group; total does",
        ),
    ],
)
def test_bad_usage(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["steward", *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


def test_no_broker_answers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "WAIT_S", 0.5)
    logger = logging.getLogger("equilag")
    logging_before = logger.level, logger.propagate, logger.handlers[:]
    handlers_before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    options = ["--bootstrap-server", "127.0.0.1:1", "--group", "g", "--listen", "127.0.0.1:0"]
    assert main(["steward", *options]) == 2
    assert "no broker answers" in capsys.readouterr().err
    assert (logger.level, logger.propagate, logger.handlers) == logging_before
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers_before


def test_options() -> None:
    arguments = "steward --bootstrap-server b:1 --group g --protocol mine --tolerance 7"
    arguments += " --gain 30 --gain-delay 2m --confirm 4 --cooldown 3m --moves-per-hour 9"
    arguments += " --weight lag --horizon 30s --state s.json"
    options = steward_options(build_parser().parse_args(arguments.split()))
    assert options.protocols == ("mine", "range", "roundrobin", "sticky", "cooperative-sticky")
    assert (options.policy.name, options.policy.tolerance) == ("lag-aware", 7)
    assert (options.policy.weight, options.policy.horizon) == ("lag", 30)
    assert options.thresholds == Thresholds(30, 120, 4, 180, 9)
    assert options.state_file == Path("s.json")


def test_defaults() -> None:
    options = steward_options(
        build_parser().parse_args(["steward", "--bootstrap-server", "b", "--group", "g"])
    )
    assert options == StewardOptions("g")


def test_options_of_extended_groups() -> None:
    arguments = "steward --bootstrap-server b:1 --group g --pin t-1=c --capacity c=2 --rack-aware"
    policy = steward_options(build_parser().parse_args(arguments.split())).policy
    assert policy == live_policy(pin={("t", 1): "c"}, capacity={"c": 2}, rack_aware=True)


def test_a_line_of_the_log() -> None:
    record = logging.makeLogRecord(
        {"msg": "handed-out", "levelname": "INFO", "fields": {"n": 3, "why": 'a "b"', "not": ""}}
    )
    _, _, rest = LogLine().format(record).partition(" ")
    assert rest == 'level=info event=handed-out n=3 why="a \\"b\\""'


@pytest.fixture
def running() -> Iterator[tuple[StewardStatus, str]]:
    state = StewardStatus(1.0, 10.0)
    server = serve(state, "127.0.0.1", 0)
    yield state, f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_status_of_a_healthy_steward(
    running: tuple[StewardStatus, str], capsys: pytest.CaptureFixture[str]
) -> None:
    state, listen = running
    state.set(role="leader", group="g")
    state.observed()
    state.heartbeat_answered()
    assert main(["steward", "--status", "--listen", listen]) == 0
    text = capsys.readouterr().out
    assert text.startswith("The group has no members\n")
    assert "\ng: steward: leader, status of " in text
    assert "format" not in text
    assert main(["steward", "--status", "--json", "--listen", listen]) == 0
    document = json.loads(capsys.readouterr().out)
    assert findings(document) == []
    assert document["group"] == "g"
    assert document["settings"] == {"observe_every_s": 1.0, "session_s": 10.0}


def test_status_of_an_unhealthy_steward(
    running: tuple[StewardStatus, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["steward", "--status", "--listen", running[1]]) == 1
    assert "not healthy: the group has not been read yet" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--keep-membership", "--keep-seat"])
def test_both_names_of_keep_membership(option: str) -> None:
    arguments = ["steward", "--bootstrap-server", "b:1", "--group", "g"]
    assert not steward_options(build_parser().parse_args(arguments)).keep_membership
    assert steward_options(build_parser().parse_args([*arguments, option])).keep_membership


@pytest.mark.parametrize(
    ("given", "mode", "lists"),
    [
        ([], "auto", ()),
        (["auto"], "auto", ()),
        (["none"], "none", ()),
        (["t,u", "v,w"], "none", (("t", "u"), ("v", "w"))),
    ],
)
def test_what_is_kept_together(given: list[str], mode: str, lists: object) -> None:
    argv = [word for value in given for word in ("--co-partition", value)]
    args = build_parser().parse_args(["steward", "--group", "g", *argv])
    made = steward_options(args)
    assert (made.co_partition, made.policy.co_partition) == (mode, lists)
