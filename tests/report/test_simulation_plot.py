"""The plot of a simulation."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from equilag.report.facts.simulation import SimulationFacts, simulation_facts
from support.slow_member import even_assignment, slow_group

from equilag.planner.simulate import simulate
from equilag.report.plot import simulation_plot

STAYS = {"a": {"t": [0, 1]}, "b": {"t": [2, 3]}, "slow": {"t": [4, 5]}}


def facts_of(duration: float, **plan: object) -> SimulationFacts:
    return simulation_facts(
        simulate(slow_group(), {**even_assignment(), **plan}, duration=duration)
    )


@pytest.mark.parametrize(
    ("duration", "unit"), [(60, "seconds"), (600, "minutes"), (36_000, "hours")]
)
def test_lines_words_and_units(duration: float, unit: str) -> None:
    found = ElementTree.fromstring(simulation_plot(facts_of(duration), "svg"))
    assert {e.attrib["id"] for e in found.iter() if "id" in e.attrib} >= {"current", "plan"}
    words = set(found.itertext())
    assert {unit, "lag (records)", "current assignment", "with the plan"} <= words


def test_a_plan_that_changes_nothing_is_not_drawn() -> None:
    words = set(ElementTree.fromstring(
        simulation_plot(facts_of(60, assignment=STAYS), "svg")
    ).itertext())  # fmt: skip
    assert "current assignment" in words
    assert "with the plan" not in words


def test_the_same_facts_give_the_same_file() -> None:
    facts = facts_of(60)
    assert simulation_plot(facts, "png") == simulation_plot(facts, "png")
