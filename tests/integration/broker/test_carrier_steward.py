"""The steward in a KIP-848 group: it leads where brokers have the plug-in."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import AclOperation, ResourceType
from support.json_schemas import findings
from support.kafka_broker import plugged_brokers, servers
from support.live_groups import Kip848Members, add_user, allow, login_properties
from support.steward_scene import QUICKLY

from benchmarks.broker_plugin import CLASS, KEY
from benchmarks.kafka_broker import Broker
from benchmarks.live.steward_run import StewardRun
from benchmarks.live.topics import admin_of, commit, fill, make_topic
from benchmarks.waiting import stays, until
from equilag.adapters.kafka.client_config import kafka_config
from equilag.adapters.kafka.group_reader import GroupReader
from equilag.live.steward.election_loop import election_group

pytestmark = [pytest.mark.broker]

TOPIC = "led-848"
LAGS = (90_000, 30_000, 30_000, 30_000)


@pytest.fixture
def ready(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[list[Broker]]:
    """A new broker with the plug-in, as many as a test asks for, or with 0 the one for all."""
    number = getattr(request, "param", 1)
    with ExitStack() as stack:
        if number:
            yield plugged_brokers(stack, tmp_path, number)
        else:
            yield [request.getfixturevalue("plugged")]


class Led:
    """A group of two that reads a topic with LAGS, and its stewards."""

    def __init__(
        self, brokers: list[Broker], folder: Path, stack: ExitStack, **settings: str
    ) -> None:
        self._bootstrap, self._folder, self._stack = servers(brokers), folder, stack
        admin = admin_of(self._bootstrap)
        make_topic(admin, TOPIC, len(LAGS), min(3, len(brokers)))
        fill(self._bootstrap, TOPIC, LAGS)
        commit(admin, TOPIC, {TOPIC: [0] * len(LAGS)})
        self.key = folder / "key"
        self.key.write_text(f"{KEY}\n")
        self.members = Kip848Members(self._bootstrap, TOPIC, **settings)
        stack.callback(self.members.close)
        self.members.add()
        self.members.add()
        self.reach([2, 2])

    def reach(self, counts: list[int]) -> None:
        until(lambda: sorted(map(len, self.members.held())) == counts, 60)

    def kind(self) -> str:
        """Of the group, as the brokers say."""
        with closing(GroupReader(kafka_config(self._bootstrap))) as reader:
            return reader.check_kind(TOPIC)

    def steward(self, role: str, *more: str, keyed: bool = True, bootstrap: str = "") -> StewardRun:
        """Start one, and wait for its role, unless that is empty."""
        key = ("--plan-key", str(self.key)) if keyed else ()
        options = (*QUICKLY, "--balance", "none", *key, *more)
        run = StewardRun(self._folder, bootstrap or self._bootstrap, TOPIC, *options)
        self._stack.callback(run.end)
        if role:
            self.becomes(run, role)
        return run

    def reads_until(self, true: Callable[[], object]) -> None:
        until(lambda: self.members.held() and true(), 60)

    def becomes(self, run: StewardRun, role: str) -> None:
        self.reads_until(lambda: run.status().get("role") == role)


@pytest.fixture
def led(ready: list[Broker], tmp_path: Path) -> Iterator[Led]:
    with ExitStack() as stack:
        yield Led(ready, tmp_path, stack)


@pytest.mark.parametrize("ready", [0], indirect=True, ids=["shared"])
def test_a_steward_leads(ready: list[Broker], led: Led, run: Callable[..., Any]) -> None:
    """The partition with most lag is alone at last, and a newcomer gets its share. The doctor sees
    it."""

    def doctor() -> tuple[int, str, str]:
        done = run("doctor", "--bootstrap-server", servers(ready), "--group", TOPIC, "--json")
        document = json.loads(done.out)
        assert findings(document) == []
        ((broker,), (group,)) = document["brokers"], document["groups"]
        assert (broker["plug_in"], broker["plan_key"], broker["next"]) == (2, True, None)
        assert broker["heartbeat_ms"] > 0
        assert (group["kind"], group["members"]) == ("consumer", 2)
        return done.status, group["assignor"], group["leads"]

    assert doctor() == (0, "uniform", "possible")
    steward = led.steward("leader")
    led.reach([1, 3])
    until(lambda: bool(led.members.held()) and steward.status()["plan_step"] == "owned", 30)
    assert doctor() == (0, "equilag", "now")
    assert [0] in led.members.held()
    led.members.add()
    until(lambda: all(led.members.held()), 60)


@pytest.mark.long
def test_a_group_without_members_stays_one_of_kip_848(led: Led) -> None:
    """The steward does not join it, and leads the next members."""
    steward = led.steward("leader")
    led.reach([1, 3])
    led.members.close()
    until(lambda: steward.status()["members"] == 0, 30)
    stays(lambda: led.kind() == "consumer", 4)
    led.members.add()
    led.members.add()
    led.reach([1, 3])


@pytest.mark.long
def test_another_one_takes_over(led: Led) -> None:
    first = led.steward("leader")
    led.reach([1, 3])
    second = led.steward("standby")
    before = led.members.held()
    first.kill()
    led.becomes(second, "leader")
    stays(lambda: led.members.held() == before, 2)
    assert second.end() == 0
    led.reach([2, 2])  # the broker's own assignor again


@pytest.mark.long
@pytest.mark.parametrize("ready", [3], indirect=True)
def test_a_killed_coordinator_moves_nothing(ready: list[Broker], led: Led) -> None:
    """And with the others restarted one after the other nothing moves, either."""
    steward = led.steward("leader", "--cooldown", "1h")  # no second plan for what was read since
    led.reach([1, 3])
    before = led.members.held()
    admin = admin_of(servers(ready))
    (described,) = admin.describe_consumer_groups([TOPIC]).values()
    coordinator = ready[described.result().coordinator.id - 1]
    coordinator.kill()
    stays(lambda: led.members.held() == before, 15)
    led.becomes(steward, "leader")
    coordinator.start_again()
    for broker in ready:
        broker.stop()
        stays(lambda: led.members.held() == before, 5)
        broker.start_again()
        stays(lambda: led.members.held() == before, 5)
    led.becomes(steward, "leader")


@pytest.mark.long
def test_a_steward_without_the_plug_in_is_passive(broker: Broker, tmp_path: Path) -> None:
    with ExitStack() as stack:
        led = Led([broker], tmp_path, stack)
        run = led.steward("passive")
        reason = run.status()["role_reason"]
        assert reason.endswith(f"group.consumer.assignors has no {CLASS} at: broker 1")


@pytest.mark.long
def test_a_plan_with_another_key_leaves_the_group_to_its_brokers(led: Led) -> None:
    led.key.write_text("another secret")
    run = led.steward("passive")
    assert run.status()["role_reason"].endswith("is --plan-key what they have?")
    led.reach([2, 2])
    led.members.add()
    led.reach([1, 1, 2])  # nobody waits for a plan


@pytest.mark.long
def test_a_key_that_only_brokers_have_is_asked_for(ready: list[Broker], led: Led) -> None:
    run = led.steward("passive", keyed=False)
    reason = "equilag.plan.key is set at: broker 1; needs --plan-key"
    assert run.status()["role_reason"].endswith(reason)


@pytest.mark.long
def test_members_that_name_another_assignor_are_outvoted_on_request(
    ready: list[Broker], tmp_path: Path
) -> None:
    with ExitStack() as stack:
        led = Led(ready, tmp_path, stack, **{"group.remote.assignor": "range"})
        run = led.steward("passive")
        assert "'range'; --outvote would lead it with 3 carriers" in run.status()["role_reason"]
        assert run.end() == 0
        run = led.steward("leader", "--outvote")
        led.reach([1, 3])
        until(lambda: bool(led.members.held()) and run.status()["plan_step"] == "owned", 30)
        led.members.add()
        until(lambda: all(led.members.held()), 60)
        run.kill()
        second = led.steward("leader", "--outvote")  # its carriers go on
        until(lambda: all(led.members.held()) and second.status()["plan_step"] == "owned", 60)


CLASSIC = {"group.protocol": "classic", "heartbeat.interval.ms": "300"}


@pytest.mark.long
def test_a_classic_group_is_converted_on_request(ready: list[Broker], tmp_path: Path) -> None:
    """And is one again when the steward has gone."""
    with ExitStack() as stack:
        led = Led(ready, tmp_path, stack, **CLASSIC, **{"partition.assignment.strategy": "range"})
        run = led.steward("leader", "--convert")
        led.reach([1, 3])
        assert [0] in led.members.held()
        assert led.kind() == "consumer"
        led.members.add()
        led.reads_until(lambda: all(led.members.held()))
        assert run.end() == 0
        led.reads_until(lambda: led.kind() == "classic")
        led.reach([1, 1, 2])


@pytest.mark.long
def test_a_group_that_cannot_be_converted_goes_on(ready: list[Broker], tmp_path: Path) -> None:
    """librdkafka's cooperative-sticky writes into its assignments what no other assignor reads."""
    sticky = {"partition.assignment.strategy": "cooperative-sticky"}
    with ExitStack() as stack:
        led = Led(ready, tmp_path, stack, **CLASSIC, **sticky)
        led.members.add()
        led.reach([1, 1, 2])
        before = led.members.held()
        run = led.steward("passive", "--convert")
        assert "its brokers do not convert group 'led-848'" in run.status()["role_reason"]
        stays(lambda: led.members.held() == before, 8)
        assert led.kind() == "classic"


@pytest.mark.long
def test_each_right_that_is_missing_is_named(ready: list[Broker], led: Led, tmp_path: Path) -> None:
    admin = admin_of(servers(ready))
    add_user(admin, "steward", "s")
    for group in (TOPIC, election_group(TOPIC)):
        allow(admin, "steward", ResourceType.GROUP, group, AclOperation.READ)
    file = tmp_path / "client.properties"
    file.write_text(login_properties("steward", "s"))
    run = led.steward("", "--command-config", str(file), bootstrap=ready[0].sasl)
    carriers = ("equilag-carrier-even", "equilag-carrier-odd")
    describe, cluster = AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS
    for right, kind, names, what in (
        ("Describe on every Topic of group 'led-848'", ResourceType.TOPIC, (TOPIC,), describe),
        ("DescribeConfigs on the Cluster", ResourceType.BROKER, ("kafka-cluster",), cluster),
        (f"Describe on Topic {str(carriers)[1:-1]}", ResourceType.TOPIC, carriers, describe),
    ):
        led.reads_until(lambda: run.status().get("role_reason", "").endswith(right))  # noqa: B023
        assert run.status()["role"] != "leader"
        assert len(led.members.held()) == 2
        for name in names:
            allow(admin, "steward", kind, name, what)
    led.becomes(run, "leader")
