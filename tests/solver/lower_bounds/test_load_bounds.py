"""The search for the best counting bounds: valid always, tight where the answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.constraints import counting_of, held_table, topic_table
from support.groups import LAG_KINDS, ODD, group_of, odd_cases, random_group, small_groups
from support.oracles import Assignments

from equilag.certificate.bounds.counting import Counting
from equilag.certificate.bounds.heaviest import rest
from equilag.domain.group.group import Flags, Group, Ints
from equilag.domain.plan.metrics import member_counts, member_loads
from equilag.domain.policy.policy import Policy
from equilag.domain.policy.policy_settings import BALANCES
from equilag.solver.lower_bounds.load_bounds import LoadBounds, difference, load_bounds


def bounds_of(group: Group, policy: Policy, stopped: bool = False) -> LoadBounds | None:
    return load_bounds(counting_of(group, policy), lambda: stopped)


def below_the_truth(group: Group, policy: Policy) -> tuple[int, int]:
    """Checks them; how many bounds there were, and how many of them are the truth itself."""
    found = bounds_of(group, policy)
    truth = Assignments.all(group, policy.name == "sticky-yet-fair").balanced(policy.balance)
    if found is None:
        assert not truth.active
        return 0, 0
    highest, lowest = int(truth.highest.min()), int(truth.lowest.max())
    assert found.highest.value <= highest
    assert lowest <= found.lowest.value
    assert found.spread <= truth.spread.min()
    assert difference(found).value == found.spread
    return 2, int(found.highest.value == highest) + int(found.lowest.value == lowest)


@pytest.mark.parametrize(
    ("n", "shape"),
    [(24, {}), *((6, {"kind": "hot", "reads": reads, "owned": 0.3}) for reads in (0.3, 1.0))],
)
@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_below_the_truth_and_often_equal_to_it(name: str, n: int, shape: dict[str, Any]) -> None:
    number = tight = 0
    for group in small_groups(seed=41, n=n, **shape):
        for balance in BALANCES:
            made, exact = below_the_truth(group, Policy(name, balance))
            number, tight = number + made, tight + exact
    assert tight > number / 2


@pytest.mark.parametrize(("name", "policy"), odd_cases([Policy(), Policy("kip-169")]))
def test_a_bound_cut_short_is_the_average_of_all(name: str, policy: Policy) -> None:
    group = ODD[name]()
    whole, cut = bounds_of(group, policy), bounds_of(group, policy, stopped=True)
    if cut is None or whole is None:
        assert group.idle.all()
        return
    active = int((~group.idle).sum())
    total = int(group.lag[group.assignable].sum())
    assert cut.highest.data == cut.lowest.data == {"members": "all"}
    assert (cut.highest.value, cut.lowest.value) == (-(-total // active), total // active)
    assert whole.highest.value >= cut.highest.value
    assert whole.lowest.value <= cut.lowest.value


@pytest.mark.parametrize(
    ("group", "highest", "lowest", "kinds"),
    [
        (group_of([4], [[0]] * 2, lags=[100, 7, 5, 3]), 103, 12, ("heavy", "rest")),
        (group_of([4], [[0]] * 4, lags=[100, 90, 1, 2]), 100, 1, ("heavy", "rest")),
        (group_of([2, 2], [[0], [1]], lags=[5, 6, 1, 1]), 11, 2, ("heavy", "average")),
        (group_of([4], [[0]] * 2, lags=[5, 6, 4, 5]), 10, 10, ("average", "average")),
    ],
)
def test_tight_where_the_answer_is_plain(
    group: Group, highest: int, lowest: int, kinds: tuple[str, str]
) -> None:
    found = bounds_of(group, Policy())
    assert (found.highest.value, found.lowest.value) == (highest, lowest)
    assert (found.highest.kind, found.lowest.kind) == kinds
    truth = Assignments.all(group).balanced("total")
    assert (int(truth.highest.min()), int(truth.lowest.max())) == (highest, lowest)


def test_many_classes_of_members_stay_within_the_limit_of_sets() -> None:
    """More classes than sets that are tried: still valid, and about as many sets as allowed."""
    group = group_of([2] * 70, [[t, (t + 1) % 70] for t in range(70)], lags=[1, 3] * 70)
    found = bounds_of(group, Policy())
    assert found.highest.value >= 4
    assert found.lowest.value <= 4


# What docs/certificates.md says, the plain way.


class Plain:
    """Members and partitions as section 5 has them, one at a time."""

    def __init__(self, counting: Counting, members: Flags) -> None:
        group, constraint = counting.group, counting.constraint
        self.group, self.constraint = group, constraint
        self.everybody = range(group.n_members)
        self.members = [m for m in self.everybody if members[m] and not group.idle[m]]
        pinned = constraint.pinned_assignment
        self.base = member_loads(pinned, group.lag, group.n_members).tolist()
        held = member_counts(pinned, group.n_members)
        self.lo, self.hi = ((side - held).tolist() for side in constraint.counts_of())
        self.topic_lo: Ints | None = None
        self.topic_hi: Ints | None = None
        if constraint.per_topic:
            per_topic = held_table(group, pinned)
            self.topic_lo, self.topic_hi = (s - per_topic for s in topic_table(constraint))
        self.buckets: dict[int, list[int]] = {}
        for p in range(group.n_partitions):
            if constraint.free[p]:
                key = group.topic_of[p] if self.topic_lo is not None else group.partition_class[p]
                self.buckets.setdefault(int(key), []).append(int(group.lag[p]))

    def can(self, bucket: int, inside: bool) -> int:
        """How many S, or everybody else, can take of a bucket."""
        who = [m for m in self.everybody if (m in self.members) is inside]
        if self.topic_lo is None or self.topic_hi is None:
            may = bool(self.constraint.face[bucket, self.group.class_of[who]].any())
            return len(self.buckets[bucket]) if may else 0
        others = [m for m in self.everybody if m not in who]
        size = len(self.buckets[bucket])
        left = size - int(self.topic_lo[bucket, others].sum())
        most = int(self.topic_hi[bucket, who].sum())
        return min(most, left) if inside else most

    def must(self, bucket: int) -> int:
        left = len(self.buckets[bucket]) - self.can(bucket, inside=False)
        if self.topic_lo is None:
            return max(0, left) if self.can(bucket, inside=True) else 0
        return max(int(self.topic_lo[bucket, self.members].sum()), left)

    def exclusive(self) -> list[int]:
        """Ascending."""
        return sorted(
            lag
            for bucket, lags in self.buckets.items()
            if not self.can(bucket, inside=False) and self.can(bucket, inside=True)
            for lag in lags
        )

    def mine(self) -> list[int]:
        """All that S may take, ascending."""
        found = [lags for bucket, lags in self.buckets.items() if self.can(bucket, inside=True)]
        return sorted(lag for lags in found for lag in lags)

    def most(self) -> int:
        sure, more, number = 0, [], 0
        for bucket, lags in self.buckets.items():
            heavy, must = sorted(lags, reverse=True), self.must(bucket)
            sure += sum(heavy[:must])
            number += must
            more += heavy[must : self.can(bucket, inside=True)]
        left = max(0, sum(self.hi[m] for m in self.members) - number)
        heaviest = sorted(more, reverse=True)[:left]
        return sum(self.base[m] for m in self.members) + sure + sum(heaviest)

    def rest(self, k: int) -> int | None:
        """The bound itself, for every number of holders in turn."""
        size, exclusive, others = len(self.members), self.exclusive(), self.mine()
        if size < 2 or k < 1 or k > len(exclusive):
            return None
        heavy = exclusive[-k:]
        for lag in heavy:
            others.remove(lag)
        fewest = sorted(self.lo[m] for m in self.members)
        base = sorted(self.base[m] for m in self.members)
        found = []
        for j in range(-(-k // max(1, *(self.hi[m] for m in self.members))), min(k, size) + 1):
            beside = max(0, sum(fewest[:j]) - k)
            carried = sum(heavy) + sum(base[:j]) + sum(others[:beside])
            left, among = (self.most(), size) if j == size else (self.most() - carried, size - j)
            found.append(left // among)
        return max(0, *found) if found else None


def as_stated(counting: Counting, members: Flags) -> int:
    """Checks what is exclusive to a set, and the rest for up to six; how many said something."""
    plain, said = Plain(counting, members), 0
    active = members & counting.active
    found = counting.exclusive(active)
    assert counting.lag[found.order].tolist() == plain.mine()
    assert counting.lag[found.mine].tolist() == plain.exclusive()[::-1]
    assert found.most == plain.most()
    for k in range(7):
        bound = rest(counting, members, k)
        assert bound == plain.rest(k), (k, members)
        said += bound is not None
    return said


@pytest.mark.parametrize("balance", BALANCES)
@pytest.mark.parametrize("name", ["lag-aware", "sticky-yet-fair"])
def test_the_rest_is_what_the_page_on_certificates_says(name: str, balance: str) -> None:
    rng, said = np.random.default_rng(42), 0
    for number in range(16):
        group = random_group(
            rng, topics=5, members=7, size=6, reads=(0.3, 0.6, 1.0)[number % 3], owned=0.4,
            kind=LAG_KINDS[number % len(LAG_KINDS)],
        )  # fmt: skip
        counting = counting_of(group, Policy(name, balance))
        for likely in (0.3, 0.6, 0.9, 1.1):
            said += as_stated(counting, rng.random(group.n_members) < likely)
    assert said > 60


# Which sets and numbers are tried.


def test_crowds_hold_the_best_number_of_all() -> None:
    """Under one subscription, some partitions far heavier: none that is left out says more."""
    rng = np.random.default_rng(44)
    for _ in range(12):
        hot = int(rng.integers(1, 25))
        lags = np.concatenate((rng.integers(10**5, 10**6, hot), rng.integers(1, 500, 150 - hot)))
        group = group_of([150], [[0]] * 30, lags=lags)
        counting = counting_of(group, Policy())
        rests = [rest(counting, counting.active, k) for k in range(1, 30)]
        least = min(rest for rest in rests if rest is not None)
        found = load_bounds(counting, lambda: False)
        assert found.lowest.value == min(least, counting.average(counting.active)[1])


def test_a_poor_member_is_found_in_a_crowd() -> None:
    """Too many classes to try each, but the one that reads little is tried before all others."""
    n = 90
    subscriptions = [[t, (t + 1) % n] for t in range(n)]
    lags = np.full(4 * n, 1000)
    poor = 61
    lags[4 * poor : 4 * poor + 8] = np.arange(8)
    group = group_of([4] * n, subscriptions, lags=lags)
    counting, asked = counting_of(group, Policy()), iter(range(8))
    found = load_bounds(counting, lambda: next(asked, None) is None)
    assert found.lowest.value == 7 + 6 + 5 + 4
    assert found.lowest.kind == "average"


def test_nothing_more_is_looked_for_where_the_spread_is_proved() -> None:
    def asked() -> bool:
        raise AssertionError("nothing to look for")

    group = group_of([4], [[0]] * 2, lags=[5, 6, 4, 5])
    counting = counting_of(group, Policy())
    found = load_bounds(counting, asked, reached=0)
    assert (found.highest.value, found.lowest.value, found.spread) == (10, 10, 0)
    with pytest.raises(AssertionError):
        load_bounds(counting, asked, reached=2)


def test_what_is_reached_takes_nothing_from_the_bounds() -> None:
    for group in small_groups(seed=46, n=10):
        counting = counting_of(group, Policy())
        whole = load_bounds(counting, lambda: False)
        if whole is None:
            continue
        least = int(Assignments.all(group).balanced("total").spread.min())
        for reached in (least, least + 1):
            found = load_bounds(counting, lambda: False, reached)
            assert found.spread == whole.spread
