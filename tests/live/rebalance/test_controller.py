"""The controller: when it acts, when it waits, and what it learns from a rebalance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from support.live_loads import loads_of

from equilag.domain.group.group import Group
from equilag.domain.policy.policy import Policy
from equilag.live.rebalance.controller import Considered, Controller, SeenGroup
from equilag.live.rebalance.decision import Decision, PlanSettings, decide
from equilag.live.rebalance.handouts import HandedOut, Handouts, Round, TargetAssignment
from equilag.live.rebalance.live_policy import live_policy
from equilag.live.rebalance.measured import NOTHING_MEASURED
from equilag.live.rebalance.rebalance_limits import MoveBudget, RoundTimes
from equilag.planner.simulation.rebalance_price import Pace
from equilag.planner.worth.group_loads import GroupLoads
from equilag.planner.worth.thresholds import Thresholds

POLICY = live_policy()
UNEVEN, EVEN = (0, 0, 1, 1), (0, 1, 0, 1)


def seen(loads: GroupLoads, began: float, cooperative: bool = True) -> SeenGroup:
    return SeenGroup(
        members=(), held={}, sizes={}, measured=NOTHING_MEASURED, loads=loads,
        cooperative=cooperative, rebalances=0, began=began,
    )  # fmt: skip


class Scene:
    """A group of four partitions and two members that is observed every 5 s."""

    def __init__(self, owner: Sequence[int] = UNEVEN, **thresholds: object) -> None:
        self.controller = Controller(Thresholds(**thresholds), POLICY)  # type: ignore[arg-type]
        self.owner: Sequence[int] = owner
        self.lags = [0] * 4
        self.rates = [30.0, 20.0, 10.0, 10.0]
        self.now = 0.0
        self.limits: list[int | None] = []
        self.error = 0.1
        self.known = HandedOut()
        self.fails = ""
        self.speeds: dict[str, float] = {}

    @property
    def loads(self) -> GroupLoads:
        errors = [self.error] * 4
        return loads_of(
            self.lags, ["a", "b"], self.owner, self.rates, errors, self.speeds, bool(self.speeds),
            POLICY,
        )  # fmt: skip

    def plan(self, group: Group, policy: Policy) -> Decision:
        self.limits.append(policy.max_moves)
        found = decide(group, PlanSettings(policy, time_limit=20.0, effort=0.02))
        return replace(found, fallback_reason=self.fails) if self.fails else found

    def look(self, cooperative: bool = True) -> Considered:
        self.now += 5.0
        found = seen(self.loads, self.now - 0.1, cooperative)
        return self.controller.consider(found, self.known, self.now, self.plan)

    def act(self, considered: Considered, owner: Sequence[int] | None = None) -> None:
        self.controller.started(self.loads, considered, self.now)
        assert considered.decision is not None
        self.owner = considered.decision.plan.assigned.tolist() if owner is None else owner

    def grounds(self, number: int) -> list[str]:
        return [self.look().verdict.ground for _ in range(number)]


def test_it_acts_once_observations_agree_and_then_rests() -> None:
    scene = Scene()
    assert scene.look().verdict.ground == "patience"
    second = scene.look()
    assert second.verdict.worth_it
    assert second.gain is not None
    assert second.gain.moves == 2
    scene.act(second)
    assert "worth-it" not in scene.grounds(60)  # what is left of the imbalance no plan removes
    assert len(scene.limits) <= 6


NOTHING = TargetAssignment({}, {}, {})


def test_while_a_rebalance_is_not_over_none_is_started_for_a_gain() -> None:
    """Nor on an observation that began before its end, nor while a partition has no owner."""
    scene, handouts = Scene(), Handouts()

    def ground() -> str:
        scene.known = handouts.known
        return scene.look().verdict.ground

    assert ground() == "patience"
    handouts.record(NOTHING, complete=False, now=scene.now + 1.0)  # partitions are withheld
    assert [ground() for _ in range(20)] == ["settling"] * 20  # however long it takes
    handouts.record(NOTHING, complete=True, now=scene.now + 4.95)
    assert ground() == "settling"  # begun 0.05 s before
    scene.owner = (0, 0, 1, -1)
    assert scene.look().verdict.reason == "1 partitions have no owner"
    scene.owner = UNEVEN
    assert [ground(), ground()] == ["patience", "worth-it"]  # confirmed anew
    handouts.request(NOTHING, 0, scene.now)
    assert ground() == "settling"


def test_an_even_group_is_left_alone_without_a_plan() -> None:
    scene = Scene(EVEN)
    scene.rates = [20.0, 20.5, 20.0, 20.0]
    considered = scene.look()
    assert considered.verdict.ground == "even"
    assert considered.verdict.reason.startswith("at best relieves a member by ")
    assert not scene.limits


def test_a_slight_imbalance_must_last_for_half_a_minute() -> None:
    scene = Scene(EVEN)
    scene.rates = [23.0, 20.0, 20.0, 15.0]
    assert 10 < scene.look().possible.relief_percent < 20  # type: ignore[union-attr]
    assert scene.grounds(4) == ["patience"] * 4
    assert scene.look().verdict.ground != "patience"


def test_what_the_rates_do_not_show_for_sure_is_noise() -> None:
    scene = Scene()
    scene.error = 9.0
    assert scene.grounds(3) == ["noise"] * 3
    scene.lags = [900, 800, 0, 0]  # which is there, whatever the rates are
    assert "worth-it" in scene.grounds(6)


def test_a_useless_rebalance_makes_it_wait_longer() -> None:
    """The load changes by chance with every observation, so that no plan lasts; rates claim to be
    sure all the same. With the shortest cooldown there would be 20 rebalances."""
    scene, chance, started = Scene(gain_percent=1.0), np.random.default_rng(3), []
    for _ in range(120):  # 10 minutes
        scene.rates = (20 + 3 * chance.standard_normal(4)).tolist()
        considered = scene.look()
        if considered.verdict.worth_it:
            scene.act(considered)
            started.append(scene.now)
    assert len(started) < 10


def test_one_that_helps_keeps_the_cooldown_short() -> None:
    scene, started = Scene(), 0
    for number in range(96):
        if number % 24 == 0:  # the load is dealt anew every 2 minutes
            scene.rates = scene.rates[::-1] if scene.owner == list(EVEN) else scene.rates
            scene.rates[0], scene.rates[1] = scene.rates[1] + 20, scene.rates[0] + 10
        considered = scene.look()
        if considered.verdict.worth_it:
            scene.act(considered)
            started += 1
        if considered.effect:
            assert " helped" in considered.effect
    assert started >= 1
    assert scene.controller.cooldown.seconds == 30.0


def test_a_rebalance_that_was_lost_counts_as_useless() -> None:
    scene = Scene()
    scene.look()
    scene.act(scene.look(), owner=UNEVEN)  # the group kept its assignment
    found = [scene.look() for _ in range(6)]
    assert [one.verdict.ground for one in found[:5]] == ["patience", *["cooldown"] * 4]
    assert "brought little" in found[5].effect
    assert scene.controller.cooldown.seconds == 60.0


def test_the_budget_limits_a_plan_and_ends() -> None:
    scene = Scene(moves_per_hour=1)
    scene.rates = [30.0, 30.0, 1.0, 1.0]
    scene.look()
    considered = scene.look()
    assert scene.limits == [None, 1]
    assert considered.verdict.ground == "budget"  # counts allow an exchange only: two moves
    none = Scene(moves_per_hour=0)
    assert none.grounds(2) == ["patience", "budget"]
    assert not none.limits


def test_a_plan_that_fails_is_no_plan() -> None:
    scene = Scene()
    scene.fails = "no time"
    assert scene.grounds(2) == ["patience", "no-plan"]
    assert scene.look().verdict.reason == "the last plan: no time; 10 s until the next"


@pytest.mark.parametrize(("moves_per_hour", "fails"), [(None, "no time"), (1, "")])
def test_plans_that_come_to_nothing_become_rare(moves_per_hour: int | None, fails: str) -> None:
    scene = Scene(moves_per_hour=moves_per_hour)
    scene.fails = fails
    grounds = scene.grounds(360)  # half an hour
    assert set(grounds) == {"patience", "budget" if moves_per_hour else "no-plan"}
    assert 8 <= scene.limits.count(None) <= 14
    scene.fails, scene.controller.budget = "", MoveBudget(None)
    scene.rates = [60.0, 40.0, 1.0, 1.0]  # another imbalance
    assert "worth-it" in scene.grounds(2)


def test_a_long_round_is_forgotten() -> None:
    scene, rounds = Scene(), RoundTimes()
    scene.controller.rounds = rounds
    rounds.record(Round(200.0, None), 0.0)
    scene.known = replace(scene.known, at=-1000.0)
    assert scene.look(cooperative=False).verdict.ground == "pause"
    assert not scene.limits  # a rebalance as such costs more than any plan gains
    for now, seconds in ((0.0, 200.0), (1200.0, 3.0 + 197.0 / 4), (1e6, 3.0)):
        assert rounds.pace(False, 5.0, now).pause_s == pytest.approx(seconds)
    rounds.record(Round(0.1, 4), 1e6)
    assert rounds.pace(True, 9.0, 2e6) == Pace(0.1, 4, 9.0, "cooperative")
    assert rounds.pace(True, 15.0, 2e6).round_s == 10.0  # two polls of 5 s
    assert RoundTimes().pace(False, 12.0, 0.0).round_s == 12.0  # as between commits


def test_what_members_may_not_have_applied_is_not_settled() -> None:
    scene = Scene()
    scene.controller.rounds.record(Round(12.0, None), 0.0)
    scene.known = replace(scene.known, at=0.0)
    assert scene.grounds(3) == ["settling", "settling", "patience"]


def test_after_members_came_a_gain_counts_for_as_long_as_they_are_there() -> None:
    scene = Scene()
    scene.look()
    scene.controller._members.add("gone")
    found = [scene.look() for _ in range(60)]
    gains = [one.possible.weighed.gain for one in found if one.possible and one.possible.weighed]
    assert gains[0] == pytest.approx(gains[-1] * (10 / 295) ** 2, rel=0.1)
    assert not found[1].verdict.worth_it
    assert any(one.verdict.worth_it for one in found)


def test_first_speeds_do_not_make_a_rebalance_useless() -> None:
    scene = Scene()
    scene.look()
    scene.act(scene.look(), owner=UNEVEN)
    scene.speeds = {"a": 100.0, "b": 90.0}
    scene.now += 26.0
    assert not scene.look().effect
    assert scene.controller.cooldown.seconds == 30.0


def test_a_vast_imbalance_that_the_first_speeds_show_is_removed_at_once() -> None:
    """Neither a second observation nor the end of the cooldown is waited for; the next time the
    cooldown is."""
    scene = Scene()
    scene.look()
    scene.act(scene.look(), owner=UNEVEN)
    assert scene.grounds(2) == ["patience", "cooldown"]
    scene.speeds = {"a": 100.0, "b": 10.0}
    found = scene.look()
    assert found.verdict.worth_it
    scene.act(found, owner=UNEVEN)
    assert scene.look().verdict.ground == "cooldown"


def test_what_costs_too_much_at_once_goes_in_steps() -> None:
    """In a cooperative group, where only what moves pauses. The whole plan exchanges four pairs;
    one pair brings half of the relief for a fifth of the pause."""
    rates = [30.0, 10.0, 10.0, 10.0, 10.0, 1.0, 5.0, 5.0, 5.0, 9.9]
    owner = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    whole, step = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    loads = loads_of([0] * 10, ["a", "b"], owner, rates, [0.1] * 10, policy=POLICY)
    made = decide(loads.group, PlanSettings(POLICY, time_limit=20.0, effort=0.02))
    limits: list[int | None] = []

    def plan(_: Group, policy: Policy) -> Decision:
        limits.append(policy.max_move_weight)
        assigned = np.array(whole if policy.max_move_weight is None else step, dtype=np.int32)
        return replace(made, plan=replace(made.plan, assigned=assigned))

    def considered(cooperative: bool, round_s: float) -> Considered:
        controller = Controller(Thresholds(confirm=1), POLICY)
        controller.rounds.record(Round(round_s, None), 10.0)
        limits.clear()
        return controller.consider(seen(loads, 9.9, cooperative), HandedOut(), 10.0, plan)

    found = considered(cooperative=True, round_s=5.0)
    assert (found.verdict.worth_it, found.gain and found.gain.moves, len(limits)) == (True, 2, 2)
    assert found.to_start is not None
    assert found.to_start.plan.assigned.tolist() == step
    assert considered(cooperative=True, round_s=1.0).to_start is not None
    assert limits == [None]
    assert considered(cooperative=True, round_s=20.0).verdict.ground == "pause"
    assert considered(cooperative=False, round_s=5.0).verdict.ground == "pause"
    assert limits == []
