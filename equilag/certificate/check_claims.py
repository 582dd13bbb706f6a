"""The checks of single claims, one function per kind; docs/certificates.md words them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from equilag.certificate.counting import Counting
from equilag.certificate.matching import Side, most_disjoint, pairs_beyond, pairs_needed
from equilag.certificate.potentials import Potentials, bound_by_potentials, bound_by_topics
from equilag.constraint import CountConstraint
from equilag.exhaustive.patterns import Budget, OutOfBudget
from equilag.exhaustive.search import Search
from equilag.exhaustive.target import SearchTarget
from equilag.exhaustive.whole_group import whole_problem
from equilag.group import Flags, Group, iter_names
from equilag.objective import Objective
from equilag.policy import Policy

SEARCH_WORK: Final = 3_000_000_000
"""Budget of one search that is run again, in array elements: ten times what a search may cost."""


class Refuted(Exception):
    """A claim does not hold, or its data cannot be read; the text says why."""


@dataclass(slots=True)
class Ledger:
    """What is proved so far, and what can be proved from."""

    group: Group
    """Without owners where the policy says ``fresh``."""
    real: Group
    policy: Policy | None
    constraint: CountConstraint
    exact_counts: bool
    moves_at_most: int | None
    own: Mapping[str, int] = field(default_factory=dict)
    """What the plan itself reaches, by claim: no claim may rule the plan out."""
    proved: dict[str, int] = field(default_factory=dict)
    """Strongest values, those on a solver's word included."""
    checked: dict[str, int] = field(default_factory=dict)
    """Strongest values that were proved again."""
    unproved: list[str] = field(default_factory=list)
    _counting: Counting | None = None

    @property
    def counting(self) -> Counting:
        if self._counting is None:
            self._counting = Counting(self.group, self.constraint)
        return self._counting

    def members(self, data: Mapping[str, Any]) -> Flags:
        """The set of members that a claim speaks of."""
        names = data.get("members")
        if names == "all":
            return self.counting.active
        number = {m.id: i for i, m in enumerate(self.group.members)}
        if not isinstance(names, list) or not names:
            raise Refuted('data.members is neither "all" nor a list of members')
        chosen = np.zeros(self.group.n_members, dtype=np.bool_)
        for name in names:
            if not isinstance(name, str) or name not in number:
                raise Refuted(f"data.members names {name!r}, which is no member")
            chosen[number[name]] = True
        return chosen

    def note(self, claim: str, value: int, checked: bool = True) -> None:
        """Keep the strongest value of a claim that holds."""
        lower = claim == "min_load_at_most"
        for known in (self.proved, self.checked) if checked else (self.proved,):
            old = known.get(claim)
            if old is None or (value < old if lower else value > old):
                known[claim] = value

    def contradicted(self, claim: str, value: int) -> bool:
        """Does the plan itself show that the claim is wrong."""
        own = self.own.get(claim)
        if own is None:
            return False
        return value < own if claim == "min_load_at_most" else value > own


def _integer(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key)
    if type(value) is not int or value < 0:
        raise Refuted(f"data.{key} is not a whole number")
    return value


def _optional(data: Mapping[str, Any], key: str) -> int | None:
    return None if data.get(key) is None else _integer(data, key)


def _counts(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    if not ledger.exact_counts:
        raise Refuted("the plan does not meet the count balance")
    largest = int(ledger.constraint.hi[~ledger.group.idle].max(initial=0))
    if value != largest:
        raise Refuted(f"the largest count that the balance allows is {largest}")


def _moves_count(ledger: Ledger, value: int) -> None:
    if value and (not ledger.exact_counts or ledger.constraint.pinned.any()):
        raise Refuted("no move is forced on a plan like this")


def _fewest_moves(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _moves_count(ledger, value)
    sides = []
    sizes = (("topics", ledger.real.topics), ("members", [m.id for m in ledger.real.members]))
    for key, names in sizes:
        table = data.get(key)
        if not isinstance(table, dict):
            raise Refuted(f"data.{key} is not a table of potentials")
        number = {name: i for i, name in enumerate(names)}
        side = np.zeros(len(names), dtype=np.int64)
        for name, potential in table.items():
            if name not in number or type(potential) is not int or abs(potential) > 2**31:
                raise Refuted(f"data.{key}.{name} is no potential")
            side[number[name]] = potential
        sides.append(side)
    bound = bound_by_potentials(ledger.real, ledger.constraint, Potentials(sides[0], sides[1]))
    if bound is None:
        raise Refuted("the potentials are not a dual solution")
    if value > bound:
        raise Refuted(f"the potentials prove no more than {bound}")


def _fewest_moves_per_topic(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _moves_count(ledger, value)
    if ledger.constraint.topic_lo is None:
        raise Refuted("the balance does not count topic by topic")
    bound = bound_by_topics(ledger.real, ledger.constraint)
    if value > bound:
        raise Refuted(f"the topics force no more than {bound}")


def _highest_average(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    bound = ledger.counting.average(ledger.members(data))[0]
    if value > bound:
        raise Refuted(f"the mean load of these members proves no more than {bound}")


def _highest_heavy(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    bound = ledger.counting.heavy(ledger.members(data), _integer(data, "heaviest"))
    if value > bound:
        raise Refuted(f"the heaviest partitions prove no more than {bound}")


def _lowest_average(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    bound = ledger.counting.average(ledger.members(data))[1]
    if value < bound:
        raise Refuted(f"the mean load of these members proves no less than {bound}")


def _lowest_rest(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    bound = ledger.counting.rest(ledger.members(data), _integer(data, "heaviest"))
    if bound is None or value < bound:
        raise Refuted(f"what the heaviest partitions leave proves no less than {bound}")


def _highest_pairs(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _pairs(ledger, value, data, "below")


def _lowest_pairs(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _pairs(ledger, value, data, "above")


def _pairs(ledger: Ledger, value: int, data: Mapping[str, Any], side: Side) -> None:
    needed = pairs_needed(ledger.counting)
    if needed < 1:
        raise Refuted("it is not known how many members hold two partitions")
    named = data.get("apart")
    if not isinstance(named, list):
        raise Refuted("data.apart is no list of partitions")
    place = {name: i for i, name in enumerate(iter_names(ledger.group, ledger.counting.partition))}
    apart = np.zeros(len(place), dtype=np.bool_)
    for name in named:
        known = isinstance(name, list) and [type(part) for part in name] == [str, int]
        if not known or tuple(name) not in place:
            raise Refuted(f"data.apart names {name!r}, which is no free partition")
        apart[place[tuple(name)]] = True
    most = most_disjoint(pairs_beyond(ledger.counting, value, side), apart)
    if most >= needed:
        raise Refuted(f"{most} disjoint pairs {side} it are not ruled out, {needed} are needed")


def _difference(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    high = ledger.proved.get("max_load_at_least", 0)
    low = ledger.proved.get("min_load_at_most", int(ledger.group.lag.sum()))
    if value > max(0, high - low):
        raise Refuted(f"the proved loads are only {max(0, high - low)} apart")


def move_cost(ledger: Ledger) -> int:
    """What a move counts for in the last goal of the policy."""
    return 0 if ledger.policy is None else Objective(ledger.policy).move_cost


def _sum(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    bound = ledger.checked.get("spread_at_least", 0)
    bound += move_cost(ledger) * ledger.checked.get("fewest_moves", 0)
    if value > bound:
        raise Refuted(f"spread and moves prove no more than {bound}")


def search_target(
    value: int, max_moves: int | None, move_cost: int, highest: int, lowest: int
) -> SearchTarget:
    """What must not exist if every plan costs at least `value`.

    A plan that costs less has a spread below `value`, so that its lightest load is no further than
    that below the proved highest one, and the other way round.
    """
    spread = value - 1
    return SearchTarget(
        spread,
        floor=max(0, highest - spread),
        cap=lowest + spread,
        max_moves=max_moves,
        move_cost=move_cost,
    )


def _search(ledger: Ledger, value: int, data: Mapping[str, Any], move_cost: int) -> None:
    max_moves = _optional(data, "max_moves")
    limit = ledger.moves_at_most
    if max_moves is not None and (limit is None or max_moves < limit):
        raise Refuted("it covers only plans with fewer moves than the policy allows")
    if value < 1:
        return
    whole = whole_problem(ledger.group, ledger.constraint, max_moves)
    if whole is None:
        raise Refuted("the group is too large to be searched")
    high = ledger.proved.get("max_load_at_least", 0)
    low = ledger.proved.get("min_load_at_most", int(ledger.group.lag.sum()))
    budget = Budget(SEARCH_WORK)
    try:
        found = Search(whole.problem, budget).find(
            search_target(value, max_moves, move_cost, high, low)
        )
    except OutOfBudget:
        raise Refuted("the search takes more work than a check may spend") from None
    if found is not None:
        raise Refuted("the search finds a plan below it")


def _spread_search(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _search(ledger, value, data, 0)


def _cost_search(ledger: Ledger, value: int, data: Mapping[str, Any]) -> None:
    _search(ledger, value, data, move_cost(ledger))


Check = Callable[[Ledger, int, Mapping[str, Any]], None]

CHECKS: Final[Mapping[tuple[str, str], Check]] = {
    ("counts", "residual"): _counts,
    ("fewest_moves", "potentials"): _fewest_moves,
    ("fewest_moves", "per-topic"): _fewest_moves_per_topic,
    ("max_load_at_least", "average"): _highest_average,
    ("max_load_at_least", "heavy"): _highest_heavy,
    ("max_load_at_least", "pairs"): _highest_pairs,
    ("min_load_at_most", "average"): _lowest_average,
    ("min_load_at_most", "rest"): _lowest_rest,
    ("min_load_at_most", "pairs"): _lowest_pairs,
    ("spread_at_least", "difference"): _difference,
    ("spread_at_least", "search"): _spread_search,
    ("cost_at_least", "sum"): _sum,
    ("cost_at_least", "search"): _cost_search,
}
SOLVER_KINDS: Final = {("spread_at_least", "cp-sat"), ("cost_at_least", "cp-sat")}
