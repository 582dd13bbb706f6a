"""Assignors by name, from packages and as objects: which there are, and what is refused."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.claimed_groups import load
from support.groups import group_of

import equilag
from equilag import Group
from equilag.domain.errors import InputError
from equilag.heuristics import Assignor, assignor_names, get_assignor, run_assignor
from equilag.heuristics.registry import given_assignor

BUILT_IN = (
    *("range", "round-robin", "fair", "sticky", "lag-aware", "constrained-sticky"),
    *("uniform", "broker-range"),
)

OWN_ASSIGNORS = """
import numpy as np

class AllToFirst:
    name = "all-to-first"
    def assign(self, group):
        return np.where(group.assignable, 0, -1)

class NeedsArgument(AllToFirst):
    def __init__(self, argument):
        pass

class Nested:
    ready = AllToFirst()

class Nameless:
    def assign(self, group):
        return None

class NotCallable:
    name = "x"
    assign = None

class NamelessByError(AllToFirst):
    @property
    def name(self):
        raise RuntimeError("no name")

class Ends(AllToFirst):
    def assign(self, group):
        raise SystemExit(0)
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    """A module with users' assignors on the path, under a name that is not imported yet."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_assignors", raising=False)
    (tmp_path / "own_assignors.py").write_text(OWN_ASSIGNORS)
    yield tmp_path
    sys.modules.pop("own_assignors", None)


@pytest.fixture
def install(own_module):
    """Install entry points, as a package would."""

    def write(**points):
        folder = own_module / "own_assignors-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: own-assignors\nVersion: 1.0\n"
        )
        lines = [f"{name.replace('_', '-')} = {target}" for name, target in points.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[equilag.assignors]", *lines, ""]))

    return write


@pytest.fixture
def group():
    members = [{"id": "a", "subscription": ["t"]}, {"id": "b", "subscription": ["u"]}]
    return load({"topics": {"t": 2, "u": 1, "v": 1}, "members": members})


class Returns:
    name = "mine"

    def __init__(self, answer):
        self.answer = answer

    def assign(self, group):
        return self.answer


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_assignors_carry_their_name(name):
    assignor = get_assignor(name)
    assert isinstance(assignor, Assignor)
    assert assignor.name == name


def test_unknown_name_lists_the_known_ones():
    assert assignor_names()[: len(BUILT_IN)] == BUILT_IN
    with pytest.raises(InputError, match=r"'rnage'.*range, round-robin, fair, sticky"):
        get_assignor("rnage")


def test_installed_assignors_are_listed_after_the_built_in_ones(install, group):
    install(
        zeta="own_assignors:AllToFirst",
        alpha="own_assignors:Nested.ready",
        range="own_assignors:AllToFirst",  # a name that cannot be taken
        broken="no_such_module_anywhere:Assignor",
    )
    assert assignor_names() == (*BUILT_IN, "alpha", "broken", "zeta")
    assert "own_assignors" not in sys.modules
    assert get_assignor("range").name == "range"
    for name in ("alpha", "zeta"):
        assert get_assignor(name).assign(group).tolist() == [0, 0, 0, -1]
    with pytest.raises(InputError, match=r"'broken' cannot be loaded .*no_such_module_anywhere"):
        get_assignor("broken")


@pytest.mark.parametrize(
    "attribute",
    ["Missing", "NeedsArgument", "", "Nameless", "NotCallable", "np", "NamelessByError"],
)
def test_what_is_not_an_assignor_is_refused(own_module, attribute):
    for name in (f"own_assignors:{attribute}", f":{attribute}"):
        with pytest.raises(InputError, match=f"assignor '{name}'"):
            get_assignor(name)


@pytest.mark.parametrize("source", ["1 / 0", "raise SystemExit(0)"])
def test_an_assignor_whose_module_fails_is_refused(own_module, monkeypatch, source):
    monkeypatch.delitem(sys.modules, "failing_assignors", raising=False)
    (own_module / "failing_assignors.py").write_text(source)
    with pytest.raises(InputError, match=r"ZeroDivisionError|SystemExit"):
        get_assignor("failing_assignors:Any")


def test_an_assignor_that_ends_the_process_is_refused(own_module, group):
    assert get_assignor("own_assignors:Nested.ready").name == "all-to-first"
    with pytest.raises(InputError, match=r"'all-to-first' failed \(SystemExit"):
        run_assignor(get_assignor("own_assignors:Ends"), group)


@pytest.mark.parametrize("kind", [list, np.array, lambda x: np.array(x, dtype=np.uint64) - 0])
def test_a_valid_answer_becomes_32_bit(kind):
    assigned = run_assignor(Returns(kind([0, 0, 1])), group_of([2, 1], [[0], [1]]))
    assert (assigned.dtype, assigned.tolist()) == (np.int32, [0, 0, 1])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([0, 0, 1], "shape"),
        ([[0, 0, 1, -1]], "shape"),
        ([0, [0], 1, -1], "failed"),
        (None, "shape"),
        ([0.0, 0.0, 1.0, -1.0], "float64"),
        (["a", "a", "b", ""], "instead of member numbers"),
        ([True, False, True, False], "bool"),
        ([0, 0, 2, -1], "u-0 is with member number 2 of 2 members"),
        ([0, 0, -2, -1], "u-0 is with member number -2 of 2 members"),
        ([2**32, 0, 1, -1], "t-0 is with member number 4294967296 of 2 members"),
        ([0, 1, 1, -1], "t-1 is with b, which does not subscribe to t$"),
        ([0, -1, 1, -1], "t-1 is with nobody, and its topic has subscribers"),
        ([0, 0, 1, 0], "v-0 is with a, which does not subscribe to v$"),
    ],
)
def test_an_invalid_answer_is_refused_and_names_the_assignor(group, answer, problem):
    with pytest.raises(InputError, match=f"'mine'.*{problem}"):
        run_assignor(Returns(answer), group)


GROUP = group_of([4], [[0], [0]], [0, 0, 0, 0], [9, 8, 7, 1])


class Named:
    name = "mine"

    def assign(self, group: Group) -> Any:
        group.owner[:] = -1  # it has a copy
        return np.zeros(group.n_partitions, dtype=np.int32)


class Nameless:
    def assign(self, group: Group) -> Any:
        return [1] * group.n_partitions


class NeedsArgument(Named):
    def __init__(self, argument: int) -> None:
        self.argument = argument


def all_to_last(group: Group) -> Any:
    group.owner[:] = -1
    return [group.n_members - 1] * group.n_partitions


GIVEN = {
    "mine": Named(),
    "Named class": Named,
    "Nameless": Nameless(),
    "all_to_last": all_to_last,
    "partial": partial(all_to_last),
}


@pytest.mark.parametrize("what", GIVEN)
def test_what_an_assignor_may_be(what: str) -> None:
    assignor: Any = GIVEN[what]
    plan = equilag.assign(GROUP, assignor)
    assert plan.algorithm == what.replace("Named class", "mine")
    assert set(plan.assigned.tolist()) == ({0} if assignor in (Named, GIVEN["mine"]) else {1})
    assert GROUP.owner.tolist() == [0, 0, 0, 0]
    assert equilag.verify(GROUP, plan.to_dict()) == []


def test_a_name_stands_for_the_assignor_of_that_name() -> None:
    assert given_assignor("range").assignor.name == "range"


@pytest.mark.parametrize("wrong", [3, None, NeedsArgument, object()])
def test_what_is_no_assignor(wrong: Any) -> None:
    with pytest.raises(InputError, match=r"assignor: .* is no assignor"):
        equilag.assign(GROUP, wrong)


@pytest.mark.parametrize("name", ["range", "current", "equilag", "mine"])
def test_a_row_has_a_name_of_its_own(name: str) -> None:
    with pytest.raises(InputError, match=f"another row is called '{name}'"):
        equilag.compare(GROUP, assignors=[Named(), partial_named(name, [0, 0, 0, 0])])


def test_an_object_that_fails_ends_the_comparison() -> None:
    with pytest.raises(InputError, match="'short' returned shape"):
        equilag.compare(GROUP, assignors=[partial_named("short", [0])])


def partial_named(name: str, answer: list[int]) -> Any:
    """A function called `name` that returns `answer`."""

    def answering(_: Group) -> list[int]:
        return answer

    answering.__name__ = name
    return answering
