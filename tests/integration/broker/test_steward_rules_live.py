"""Rules of a policy in a live group: topics that are joined, and pins."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.kafka_broker import Broker
from support.live_topics import admin_of, make_topic
from support.steward_scene import Scene
from support.waiting import until

pytestmark = [pytest.mark.broker, pytest.mark.long]


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
