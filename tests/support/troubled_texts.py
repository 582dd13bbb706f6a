"""Groups with one known trouble, as texts of kafka-consumer-groups, and what a verdict has to say.

A model of reading that knows nothing of equilag: partitions are produced to at a steady rate,
members read what they can, and commit from time to time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from support.described_texts import COLUMNS, padded

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Pairs = frozenset[tuple[str, str]]
"""Causes and actions; `*` is any cause."""


def _pairs(text: str) -> Pairs:
    """Of ``slow-member look, one-partition look``."""
    return frozenset((pair.split()[0], pair.split()[1]) for pair in text.split(","))


TROUBLES: Final = {
    "slow": ("slow-member look", "slow-member look"),
    "hung": ("one-partition look", "stuck-partition look"),
    "several-hung": ("one-partition look", "stuck-partition look"),
    "stuck": ("slow-member look", "stuck-member look"),
    "hot": ("one-partition look", "one-partition look, hot-partition look"),
    "behind": ("all-behind look", "all-behind add-members, too-few-members add-members"),
    "draining": ("all-behind look", "* leave"),
    "uneven": ("uneven-assignment move", "uneven-assignment move"),
    "quiet": ("* leave", "* leave"),
    "nobody": ("no-members start-members", "no-members start-members"),
}
"""Trouble -> what is right, of one text and of two."""
HEALTHY: Final = ("every-5-s", "by-batch", "markers", "empty-topics", "just-started")
CUTS: Final = ("80", "100", "ids", "tail")
LEAVE: Final = _pairs("* leave")
CUT: Final = _pairs("incomplete-input cannot-tell")


class Case(NamedTuple):
    """The text of now, that of some seconds before or None, and which verdicts are right."""

    name: str
    before: str | None
    after: str
    between: float
    right: Pairs


@dataclass
class Model:
    """P partitions of some topics, read by M members."""

    rng: np.random.Generator
    members: int
    topic: Ints
    """[P]"""
    owner: Ints
    """[P]; -1 for nobody."""
    rate: Floats
    """[P] records per second."""
    lag: Floats
    """[P] now."""
    read: Floats
    """[P] records per second that are committed between the two texts."""
    between: float
    """Seconds."""
    empty: npt.NDArray[np.bool_] = field(init=False)
    """[P] nothing was ever produced or committed."""
    alone: bool = False
    """True if the member in trouble has one partition."""

    def __post_init__(self) -> None:
        rng = self.rng
        self.empty = np.zeros(len(self.topic), np.bool_)
        self.ends = rng.integers(10**9, 10**10, len(self.topic))
        words = ["orders", "billing", "audit-log", "user.events", "stock_eu"]
        self.name = f"{rng.choice(words)}-{rng.integers(100)}"
        self.topics = [f"{rng.choice(words)}.v{number}" for number in range(self.topic.max() + 1)]
        self.ids = [f"consumer-{self.name}-{n + 1}-{_uuid(rng)}" for n in range(self.members)]

    @property
    def read_by_member(self) -> Floats:
        return np.bincount(self.owner, self.read, self.members)

    def texts(self) -> tuple[str, str]:
        """What the tool prints some seconds before now, and now."""
        committed = self.ends - np.maximum(np.rint(self.lag), 0).astype(np.int64)
        first = self.ends - np.rint(self.rate * self.between).astype(np.int64)
        earlier = np.minimum(committed - np.rint(self.read * self.between).astype(np.int64), first)
        return self._text(first, earlier), self._text(self.ends, committed)

    def _text(self, ends: Ints, commits: Ints) -> str:
        size = len(ends)
        number = np.zeros(size, np.int64)
        for topic in range(len(self.topics)):
            number[self.topic == topic] = np.arange(int((self.topic == topic).sum()))
        rows = [[*COLUMNS]]
        for p in self.rng.permutation(size) if self.rng.random() < 0.5 else range(size):
            member = ["-", "-", "-"]
            if (who := int(self.owner[p])) >= 0:
                client = self.ids[who].rsplit("-", 5)[0]
                member = [self.ids[who], f"/10.1.0.{who + 1}", client]
            offsets = [str(commits[p]), str(ends[p]), str(ends[p] - commits[p])]
            offsets = ["-", "0", "-"] if self.empty[p] else offsets
            topic = self.topics[self.topic[p]]
            rows.append([self.name, topic, str(number[p]), *offsets, *member])
        inactive = f"Consumer group '{self.name}' has no active members.\n"
        return f"{'' if (self.owner >= 0).any() else inactive}\n{padded(rows)}"


def _uuid(rng: np.random.Generator) -> str:
    digits = "".join(rng.choice([*"0123456789abcdef"], 32))
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def healthy(kind: str, rng: np.random.Generator, texts: int) -> Model:
    """A group in which nothing is wrong."""
    members, each = int(rng.integers(1, 9)), int(rng.integers(1, 7))
    n = members * each
    topics = int(rng.integers(1, min(3, n) + 1))
    topic = np.sort(np.concatenate((np.arange(topics), rng.integers(0, topics, n - topics))))
    owner = rng.permutation(np.repeat(np.arange(members), each))
    # One text has no rates: seconds of a fast topic look like a backlog of a slow one.
    of_topic = 10.0 ** rng.uniform(-1, 1 if texts == 1 else 4, topics)
    rate = of_topic[topic] * rng.uniform(0.5, 1.5, n)
    longest = {"by-batch": float(rng.uniform(5, 30)), "just-started": 2.0}.get(kind, 5.0)
    lag = rate * rng.uniform(0, longest, n)
    between = float(rng.choice([60, 60, 120, 300, 600]))
    model = Model(rng, members, topic, owner, rate, lag, rate.copy(), between)
    if kind == "markers":  # of transactions: records that no consumer ever reads
        model.lag = rng.integers(1, 3, n).astype(np.float64)
        model.rate = np.where(rng.random(n) < 0.5, 0.0, rate)
    elif kind == "empty-topics":
        model.empty = rng.random(n) < 0.6
        model.empty[: n // 2 + 1] = True
        model.rate[model.empty] = model.lag[model.empty] = 0
    if kind in ("every-5-s", "by-batch"):  # the earlier moment has its own distance to commits
        model.read = model.rate + (rng.uniform(0, longest, n) * rate - lag) / between
        model.read = np.maximum(model.read, 0)
    else:
        model.read = model.rate.copy()
    return model


def troubled(trouble: str, rng: np.random.Generator) -> Model:
    """A group with one trouble, and so many records that it matters."""
    members, each = int(rng.integers(3, 9)), int(rng.integers(2, 7))
    n = members * each
    topics = int(rng.integers(1, 3))
    topic = np.sort(np.concatenate((np.arange(topics), rng.integers(0, topics, n - topics))))
    owner = np.empty(n, np.int64)
    for place in range(topics):  # each topic evenly, as assignors deal them
        places = np.flatnonzero(topic == place)
        owner[places] = (np.arange(len(places)) + rng.integers(members)) % members
    low, high = (0, 1) if trouble == "quiet" else (1.3, 3)
    rate = 10.0 ** rng.uniform(low, high, topics)[topic] * rng.uniform(0.7, 1.4, n)
    if trouble == "uneven":
        rate = 10.0 ** rng.uniform(low, high) * rng.uniform(0.7, 1.4, n)
    lag, read = rate * rng.uniform(0, 5, n), rate.copy()
    between = float(rng.choice([60, 120, 300, 600]))
    since = float(rng.uniform(900, 7200)) + between
    who = int(owner[rng.integers(n)])
    mine = owner == who
    one = int(rng.choice(np.flatnonzero(mine)))
    part = float(rng.uniform(0.1, 0.4))
    if trouble == "slow":
        read[mine] *= part
    elif trouble == "hung":
        read[one] = 0
    elif trouble == "several-hung":  # one each of two members
        several = [one, int(rng.choice(np.flatnonzero(~mine)))]
        read[several] = 0
    elif trouble == "stuck":
        read[mine] = 0
    elif trouble == "hot":
        rate[one] *= rng.uniform(8, 20)
        read[one] = rate[one] * rng.uniform(0.3, 0.8)
    elif trouble == "behind":
        read *= 0.4 + part
    elif trouble == "uneven":
        # It has taken half of the others' partitions, and reads as fast as it can.
        for other in set(range(members)) - {who}:
            places = np.flatnonzero(owner == other)
            owner[rng.choice(places, len(places) // 2, replace=False)] = who
        mine = owner == who
        most = np.bincount(owner, rate * ~mine, members).max()
        part = max(0.4 + part, 1.05 * most / rate[mine].sum())
        if part > 0.95:  # it is no worse off than others
            return troubled(trouble, rng)
        read[mine] *= part
    lag += (rate - read) * since
    if trouble == "several-hung":
        others = np.delete(lag, several).sum() / 2
        lag[several] = np.maximum(lag[several], 8 * others + 20_000)
    if trouble in ("hung", "hot"):
        lag[one] = max(lag[one], 8 * (lag.sum() - lag[one]))
    elif trouble == "behind":
        lag = np.maximum(lag, 110_000) * rng.uniform(0.95, 1.05, n)
    elif trouble == "draining":
        read *= rng.uniform(1.3, 3)
        lag = np.maximum(rate * since, 110_000) * rng.uniform(0.95, 1.05, n)
    elif trouble == "nobody":
        read, lag = np.zeros(n), lag + rate * since
    model = Model(rng, members, topic, owner, rate, lag, read, between, alone=mine.sum() == 1)
    if trouble == "nobody":
        model.owner = np.full(n, -1)
    return model


def also_right(trouble: str, model: Model, texts: int) -> Pairs:
    """What looks the same in this group."""
    found = set[tuple[str, str]]()
    stands_out = model.lag.max() > model.lag.sum() / 2
    if trouble in ("slow", "stuck", "uneven", "draining") and texts == 1 and stands_out:
        found.add(("one-partition", "look"))
    if trouble == "slow" and texts == 2:
        who = int(model.owner[model.lag.argmax()])
        if 2 * model.read_by_member[who] > np.median(np.delete(model.read_by_member, who)):
            found |= {("one-partition", "look"), ("all-behind", "look")}  # its rates are higher
    if trouble == "several-hung":  # of members with few partitions it is as if all stood still
        found |= {("stuck-member", "look")} if texts == 2 else {("slow-member", "look")}
    if model.alone and trouble == "hung" and texts == 2:
        found.add(("stuck-member", "look"))
    mean = len(model.owner) / model.members
    if trouble == "uneven" and texts == 1 and np.bincount(model.owner).max() <= 1.5 * mean:
        found.add(("slow-member", "look"))
    what = {"slow": "look", "behind": "repartition"}.get(trouble) if texts == 2 else None
    if what is not None and model.rate.max() > model.read_by_member.max():
        found.add(("hot-partition", what))  # nobody is seen to read so much
    return frozenset(found)


def cut(text: str, how: str, rng: np.random.Generator) -> str:
    """A screen of so many columns, the columns up to LAG, or a message that was too long."""
    if how == "ids":
        rows = (line.split()[:6] for line in text.splitlines())
        return "".join(f"{' '.join(row)}\n" for row in rows if row)
    if how != "tail":
        return "".join(f"{line[: int(how)].rstrip()}\n" for line in text.splitlines())
    kept = text[: int(rng.integers(2 * len(text) // 3, len(text) - 90))].rstrip()
    whole = kept.splitlines()[-1] in {line.rstrip() for line in text.splitlines()}
    return kept[:-3] if whole else kept  # what ends with a row cannot be told from a whole text


def healthy_cases(count: int, seed: int) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    for number in range(count):
        texts, kind = 1 + number % 2, HEALTHY[number // 2 % len(HEALTHY)]
        model = healthy(kind, rng, texts)
        before, after = model.texts()
        yield Case(f"{kind}-{texts}", before if texts == 2 else None, after, model.between, LEAVE)


def troubled_cases(count: int, seed: int, *, are_cut: bool = False) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    troubles = [*TROUBLES][: -1 if are_cut else None]  # without members nothing is lost by a cut
    for number in range(count):
        texts = 1 + number // len(troubles) % 2
        trouble = troubles[number % len(troubles)]
        model = troubled(trouble, rng)
        before, after = model.texts()
        right = _pairs(TROUBLES[trouble][texts - 1]) | also_right(trouble, model, texts)
        name = f"{trouble}-{texts}"
        if are_cut:
            how = CUTS[number // (2 * len(troubles)) % len(CUTS)]
            whole, name = after, f"{name}-{how}"
            after = cut(after, how, rng)
            before = before if how == "tail" else cut(before, how, rng)
            right = right if after.split() == whole.split() else CUT
        yield Case(name, before if texts == 2 else None, after, model.between, right)
