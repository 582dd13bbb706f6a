"""The steward's HTTP server."""

from __future__ import annotations

import dataclasses
import html
import json
import re
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest
from support.groups import group_of
from support.steward_fakes import made_steward

from benchmarks.waiting import until
from equilag.cli import main
from equilag.domain.errors import InputError
from equilag.live.exporter.group_answer import ScaleFacts, answer_of
from equilag.live.status import http_server
from equilag.live.status.http_server import MAX_CONNECTIONS, is_own_name, serve
from equilag.live.status.served_pages import steward_pages
from equilag.live.status.status import StewardStatus
from equilag.planner.verdict.quick_verdict import quick_judgement
from equilag.planner.worth.thresholds import VerdictLimits


@pytest.fixture
def state() -> StewardStatus:
    state = StewardStatus(observe_every_s=1.0, session_s=10.0)
    state.set(group="g", role="leader", members=3, lag_spread=70, generation=4)
    state.decide("even", "quiet")
    state.count("handouts", "sticky")
    state.observed()
    state.heartbeat_answered()
    return state


@contextmanager
def serving(state: StewardStatus, host: str, allowed: Sequence[str] = ()) -> Iterator[str]:
    server = serve(steward_pages(state), host, 0, allowed)
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def url(state: StewardStatus) -> Iterator[str]:
    with serving(state, "127.0.0.1") as address:
        yield address


def ask(url: str) -> tuple[int, str]:
    try:
        with urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_metrics_for_prometheus(url: str) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    found = text_string_to_metric_families(ask(url + "/metrics")[1])
    families = {family.name: family for family in found}
    values = {name: family.samples[0].value for name, family in families.items() if family.samples}
    assert values["equilag_steward_lag_spread"] == 70
    assert values["equilag_steward_members"] == 3
    assert values["equilag_steward_healthy"] == 1
    assert values["equilag_steward_last_observation_age_seconds"] < 60
    assert "equilag_steward_lag_total" not in values  # unknown so far
    handouts = families["equilag_steward_handouts"].samples
    assert {one.labels["kind"]: one.value for one in handouts} == {
        "target": 0, "sticky": 1, "heuristic": 0
    }  # fmt: skip
    roles = {one.labels["role"]: one.value for one in families["equilag_steward_role"].samples}
    assert roles["leader"] == 1
    assert sum(roles.values()) == 1


def test_health(url: str, state: StewardStatus) -> None:
    assert ask(url + "/healthz") == (200, "ok\n")
    state.set(role="unreachable", role_reason="no broker answers")
    assert ask(url + "/healthz") == (503, "unreachable: no broker answers\n")


def exchange(url: str, request: bytes) -> bytes:
    """What the server answers to these bytes, until it ends the connection."""
    port = int(url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(request)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer


EVIL = "GET /status HTTP/1.0\r\nHost: evil.example:9478"


@pytest.mark.parametrize(
    ("request_", "code", "also"),
    [
        *((f"{method} /status HTTP/1.0", 405, "Allow: GET, HEAD") for method in ("POST", "BREW")),
        ("HEAD /status HTTP/1.0", 200, "nosniff"),
        ("GET /nothing HTTP/1.0", 404, "/metrics"),
        (EVIL, 421, "--allow-host"),  # no other site can read it by a name of its own
        ("GET /healthz HTTP/1.0\r\nHost: Steward.example", 200, "ok"),
    ],
)
def test_it_only_reads_and_only_under_its_names(
    state: StewardStatus, request_: str, code: int, also: str
) -> None:
    with serving(state, "127.0.0.1", ["steward.example"]) as address:
        answer = exchange(address, f"{request_}\r\n\r\n".encode()).decode()
    assert f" {code} " in answer.splitlines()[0]
    assert also in answer
    assert answer.endswith("\r\n\r\n") == request_.startswith("HEAD")
    assert ('"group"' in answer) is False


def test_slow_clients_do_not_keep_others_out(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    port = int(url.rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port), 5) for _ in range(MAX_CONNECTIONS)]
    try:
        for connection in slow:
            connection.sendall(b"GET /status HT")
        until(lambda: _answers(url, 503), 10)
        monkeypatch.setattr(http_server, "REQUEST_S", 0.0)
        until(lambda: all(_is_closed(one) for one in slow), 10)
    finally:
        for connection in slow:
            connection.close()
    monkeypatch.undo()
    until(lambda: _answers(url, 200), 10)


def _answers(url: str, code: int) -> bool:
    try:
        return ask(url + "/healthz")[0] == code
    except (OSError, HTTPException):
        return False


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.05)
    try:
        return connection.recv(1024) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_a_page_that_fails_is_logged(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(StewardStatus, "history", property(lambda _: 1 / 0))
    assert ask(url + "/history")[0] == 500
    assert "page-failed" in caplog.text


def test_the_course_of_the_last_hour(url: str, state: StewardStatus) -> None:
    state.record_figures()
    state.record_rebalance()
    document = json.loads(ask(url + "/history")[1])
    assert document["format"] == "equilag/steward-history/1"
    assert len(document["times"]) == len(document["rebalances"]) == 1


def test_a_port_in_use(url: str, state: StewardStatus) -> None:
    port = int(url.rpartition(":")[2])
    said = f"--listen: cannot listen on port {port} of 127.0.0.1: Address already in use"
    with pytest.raises(InputError, match=f"{said}; choose another HOST:PORT"):
        serve(steward_pages(state), "127.0.0.1", port)


def test_ipv6(state: StewardStatus) -> None:
    try:
        with serving(state, "::1") as address:
            assert ask(f"{address}/healthz")[0] == 200
    except InputError as error:
        pytest.skip(f"no IPv6 here: {error}")


def test_names_that_no_other_site_has_and_allowed_names() -> None:
    own = ("", "127.0.0.1:1", "[::1]:1", "10.1.2.3", "localhost:1", "x.localhost.", "node-1:9")
    assert [host for host in own if not is_own_name(host, ())] == []
    assert not is_own_name("steward.example:9478", ())
    assert is_own_name("Steward.Example.:9478", {"steward.example"})
    assert is_own_name(socket.gethostname(), ())
    assert not is_own_name("evil.example", {"steward.example"})


def test_all_outputs_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    state = made_steward()
    with serving(state, "127.0.0.1") as address:
        status = json.loads(ask(f"{address}/status")[1])
        metrics = ask(f"{address}/metrics")[1].splitlines()
        main(["steward", "--status", "--listen", address.removeprefix("http://")])
        texts = [ask(f"{address}/")[1], ask(f"{address}/parts")[1], capsys.readouterr().out]
    assert status["format"] == "equilag/steward-status/1"
    assert status["verdict"] == status["decision_reason"]
    assert status["counters"] == {"handouts:sticky": 1}
    for name in ("lag_total", "lag_spread", "heaviest_percent", "members", "partitions"):
        assert f"equilag_steward_{name} {float(status[name])}" in metrics
    for text in texts:
        plain = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())
        assert status["headline"] in plain
        assert f"{status['lag_total']:,}" in plain
        assert "orders-0" in plain


def test_how_many_processes_and_what_is_known_of_the_group(state: StewardStatus, url: str) -> None:
    assert ask(f"{url}/scale/g")[0] == 404
    group = group_of([4], [[0]] * 2, owners=[0, 0, 1, 1], lags=[10, 20, 30, 40])
    group = dataclasses.replace(group, name="g", rates=np.full(4, 50.0))
    answer = answer_of(quick_judgement(group, VerdictLimits()))
    state.answered(answer, time.monotonic())
    assert ask(f"{url}/scale/g")[0] == 503  # not sized yet
    scale = ScaleFacts(2, (1, 2, 4), 2, 2, "2 keep up")
    state.answered(dataclasses.replace(answer, scale=scale), time.monotonic())
    code, text = ask(f"{url}/scale/g")
    assert (code, json.loads(text)["replicas"]) == (200, 2)
    assert ask(f"{url}/scale/other")[0] == 404
    text = ask(f"{url}/metrics")[1]
    assert 'equilag_group_members_next{group="g"} 4.0' in text
    assert 'equilag_group_rate_total{group="g"} 200.0' in text
    state.answered(dataclasses.replace(answer, scale=scale), time.monotonic() - 121)
    assert ask(f"{url}/scale/g")[0] == 503
