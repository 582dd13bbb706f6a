"""The steward on a real broker, leading members that know nothing of it."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

import pytest
from confluent_kafka.admin import AclOperation, AdminClient, ResourceType
from support.live_groups import add_user, allow, login_properties
from support.steward_scene import Scene

from benchmarks.kafka_broker import Broker
from benchmarks.live.topics import admin_of, commit, delete_topic, fill, make_topic
from benchmarks.waiting import answers, stays, until
from equilag.live.steward.election_loop import election_group

pytestmark = [pytest.mark.broker]

EXAMPLE = "kip-169"
LAGS = (100_000, 60_000, 50_000)
BEST = [{(EXAMPLE, 0)}, {(EXAMPLE, 1), (EXAMPLE, 2)}]
"""What the KIP's own example should end with."""
BY_RANGE = [{(EXAMPLE, 0), (EXAMPLE, 1)}, {(EXAMPLE, 2)}]
"""What range makes of it."""
SESSION_S = 30.0
"""Of the test in which a steward starts anew within its session: the election gives the one that
died up after 6 s, and on a busy machine a process may take 10 s to start."""


@pytest.fixture(scope="module")
def example(broker: Broker, admin: AdminClient) -> None:
    """The topic of KIP-169's example, with its lags."""
    make_topic(admin, EXAMPLE, len(LAGS))
    fill(broker.bootstrap, EXAMPLE, LAGS)


@pytest.fixture
def here(scene: Callable[[], Scene], admin: AdminClient, example: None) -> Scene:
    """A group of the test's own that has read nothing of the example's topic."""
    made = scene()
    commit(admin, made.group, {EXAMPLE: [0, 0, 0]})
    return made


def two_join(here: Scene, topic: str = EXAMPLE, strategy: str = "range") -> None:
    for number in range(2):
        here.member(f"rd-{number}", topic, strategy)


JAVA = "org.apache.kafka.clients.consumer.{}Assignor"


@pytest.mark.parametrize(
    ("client", "strategies"),
    [
        pytest.param("librdkafka", ("cooperative-sticky",), marks=pytest.mark.long),
        pytest.param("java", ("Range",), marks=pytest.mark.long),
        ("java", ("CooperativeSticky",)),
        pytest.param("java", ("Range", "CooperativeSticky"), marks=pytest.mark.long),
    ],
)
def test_members_of_both_clients(here: Scene, client: str, strategies: tuple[str, ...]) -> None:
    here.steward().has("leader")
    if client == "java":
        names = ",".join(map(JAVA.format, strategies))
        here.java(2, EXAMPLE, partition_assignment_strategy=names)
    else:
        two_join(here, strategy=strategies[0])
    here.ends_with(BEST)
    if strategies[0].startswith(("coop", "Coop")):
        assert not here.log.twice()


@pytest.mark.long
def test_a_late_steward_takes_over_on_request(here: Scene) -> None:
    two_join(here)
    here.ends_with(BY_RANGE)
    follower = here.steward()
    follower.has("follower")
    stays(lambda: follower.status()["role"] == "follower", 2)
    assert follower.status()["lag_spread"] == 110_000
    assert follower.end() == 0
    here.steward("--take-over").has("leader")
    here.ends_with(BEST)


@pytest.mark.long
def test_an_expelled_steward_leads_again_once_the_leader_has_left(here: Scene) -> None:
    """The leader or, where another one is before the steward in Kafka's table, two of three."""
    steward = here.steward()
    steward.has("leader")
    members = {f"rd-{number}": here.member(f"rd-{number}", EXAMPLE, "range") for number in range(3)}
    until(lambda: len(here.log.owners()) == len(LAGS))
    steward.process.send_signal(signal.SIGSTOP)
    stays(lambda: True, 6)  # twice its session
    steward.process.send_signal(signal.SIGCONT)
    steward.has("follower")
    assert steward.status()["degraded"]
    while (status := steward.status())["role"] == "follower":
        (leader,) = (name for name in members if status["role_reason"].startswith(f"{name}-"))
        members.pop(leader).stop()
        steward.wait_for(lambda now, old=status: now["role_reason"] != old["role_reason"])
    assert (status["role"], status["degraded"]) == ("leader", False)
    assert members
    until(lambda: len(here.log.owners()) == len(LAGS))
    assert not here.log.twice()


@pytest.mark.long
def test_of_a_pair_one_takes_over(here: Scene) -> None:
    """The second one, with the same option, takes over no more when the first is gone."""
    two_join(here)
    here.ends_with(BY_RANGE)
    options = ("--take-over", "--session-timeout", "20s")
    pair = [here.steward(*options), here.steward(*options)]
    until(lambda: sorted(one.status().get("role", "") for one in pair) == ["leader", "standby"])
    here.ends_with(BEST)
    pair.sort(key=lambda one: one.status()["role"])
    first, second = pair
    assert first.status()["counters"]["rebalances_triggered:take-over"] == 1
    first.kill()
    second.has("leader")
    stays(lambda: second.status()["role"] == "leader", 3)
    assert not second.events("take-over")
    here.ends_with(BEST)


@pytest.mark.long
def test_a_dry_run_joins_nothing(here: Scene) -> None:
    """And says how many members help."""
    two_join(here)
    here.ends_with(BY_RANGE)
    before = here.log.events
    steward = here.steward("--dry-run")
    steward.wait_for(lambda status: status["counters"].get("would_trigger", 0) == 1)
    steward.wait_for(lambda status: status["lag_spread_would_be"] == 10_000)
    assert here.log.events == before
    (event,) = steward.events("would-rebalance")
    assert "heaviest member 152 to 105 % of a fair share, 1 move" in event
    address = f"http://127.0.0.1:{steward.port}/scale/{here.group}"
    until(lambda: answers(address))
    with urlopen(address, timeout=5) as answer:
        found = json.load(answer)
    assert (found["present"], found["replicas"], found["helps"]) == (2, 2, [1, 2, 3])
    assert "not known yet, so the number stays" in found["reason"]


@pytest.mark.live
def test_lag_that_turns_is_worth_one_rebalance(
    scene: Callable[[], Scene], broker: Broker, admin: AdminClient
) -> None:
    here = scene()
    topic = here.group
    make_topic(admin, topic, 3)
    commit(admin, here.group, {topic: [0, 0, 0]})
    steward = here.steward()
    steward.has("leader")
    two_join(here, topic, "cooperative-sticky")
    until(lambda: len(here.log.owners()) == 3)
    both = next(held for held in here.log.held().values() if len(held) == 2)
    light = next(number for number in range(3) if (topic, number) not in both)
    fill(broker.bootstrap, topic, [0 if number == light else 5000 for number in range(3)])
    until(lambda: any({(topic, light), one} in here.log.held().values() for one in both))
    steward.wait_for(lambda status: status["lag_spread"] == 0)
    stays(lambda: steward.status()["counters"]["rebalances_triggered:gain"] == 1, 3)
    assert here.log.rebalances() <= 3  # the first, and ours in its two phases
    assert not here.log.twice()


@pytest.mark.long
def test_a_topic_made_anew_is_shared_anew(scene: Callable[[], Scene], admin: AdminClient) -> None:
    here = scene()
    topic = here.group
    make_topic(admin, topic, 4)
    here.steward().has("leader")
    two_join(here, topic)
    here.all_owned(topic, 4, 2)
    delete_topic(admin, topic)
    until(lambda: not here.log.owners())
    make_topic(admin, topic, 6)
    here.all_owned(topic, 6, 2)


@pytest.mark.long
def test_it_dies_and_comes_back(here: Scene) -> None:
    session = ("--session-timeout", f"{SESSION_S:g}s")
    steward = here.steward(*session)
    steward.has("leader")
    two_join(here)
    here.ends_with(BEST)
    before = here.log.events
    steward.kill()
    again = here.steward("--keep-membership", *session)
    again.has("leader")  # within the session: no member noticed
    stays(lambda: here.log.events == before, SESSION_S + 1)
    assert again.end() == 0
    again = here.steward("--session-timeout", "10s")
    # A broker goes by the session of the one before until it has heard a heartbeat.
    again.wait_for(lambda status: status["counters"].get("heartbeats:fine", 0) > 0)
    assert again.status()["role"] == "leader"
    assert here.log.events == before
    again.kill()
    here.ends_with(BY_RANGE)  # what range makes of it, after its session of 10 s


def test_at_its_end_it_leaves_at_once(here: Scene) -> None:
    """With eager members of librdkafka; until then its status shows them as they are."""
    steward = here.steward("--session-timeout", "30s")
    steward.has("leader")
    two_join(here)
    here.ends_with(BEST)
    steward.wait_for(lambda status: status["lag_spread"] == 10_000)
    shown = {one["name"]: (one["partitions"], one["lag"]) for one in steward.status()["by_member"]}
    assert shown.keys() == {"rd-0", "rd-1"}
    assert sorted(shown.values()) == [(1, 100_000), (2, 110_000)]
    assert steward.end() == 0
    here.ends_with(BY_RANGE, 10)


@pytest.mark.live
def test_rights_that_are_missing(
    scene: Callable[[], Scene], broker: Broker, admin: AdminClient, tmp_path: Path, example: None
) -> None:
    here = scene()
    planted = "pl4nted"
    add_user(admin, "steward", planted)
    properties = tmp_path / "client.properties"
    properties.write_text(login_properties("steward", planted), "utf-8")
    steward = here.steward("--command-config", str(properties), bootstrap=broker.sasl)
    for group in (election_group(here.group), here.group):
        needs = f"needs the right Read on Group {group!r}"
        steward.wait_for(lambda status, needs=needs: status["role_reason"].endswith(needs))
        assert not steward.status()["healthy"]
        allow(admin, "steward", ResourceType.GROUP, group, AclOperation.READ)
    steward.has("leader")
    pages = [urlopen(f"http://127.0.0.1:{steward.port}/{page}", timeout=5).read().decode()
             for page in ("", "status", "metrics")]  # fmt: skip
    assert not [shown for shown in (*pages, steward.text) if planted in shown]
    # A leader that cannot read the topics must not lead: the members go on without it.
    two_join(here)
    until(lambda: steward.process.poll() is not None)
    assert steward.process.returncode == 2
    assert f"needs the right Describe on Topic '{EXAMPLE}'" in steward.text.splitlines()[-1]
    here.ends_with(BY_RANGE, 10)


@pytest.mark.live
def test_it_stands_by_while_the_broker_assigns(here: Scene) -> None:
    steward = here.steward()
    steward.has("leader")
    two_join(here)
    here.ends_with(BEST)
    newcomer = here.java(1, EXAMPLE, group_protocol="consumer")
    steward.has("passive")
    assert steward.status()["healthy"]
    newcomer.stop()
    steward.wait_for(lambda status: status["role"] in ("leader", "follower"))


@pytest.mark.long
def test_joined_topics_stay_together_and_a_pin_survives_a_restart(
    scene: Callable[[], Scene], broker: Broker
) -> None:
    here = scene()
    topics = ("left", "right")
    for topic in topics:
        make_topic(admin_of(broker.bootstrap), topic, 4)
    here.steward("--pin", "left-3=fixed", "--pin", "right-0=rd").has("leader")
    pinned: dict[str, object] = {"group_instance_id": "fixed", "session_timeout_ms": 1000}

    def shared(*names: str) -> bool:
        """Range deals the topics alike, so they are kept together without being named."""
        held = here.log.held()
        return (
            {name for name, theirs in held.items() if theirs} == set(names)
            and sum(map(len, held.values())) == 8
            and all(
                {n for t, n in theirs if t == "left"} == {n for t, n in theirs if t == "right"}
                for theirs in held.values()
            )
            and ("fixed" not in names or ("left", 3) in held["fixed"])
            and ("rd" not in names or ("right", 0) in held["rd"])
        )

    first = here.member("fixed", topics, "range", **pinned)
    until(lambda: shared("fixed"))
    here.member("rd", topics, "range")
    until(lambda: shared("fixed", "rd"))
    first.stop()  # as a static member it stays in the group until its session is over
    until(lambda: shared("rd"))
    here.member("fixed", topics, "range", **pinned)
    until(lambda: shared("fixed", "rd"))
