"""``equilag steward``: its options, its log, and errors before it runs."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from equilag.adapters.kafka import group_reader
from equilag.cli.commands.steward import steward_options
from equilag.cli.parser import build_parser
from equilag.domain.errors import InputError
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.status.http_server import serve
from equilag.live.status.log_lines import LogLine
from equilag.live.status.served_pages import steward_pages
from equilag.live.status.status import StewardStatus
from equilag.live.steward.steward_options import StewardOptions
from equilag.planner.worth.thresholds import Thresholds, VerdictLimits


def test_no_broker_answers(refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_reader, "WAIT_S", 0.5)
    logger = logging.getLogger("equilag")
    logging_before = logger.level, logger.propagate, logger.handlers[:]
    handlers_before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    options = ["--bootstrap-server", "127.0.0.1:1", "--group", "g", "--listen", "127.0.0.1:0"]
    assert "no broker answers" in refused("steward", *options)
    assert (logger.level, logger.propagate, logger.handlers) == logging_before
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers_before


def options_of(*more: str) -> StewardOptions:
    argv = ["steward", "--bootstrap-server", "b:1", "--group", "g", *more]
    return steward_options(build_parser().parse_args(argv))


def test_options() -> None:
    more = "--protocol mine --tolerance 7 --gain 30 --gain-delay 2m --confirm 4 --cooldown 3m"
    more += " --moves-per-hour 9 --weight lag --horizon 30s --state s.json"
    more += " --min-lag 500 --behind 30s"
    options = options_of(*more.split())
    assert options.protocols == ("mine", "range", "roundrobin", "sticky", "cooperative-sticky")
    assert (options.policy.name, options.policy.tolerance) == ("lag-aware", 7)
    assert (options.policy.weight, options.policy.horizon) == ("lag", 30)
    assert options.limits == VerdictLimits(Thresholds(30, 120, 4, 180, 9), 500, 30)
    assert options.state_file == Path("s.json")


def test_a_key_for_plans(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(" a secret\n")
    options = options_of("--plan-key", str(file))
    assert options.plan_key == b"a secret"
    assert "secret" not in repr(options)


@pytest.mark.parametrize("text", [None, " \n"])
def test_no_key_for_plans(text: str | None, tmp_path: Path) -> None:
    file = tmp_path / "key"
    if text is not None:
        file.write_text(text)
    problem = "No such file or directory" if text is None else "is empty"
    with pytest.raises(InputError, match=f"--plan-key: {file}: {problem}"):
        options_of("--plan-key", str(file))


def test_defaults() -> None:
    assert options_of() == StewardOptions("g")


def test_options_of_extended_groups() -> None:
    policy = options_of("--pin", "t-1=c", "--capacity", "c=2", "--rack-aware").policy
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
    server = serve(steward_pages(state), "127.0.0.1", 0)
    yield state, f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_status_of_a_healthy_steward(running: tuple[StewardStatus, str], run, document) -> None:
    state, listen = running
    state.set(role="leader", group="g")
    state.observed()
    state.heartbeat_answered()
    status, text, _ = run("steward", "--status", "--listen", listen)
    assert status == 0
    assert text.startswith("The group has no members\n")
    assert "\ng: steward: leader, status of " in text
    found = document("steward", "--status", "--listen", listen)
    assert found["group"] == "g"
    assert found["settings"] == {"observe_every_s": 1.0, "session_s": 10.0}


def test_status_of_an_unhealthy_steward(running: tuple[StewardStatus, str], run) -> None:
    status, _, err = run("steward", "--status", "--listen", running[1])
    assert status == 1
    assert "not healthy: the group has not been read yet" in err


@pytest.mark.parametrize("option", ["--keep-membership", "--keep-seat"])
def test_both_names_of_keep_membership(option: str) -> None:
    assert not options_of().keep_membership
    assert options_of(option).keep_membership


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
    made = options_of(*(word for value in given for word in ("--co-partition", value)))
    assert (made.co_partition, made.policy.co_partition) == (mode, lists)
