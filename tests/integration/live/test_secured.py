"""A pair of stewards on three brokers with TLS, passwords and ACLs."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AclOperation, AdminClient, ResourceType
from support.kafka_broker import running_brokers, servers
from support.live_groups import add_user, allow, login_properties
from support.steward_scene import Scene

from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import admin_of, make_topic
from benchmarks.waiting import until
from equilag.live.steward.election_loop import election_group

pytestmark = [pytest.mark.live, pytest.mark.broker]

GROUP = TOPIC = "orders"
PARTITIONS = 6
LEADS_S = 15.0


_KEY = ("-newkey", "rsa:2048", "-nodes")


class Authority:
    """Signs certificates, with openssl; all of its files are in one folder."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("openssl is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self.certificate = folder, folder / "ca.pem"
        subject = ("-subj", "/CN=authority", "-days", "2")
        key = folder / "ca.key"
        self._run("req", "-x509", *_KEY, *subject, "-out", self.certificate, "-keyout", key)

    def signed(self, name: str, days: int = 2) -> Path:
        """A file with a private key and its certificate for 127.0.0.1; expired if `days` < 0."""
        request, key, both = (self._folder / f"{name}.{end}" for end in ("csr", "key", "pem"))
        subject = ("-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1")
        self._run("req", *_KEY, *subject, "-out", request, "-keyout", key)
        self._run(
            "x509", "-req", "-in", request, "-CA", self.certificate,
            "-CAkey", self._folder / "ca.key", "-days", days, "-copy_extensions", "copyall",
            "-out", both,
        )  # fmt: skip
        both.write_text(key.read_text("ascii") + both.read_text("ascii"), "ascii")
        return both

    def _run(self, *words: object) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, timeout=60)


class Secured(Scene):
    """A group on a cluster whose clients need TLS and a login; its members use another door."""

    def __init__(self, folder: Path, number: int, stack: ExitStack, days: int = 2) -> None:
        self.authority = Authority(folder / "tls")
        server = self.authority.signed("broker", days)
        settings = {
            "listener.security.protocol.map":
                "PLAINTEXT:PLAINTEXT,SASL:SASL_SSL,CONTROLLER:PLAINTEXT",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(server),
        }  # fmt: skip
        self.brokers = running_brokers(stack, folder / "kafka", number, settings)
        cluster = replace(self.brokers[0], bootstrap=servers(self.brokers))
        super().__init__(cluster, GROUP, folder, stack)
        self.sasl = ",".join(broker.sasl for broker in self.brokers)
        self.admin: AdminClient = admin_of(cluster.bootstrap)
        make_topic(self.admin, TOPIC, PARTITIONS, number)
        add_user(self.admin, "steward", "s")

    def secured(self, password: str = "s", authority: Path | None = None) -> StewardRun:
        """A steward that logs in over TLS and trusts this authority, by default the brokers'."""
        text = login_properties("steward", password).replace("SASL_PLAINTEXT", "SASL_SSL")
        trusted = self.authority.certificate if authority is None else authority
        text += f"ssl.truststore.type=PEM\nssl.truststore.location={trusted}\n"
        file = self._folder / f"client-{len(list(self._folder.glob('client-*')))}.properties"
        file.write_text(text, "utf-8")
        options = ("--command-config", str(file), "--session-timeout", "20s")
        return self.steward(*options, bootstrap=self.sasl)


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Callable[..., Secured]]:
    with ExitStack() as stack:
        yield lambda number=1, days=2: Secured(tmp_path, number, stack, days)


def refused(run: StewardRun, patience: float) -> str:
    """The last line of a steward that ends by itself within so many seconds."""
    until(lambda: run.process.poll() is not None, patience)
    assert run.process.returncode == 2
    return run.text.splitlines()[-1]


def test_what_keeps_a_steward_out_is_named(secured: Callable[..., Secured], tmp_path: Path) -> None:
    here = secured()
    missing = tmp_path / "missing.pem"
    began = time.monotonic()
    line = refused(here.secured(authority=missing), 6)
    assert f"ssl.ca.location: cannot be used: {missing}: No such file" in line
    assert time.monotonic() - began < 6  # most of which Python takes to start
    assert "invalid credentials" in refused(here.secured("wrong"), 8)
    stranger = Authority(tmp_path / "other").certificate
    assert "certificate verify failed" in refused(here.secured(authority=stranger), 20)


def test_an_expired_certificate_is_named(secured: Callable[..., Secured]) -> None:
    assert "certificate has expired" in refused(secured(days=-1).secured(), 20)


def leads(stewards: list[StewardRun]) -> bool:
    def has_it(status: dict[str, Any]) -> bool:
        return status.get("role") == "leader" and status["last_heartbeat_age_s"] < 1

    return any(has_it(one.status()) for one in stewards)


def test_a_pair_with_no_right_more_than_it_needs(secured: Callable[..., Secured]) -> None:
    here = secured(3)
    pair = [here.secured(), here.secured()]
    rights = [(ResourceType.GROUP, election_group(GROUP)), (ResourceType.GROUP, GROUP)]
    for kind, name in rights:
        needs = f"needs the right Read on Group {name!r}"
        until(lambda: any(needs in one.status().get("role_reason", "") for one in pair))  # noqa: B023
        assert not any(one.status()["role"] == "leader" for one in pair)
        allow(here.admin, "steward", kind, name, AclOperation.READ)
    allow(here.admin, "steward", ResourceType.TOPIC, TOPIC, AclOperation.DESCRIBE)
    until(lambda: sorted(one.status()["role"] for one in pair) == ["leader", "standby"], 60)
    for number in range(2):
        here.member(f"rd-{number}", TOPIC, "cooperative-sticky", session_timeout_ms=45_000)
    here.all_owned(TOPIC, PARTITIONS, 2)

    for broker in here.brokers:  # a rolling restart
        broker.stop()
        until(lambda: leads(pair), LEADS_S)
        broker.start_again()
        until(lambda: leads(pair), LEADS_S)
    here.all_owned(TOPIC, PARTITIONS, 2)

    first = next(one for one in pair if one.status()["role"] == "leader")
    first.kill()
    pair.remove(first)
    until(lambda: leads(pair), LEADS_S)
    here.all_owned(TOPIC, PARTITIONS, 2)
    assert not here.log.twice()
