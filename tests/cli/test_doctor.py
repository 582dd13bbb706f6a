"""``doctor``: brokers with and without the plug-in, and groups of every kind, as they are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import metadata
from typing import Any, Final

import pytest
from support.commands import Result
from support.json_schemas import findings
from support.plain_fakes import GROUP_FORBIDDEN, FakeClient, fake_reader, listed

from equilag.adapters.kafka.described import Described, DescribedMember, ReadFailure
from equilag.live.carrier.plug_in import ASSIGNORS, HEARTBEAT, PLAN_KEY, PLUG_IN

ARGV: Final = ("doctor", "--bootstrap-server", "b:1")
DEFAULT: Final = {ASSIGNORS: "uniform,range", HEARTBEAT: "5000"}
READY: Final = {ASSIGNORS: f"uniform, range,{PLUG_IN}", HEARTBEAT: "1000"}
FIRST: Final = {ASSIGNORS: f"{PLUG_IN},uniform", HEARTBEAT: "1000"}
CLUSTER_FORBIDDEN: Final = 31

Doctor = Callable[..., dict[str, Any]]


def group(kind: str, protocol: str = "", members: int = 1) -> Described:
    every = [DescribedMember(f"m{number}", ("t",)) for number in range(members)]
    return Described(kind, "Stable" if members else "Empty", protocol, 1, every)


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    """Two brokers with the plug-in, and no groups."""
    client = FakeClient({"t": [1]})
    client.settings = {1: READY, 2: READY}
    client.groups = {1: [], 2: []}
    fake_reader(monkeypatch, client)
    return client


@pytest.fixture
def doctor(cluster: FakeClient, run: Callable[..., Result]) -> Doctor:
    """The document on a cluster with these groups."""

    def call(*described: tuple[str, Described], listed_as: tuple[Any, ...] = ()) -> dict[str, Any]:
        cluster.groups[1] = [*(listed(name, one.kind) for name, one in described), *listed_as]
        cluster.describing(*[one for _, one in described] * 2)
        done = run(*ARGV, "--json")
        document: dict[str, Any] = json.loads(done.out)
        assert findings(document) == []
        assert done.status == (0 if document["ready"] else 10)
        shown = run(*ARGV)
        assert shown.status == done.status
        assert all(row["group"] in shown.out for row in document["groups"])
        return document

    return call


def test_what_is_set_up_on_this_machine(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EQUILAG_WIDTH", "90")
    here = doctor()["set_up"]
    assert here.pop("configuration") == "no profile, 1 variable; see equilag config"
    assert here["equilag[kafka]"] == "installed"
    missing = metadata.distribution

    def distribution(name: str) -> metadata.Distribution:
        if name == "prometheus-client":
            raise metadata.PackageNotFoundError(name)
        return missing(name)

    monkeypatch.setattr(metadata, "distribution", distribution)
    assert doctor()["set_up"]["equilag[steward]"] == "without prometheus-client"


def steward_of(name: str) -> Any:
    elected = listed(f"{name}.equilag-steward", "classic", "equilag-steward")
    elected.group_state = "Stable"
    return elected


def by_name(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["group"]: row for row in document["groups"]}


LEAD: Final = {"words": "Lead it", "command": "equilag steward --bootstrap-server b:1 --group g"}


@pytest.mark.parametrize(
    ("settings", "described", "led", "leads", "next_step"),
    [
        (READY, group("consumer", "uniform"), False, "possible", LEAD["command"]),
        (READY, group("consumer", members=0), False, "possible", LEAD["command"]),
        (READY, group("consumer", "equilag"), True, "now", None),
        (READY, group("consumer", "range"), False, "not yet", "group.remote.assignor=range"),
        (READY, group("consumer", "range", 255), False, "not yet", "group.remote.assignor=range"),
        (DEFAULT, group("consumer", "uniform"), False, "not yet", "make broker-plugin"),
        (DEFAULT, group("consumer", "equilag"), True, "not yet", "make broker-plugin"),
        (DEFAULT, group("classic", "range"), False, "possible", LEAD["command"]),
        (DEFAULT, group("classic", members=0), False, "possible", LEAD["command"]),
        (DEFAULT, group("classic", "own"), False, "possible", f"{LEAD['command']} --protocol own"),
        (READY, group("classic", "range"), True, "now", None),
    ],
)  # fmt: skip
def test_how_a_group_can_be_led(
    cluster: FakeClient,
    doctor: Doctor,
    settings: dict[str, str],
    described: Described,
    led: bool,
    leads: str,
    next_step: str | None,
) -> None:
    cluster.settings[2] = settings
    document = doctor(("g", described), listed_as=(steward_of("g"),) if led else ())
    (row,) = document["groups"]
    assert row["leads"] == leads
    assert (row["next"] and row["next"]["command"]) == next_step
    outvoted = described.protocol == "range" and described.kind == "consumer"
    assert ("--outvote" in row["what"]) == (outvoted and len(described.members) < 255)
    lacks = settings is DEFAULT
    assert ("broker 2" in f"{row['what']} {row['loss']}") == lacks
    assert ("end" in row["loss"].split() if row["loss"] else False) == (
        lacks and described.protocol == "equilag"
    )
    wanted = f"{ASSIGNORS}=uniform,range,{PLUG_IN}"
    first, second = document["brokers"]
    assert (first["plug_in"], first["heartbeat_ms"], first["next"]) == (2, 1000, None)
    assert (second["next"] and second["next"]["command"]) == (wanted if lacks else None)


def test_a_key_of_plans_is_that_of_all_brokers(cluster: FakeClient, doctor: Doctor) -> None:
    """Brokers do not tell it; commands name the steward's file for it."""
    given = ("g", group("consumer", "uniform"))
    cluster.settings = {1: {**READY, PLAN_KEY: ""}, 2: READY}
    first, second = doctor(given)["brokers"]
    assert (first["plan_key"], first["next"]) == (True, None)
    assert (second["plan_key"], second["next"]["command"]) == (False, f"{PLAN_KEY}=SECRET")
    (row,) = doctor(given)["groups"]
    assert (row["leads"], row["next"]["command"]) == ("not yet", f"{PLAN_KEY}=SECRET")
    assert row["what"].endswith(f"no {PLAN_KEY} at broker 2")
    cluster.settings[2] = cluster.settings[1]
    document = doctor(given)
    assert document["ready"]
    assert document["groups"][0]["next"]["command"] == f"{LEAD['command']} --plan-key FILE"


def test_kinds_that_no_steward_leads(doctor: Doctor) -> None:
    document = doctor(
        ("orders", group("classic", "range")),
        ("app", group("classic-streams", "stream")),
        listed_as=(listed("shared", "share"), listed("tasks", "streams")),
    )
    rows = by_name(document)
    assert {name: row["leads"] for name, row in rows.items()} == {
        "orders": "possible", "app": "never", "shared": "never", "tasks": "never",
    }  # fmt: skip
    assert rows["shared"]["what"].startswith("a share group (KIP-932): ")


@pytest.mark.parametrize(
    ("settings", "ready"), [(READY, True), (FIRST, False), (DEFAULT, False), ({}, False)]
)
def test_a_cluster_without_groups(
    cluster: FakeClient, doctor: Doctor, settings: dict[str, str], ready: bool
) -> None:
    cluster.settings = {1: settings, 2: settings}
    document = doctor()
    assert document["ready"] == ready
    steps = {one["next"] and one["next"]["command"] for one in document["brokers"]}
    listing = "uniform" if settings is FIRST else "uniform,range"
    assert steps == {None if ready else f"{ASSIGNORS}={listing},{PLUG_IN}"}


def test_brokers_need_no_plug_in_where_all_groups_are_classic(
    cluster: FakeClient, doctor: Doctor
) -> None:
    cluster.settings = {1: DEFAULT, 2: DEFAULT}
    assert doctor(("g", group("classic", "range")))["ready"]


def test_one_group(cluster: FakeClient, run: Callable[..., Result]) -> None:
    cluster.groups[1] = [listed("g", "consumer"), listed("other", "consumer"), steward_of("g")]
    cluster.describing(group("consumer", "equilag"))
    done = run(*ARGV, "--group", "g")
    assert done.status == 0
    assert "A steward runs for it" in done.out
    assert "other" not in done.out


def test_what_cannot_be_read_is_an_error(cluster: FakeClient, refused: Callable[..., str]) -> None:
    forbidden = ReadFailure.of("GROUP_AUTHORIZATION_FAILED", GROUP_FORBIDDEN)
    cluster.describing(forbidden)
    told = "b:1: needs the right Describe on Group 'g'"
    assert refused(*ARGV, "--group", "g").endswith(told.removeprefix("b:1: "))
    cluster.settings[2] = CLUSTER_FORBIDDEN
    assert refused(*ARGV) == "needs the right DescribeConfigs on the Cluster"
    cluster.silent = [2]
    assert refused(*ARGV).startswith("broker 2 does not answer: ")
