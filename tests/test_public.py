"""The public surface: what is documented is there, nothing else is, and it loads when used."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from importlib import metadata
from typing import Final

import pytest
from support.paths import CHECKOUT, SAMPLES

import equilag
from equilag import RebalanceDiff

SURFACE: Final = {
    "Assignor", "ClaimColumns", "Comparison", "ContradictedBound", "EquilagError", "Explanation",
    "FleetRun", "Front", "Group", "InputError", "Member", "MissingExtra", "PartitionOffsets",
    "Plan", "Point", "Policy", "RebalanceDiff", "Simulation", "Sizing", "assign", "compare",
    "explain", "explanation_document", "frontier", "load_fleet", "load_snapshot", "report_page",
    "report_text", "save_snapshot", "simulate", "size", "snapshot_document", "solve", "verify",
}  # fmt: skip

SNAPSHOT: Final = {
    "format": "equilag/snapshot/1",
    "group": "orders-service",
    "topics": {"orders": 6, "payments": 3},
    "members": [
        {"id": "c-1", "subscription": ["orders", "payments"], "owned": {"orders": [0, 1, 2, 3]}},
        {"id": "c-2", "subscription": ["orders"], "owned": {"orders": [4]}},
    ],
    "lags": {"orders": [9, 0, 4, 4, 1, 2], "payments": [10, 0, 5]},
}


@pytest.mark.parametrize("name", sorted(SURFACE))
def test_every_name_resolves_to_something_with_that_name(name: str) -> None:
    value = getattr(equilag, name)
    assert value.__name__ == name
    assert value.__module__.startswith("equilag.")
    assert inspect.getdoc(value)


def test_completion_knows_every_name() -> None:
    assert set(dir(equilag)) == SURFACE | {"__version__"}


def test_help_fits_a_screen() -> None:
    """With every function of the surface in it."""
    text = pydoc.plain(pydoc.render_doc(equilag))
    assert len(text.splitlines()) <= 50
    functions = {name for name in SURFACE if name.islower()}
    assert {name for name in functions if name not in text} == set()


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="no attribute 'optimise'"):
        _ = equilag.optimise  # type: ignore[attr-defined]


def test_the_version_is_the_packages() -> None:
    try:
        installed = metadata.version("equilag")
    except metadata.PackageNotFoundError:
        pytest.skip("equilag is not installed")
    assert equilag.__version__ == installed


def test_settings_are_named_not_counted() -> None:
    """So that a setting can be added without breaking a call."""
    for function in (equilag.solve, equilag.frontier, equilag.simulate):
        parameters = list(inspect.signature(function).parameters.values())
        assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters[2:])
    for wrong in ({"move_costs": 1}, {"limit": 2.0}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            equilag.frontier(equilag.load_snapshot(SNAPSHOT), **wrong)


@pytest.mark.parametrize("heavy", ["numpy", "ortools"])
def test_a_name_loads_only_what_it_needs(heavy: str) -> None:
    """An error class needs no arrays, a heuristic no solver."""
    use = "equilag.InputError" if heavy == "numpy" else "equilag.Policy, equilag.verify"
    code = f"import equilag, sys; {use}; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 0


def test_errors_are_one_family() -> None:
    for name in ("ContradictedBound", "InputError", "MissingExtra"):
        assert issubclass(getattr(equilag, name), equilag.EquilagError)
    assert issubclass(equilag.InputError, ValueError)


# RebalanceDiff


def test_a_members_difference() -> None:
    diff = RebalanceDiff.of({"a": [0, 1], "b": [2]}, {"a": [1, 2], "c": [0]})
    assert diff.clean_up == {("a", 0), ("b", 2)}
    assert diff.initialise == {("a", 2), ("c", 0)}
    assert diff.keep == {("a", 1)}


def test_nothing_changes() -> None:
    diff = RebalanceDiff.of({"a": [1, 0]}, {"a": [0, 1], "b": []})
    assert (diff.clean_up, diff.initialise) == (frozenset(), frozenset())
    assert diff == RebalanceDiff.of({"a": (0, 1)}, {"a": {1, 0}})


def test_the_difference_of_all_members_covers_who_left_and_who_came() -> None:
    diffs = RebalanceDiff.by_member({"old": {"a": [0]}, "m": {}}, {"new": {"a": [0]}, "m": {}})
    assert list(diffs) == ["m", "new", "old"]
    assert diffs["old"].clean_up == diffs["new"].initialise == {("a", 0)}
    assert diffs["m"] == RebalanceDiff.of({}, {})


def test_the_difference_of_a_plan_is_its_moves_and_what_was_free() -> None:
    group = equilag.load_snapshot(SNAPSHOT)
    plan = equilag.solve(group, time_limit=5.0)
    owned = {row["id"]: row["owned"] for row in SNAPSHOT["members"]}  # type: ignore[index]
    diffs = RebalanceDiff.by_member(owned, plan.assignment)
    assert sum(len(diff.clean_up) for diff in diffs.values()) == len(plan.moves)
    kept = sum(len(diff.keep) for diff in diffs.values())
    assert kept == 5 - len(plan.moves)
    assert sum(len(diff.initialise) for diff in diffs.values()) == 9 - kept


# What a prompt shows.


def test_a_prompt_shows_five_lines_at_most_with_units() -> None:
    group = equilag.load_snapshot(SAMPLES / "overloaded.snapshot.json")
    plan = equilag.solve(group, effort=0.05)
    results = (
        plan, equilag.compare(group, effort=0.05), equilag.explain(group, plan, effort=0.05),
        equilag.frontier(group, effort=0.05), equilag.simulate(group, plan),
        equilag.size(group, effort=0.05, catch_up=600),
        equilag.load_fleet(str(SAMPLES / "fleet-run")),
    )  # fmt: skip
    for result in results:
        lines = repr(result).splitlines()
        assert lines[0].startswith(f"{type(result).__name__}: ")
        assert lines[0].partition(": ")[2].split()[:3] == equilag.report_text(result).split()[:3]
        assert 2 <= len(lines) <= 5
        assert all(len(line) <= 100 for line in lines)
    assert repr(group).splitlines()[1:] == [
        "  lag: 28,655 records, 693 to 12,972 per member",
        "  owned: 24 of 24 partitions",
        "  produced: 7,074 records/s, known of 24 partitions",
        "  capacity: 6,000 in all, known of 6 members",
    ]


def test_a_large_group_has_a_short_repr() -> None:
    members = [f"c-{i}" for i in range(1000)]
    topics = {member: ["t"] for member in members}
    group = equilag.Group.build(name="g", topics={"t": 9}, members=members, subscriptions=topics)
    assert len(repr(group)) < 300


def test_an_explanation_has_its_document() -> None:
    group = equilag.load_snapshot(SNAPSHOT)
    document = equilag.explanation_document(equilag.explain(group, effort=0.1))
    assert (document["format"], document["group"]) == ("equilag/explanation/1", "orders-service")
