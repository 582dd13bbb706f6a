"""Two stewards of one group, of which one leads: what happens when that one fails, or the group's
coordinator, also to a twin of the group without them."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from support.kafka_broker import plugged_brokers

from benchmarks.live.assignment_log import change_figures
from benchmarks.live.membership_table import deaths_cost
from benchmarks.live.processes import KIP_848
from benchmarks.live.run import keep
from benchmarks.live.steward_pair import AFTER_S, EVERY, GROUP, MEMBERS, Fault, Pair
from benchmarks.waiting import until, within
from equilag.live.steward.election_loop import election_group

pytestmark = [pytest.mark.broker]

LEADS_S: Final = 15.0
"""The longest time without a steward that leads."""
TIMES: Final = int(os.environ.get("LIVE_PAIR_TIMES", "20"))
"""How often a steward is killed, ended and paused, and how often a coordinator dies."""
UNIFORM: Final = "the brokers' `uniform` again"
MORE: Final = 1.1
"""What the deaths of coordinators may cost in all, in parts of what they cost the twin."""
PAUSES_S: Final = (5.0, 20.0, 40.0, 60.0)
"""One after another."""
STRATEGIES: Final = ("cooperative-sticky", "range", KIP_848)
Found = dict[str, list[dict[str, Any]]]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Callable[[str, int], Pair]]:
    with ExitStack() as stack:

        def made(strategy: str, number: int) -> Pair:
            return Pair(plugged_brokers(stack, tmp_path, number), tmp_path, strategy, stack)

        yield made


def assert_harmless(found: dict[str, Any]) -> None:
    assert (found["leads_s"] or LEADS_S) < LEADS_S, found
    assert found["rests"], found
    assert (found["moves"], found["two_owners"]) == (0, 0), found


def test_the_second_leads_when_the_first_is_killed_or_ended(
    pair: Callable[[str, int], Pair],
) -> None:
    here = pair("cooperative-sticky", 1)
    found = here.fails(here.killed)
    leader = here.leader
    assert leader is not None
    for one in (found, here.fails(here.ended)):
        assert_harmless(one)
        assert one["rebalances"] <= 1, one
    assert leader.process.wait(10) == 0


def tried(here: Pair, strategy: str, faults: Iterable[tuple[str, Fault]]) -> Found:
    """Try the faults in order, and keep the figures after each."""
    found: Found = {}
    for name, fault in faults:
        found.setdefault(name, []).append(here.fails(fault))
        case = f"pair-{strategy}-{next(iter(found)).partition(' ')[0]}"
        keep(case, {"strategy": strategy, "faults": found})
    return found


@pytest.mark.live
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_somebody_always_leads(pair: Callable[[str, int], Pair], strategy: str) -> None:
    here = pair(strategy, 1)
    faults: list[tuple[str, Fault]] = []
    for seconds in itertools.islice(itertools.cycle(PAUSES_S), TIMES):
        paused = partial(here.paused, seconds=seconds)
        faults += [("killed", here.killed), ("SIGTERM", here.ended)]
        faults += [(f"paused {seconds:g} s", paused)]
    for cases in tried(here, strategy, faults).values():
        for case in cases:
            assert_harmless(case)
            assert case["rebalances"] <= 1 or strategy == KIP_848, case  # epochs cost nothing


@pytest.mark.live
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_coordinator_dies(pair: Callable[[str, int], Pair], strategy: str) -> None:
    """Some members lose their partitions, led or not."""
    here = pair(strategy, 3)
    election = partial(here.without_coordinator, group=election_group(GROUP))
    own = partial(here.without_coordinator, group=GROUP)
    faults = [("coordinator killed", own), ("coordinator of the election killed", election)]
    found = tried(here, strategy, itertools.islice(itertools.cycle(faults), TIMES))
    for case in itertools.chain(*found.values()):
        assert (case["rests"], case["two_owners"]) == (True, 0), case
        assert (case["leads_s"] or LEADS_S) < LEADS_S, case
    led, alone = deaths_cost(found)
    assert led["unowned_partition_s"] <= MORE * alone["unowned_partition_s"], (led, alone)
    assert led["moves"] <= alone["moves"], (led, alone)


@pytest.mark.live
def test_brokers_are_restarted_one_after_another(pair: Callable[[str, int], Pair]) -> None:
    here, began = pair(KIP_848, 3), time.time()
    turns = itertools.islice(itertools.cycle(range(3)), TIMES)
    faults = [("rolling restart", partial(here.without_broker, number=number)) for number in turns]
    for case in tried(here, KIP_848, faults)["rolling restart"]:
        assert_harmless(case)
    assert not [one for one in here.log.since(began) if one.what in ("lost", "closed", "failed")]


@pytest.mark.live
def test_all_carriers_are_gone_for_good(pair: Callable[[str, int], Pair]) -> None:
    """Their session of 45 s ends: the brokers assign again, and nobody dies of it."""
    here = pair(KIP_848, 1)
    assert here.assignor() == "equilag"
    began = time.time()
    for one in here.stewards:
        one.kill()
    until(lambda: here.assignor() == "uniform", 60)
    seconds = round(time.time() - began, 1)
    within(lambda: False, 2 * AFTER_S)
    figures = asdict(change_figures(here.log.events, began, time.time(), {}))
    words = "all stewards killed"
    keep("carriers-gone", {"words": words, "changes": {UNIFORM: {**figures, "seconds": seconds}}})
    assert here.log.shared(EVERY, MEMBERS)
    assert not [event for event in here.log.since(began) if event.what in ("lost", "closed")]
    # While a group forms, a client may say that it has none yet of what it was just given, and its
    # broker gives that to others: without a steward, too.
    assert not [one for one in here.log.twice() if one.end > began]
