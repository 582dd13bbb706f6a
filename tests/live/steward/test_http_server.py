"""The steward's HTTP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from equilag.errors import InputError
from equilag.live.steward.http_server import serve
from equilag.live.steward.status import StewardStatus


@pytest.fixture
def state() -> StewardStatus:
    state = StewardStatus(observe_every_s=1.0, session_s=10.0)
    state.set(group="g", role="leader", members=3, lag_spread=70, generation=4)
    state.count("handouts", "plan")
    state.observed()
    state.heartbeat_answered()
    return state


@pytest.fixture
def url(state: StewardStatus) -> Iterator[str]:
    server = serve(state, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


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
        "target": 0, "sticky": 0, "plan": 1, "heuristic": 0
    }  # fmt: skip
    roles = {one.labels["role"]: one.value for one in families["equilag_steward_role"].samples}
    assert roles["leader"] == 1
    assert sum(roles.values()) == 1


def test_health(url: str, state: StewardStatus) -> None:
    assert ask(url + "/healthz") == (200, "ok\n")
    state.set(role="unreachable", role_reason="no broker answers")
    assert ask(url + "/healthz") == (503, "unreachable: no broker answers\n")


def test_status(url: str) -> None:
    status = json.loads(ask(url + "/status")[1])
    assert status["role"] == "leader"
    assert status["counters"] == {"handouts:plan": 1}
    assert status["healthy"] is True


def test_an_unknown_path(url: str) -> None:
    assert ask(url + "/")[0] == 404


def test_a_port_in_use(url: str, state: StewardStatus) -> None:
    with pytest.raises(InputError, match="--listen: cannot listen on"):
        serve(state, "127.0.0.1", int(url.rpartition(":")[2]))


def test_a_group_that_was_never_read() -> None:
    assert StewardStatus(1.0, 10.0).problem() == "the group has not been read yet"


def test_no_heartbeat() -> None:
    state = StewardStatus(1.0, 10.0)
    state.observed()
    state.set(role="follower")
    assert state.problem() == "no heartbeat was answered within the session timeout"
