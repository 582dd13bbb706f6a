"""Options of assignors: which are refused, and what the others do."""

from __future__ import annotations

import pytest

from equilag.domain.errors import InputError
from equilag.domain.policy.policy import Policy
from equilag.live.consumers.aiokafka import EquilagAssignor as OfAiokafka
from equilag.live.consumers.kafka_python import CooperativeEquilagAssignor, EquilagAssignor
from equilag.live.consumers.lag_source import Background, LiveLag, StaticLag
from equilag.live.consumers.options import AssignorOptions

EVERY = [EquilagAssignor, CooperativeEquilagAssignor, OfAiokafka]


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"policy": "best"}, "policy"),
        ({"time_limit": -1}, "time_limit"),
        ({"time_limit": True}, "time_limit"),
        ({"seed": 1.0}, "seed"),
        ({"lag": 3}, "lag"),
        ({"lag": StaticLag}, "lag"),
        ({"max_lag_age": None}, "max_lag_age"),
        ({"rejoin": True}, "rejoin"),
        ({"loop_limit": float("inf")}, "loop_limit"),
        ({"co_partition": "orders,payments"}, "co_partition"),
        ({"policy": Policy(instances="host")}, "policy.instances"),
        ({"policy": Policy("kip-169", pin={("t", 0): "a"})}, "balance"),
        ({"rack": ""}, "rack"),
        ({"rack": 1}, "rack"),
    ],
)
@pytest.mark.parametrize("assignor", EVERY)
def test_invalid_options_are_refused(assignor, settings, place) -> None:
    with pytest.raises(InputError) as caught:
        assignor.configured(**settings)
    assert caught.value.place == place


@pytest.mark.parametrize(
    "make",
    [
        lambda: LiveLag(every=0),
        lambda: LiveLag(auto_offset_reset="soon"),
        lambda: Background(dict, every=None),
        lambda: AssignorOptions(lag=StaticLag({}), policy=Policy(weight="work")),
    ],
)
def test_invalid_lag_sources_and_rejoins(make) -> None:
    with pytest.raises(InputError):
        make()


def test_live_groups_have_a_policy_of_their_own() -> None:
    by_work = AssignorOptions().planning_policy
    assert (by_work.weight, by_work.horizon, by_work.tolerance) == (None, 60.0, 2.0)
    assert AssignorOptions(lag=StaticLag({})).planning_policy.weight == "lag"
    own = Policy("kip-169")
    assert AssignorOptions(policy=own).planning_policy is own
    assert AssignorOptions(policy=own, lag=len).planning_policy.weight == "lag"


@pytest.mark.parametrize("assignor", EVERY)
def test_configured_returns_another_class(assignor) -> None:
    made = assignor.configured(policy=Policy("kip-169"), seed=3)
    assert issubclass(made, assignor)
    assert (made.options.seed, assignor.options.seed) == (3, 0)
    assert made.name == assignor.name
    assert assignor.configured(name="roundrobin").name == "roundrobin"
    with pytest.raises(TypeError):
        assignor.configured(no_such=1)


@pytest.mark.parametrize(
    ("given", "session", "limit"),
    [(None, 45.0, 1.0), (None, 6.0, 0.6), (None, None, 1.0), (3.0, 6.0, 3.0), (0, 6.0, 0)],
)
def test_the_limit_stays_within_the_session(given, session, limit) -> None:
    assert AssignorOptions(time_limit=given).limit(session) == pytest.approx(limit)
