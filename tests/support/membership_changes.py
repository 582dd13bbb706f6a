"""Random groups and changes of their membership and topics, as a leader sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from equilag.live.rebalance.joined_members import JoinedMember

Held = dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Change:
    """Members and topics after a change; `members` claim what they held before it."""

    members: list[JoinedMember]
    sizes: dict[str, int]
    uniform: bool
    """True if all members subscribe to the same topics."""


class ChangingGroup:
    """A group of up to `most` members that changes at random: members come and go, one or several
    at once, topics grow and are deleted. `mixed`: members subscribe to some of the topics."""

    def __init__(self, rng: np.random.Generator, mixed: bool, most: int = 9) -> None:
        self._rng, self._mixed, self._most, self._made = rng, mixed, most, 0
        names = [f"t{number}" for number in range(int(rng.integers(1, 5)))]
        self.sizes = {name: int(rng.integers(1, 13)) for name in names}
        self.topics: dict[str, tuple[str, ...]] = {}
        self.held: Held = {}
        self._join(int(rng.integers(1, most)))

    def lags(self) -> dict[str, list[int]]:
        return {t: self._rng.lognormal(6, 2, n).astype(int).tolist() for t, n in self.sizes.items()}

    def change(self) -> Change:
        """Change one thing, several at once, or nothing."""
        joins, leaves, grows, deletes = self._rng.random(4) < (0.4, 0.4, 0.15, 0.15)
        if joins:
            self._join(int(self._rng.integers(1, 4)))
        if leaves:
            self._leave(int(self._rng.integers(1, 4)))
        if grows:
            self.sizes[self._a_topic()] += int(self._rng.integers(1, 8))
        if deletes and len(self.sizes) > 1:
            del self.sizes[self._a_topic()]
        return self.now()

    def now(self) -> Change:
        members = [
            JoinedMember(
                name,
                topics,
                {t: ns for t, ns in self.held.get(name, {}).items() if t in self.sizes},
            )
            for name, topics in sorted(self.topics.items())
        ]
        uniform = len({m.topics for m in members}) <= 1
        return Change(members, dict(self.sizes), uniform)

    def settle(self, assignment: Mapping[str, Mapping[str, Sequence[int]]]) -> None:
        """The members hold this from now on."""
        self.held = {m: {t: list(n) for t, n in ts.items()} for m, ts in assignment.items()}

    def _a_topic(self) -> str:
        return str(self._rng.choice(sorted(self.sizes)))

    def _join(self, number: int) -> None:
        names = sorted(self.sizes)
        for _ in range(min(number, self._most - len(self.topics))):
            some = names
            if self._mixed:
                count = int(self._rng.integers(1, len(names) + 1))
                some = sorted(map(str, self._rng.choice(names, count, replace=False)))
            # Ids that are not in the order of joining.
            self.topics[f"m{int(self._rng.integers(1000)):03}-{self._made}"] = tuple(some)
            self._made += 1

    def _leave(self, number: int) -> None:
        for _ in range(min(number, len(self.topics) - 1)):
            gone = str(self._rng.choice(sorted(self.topics)))
            del self.topics[gone]
            self.held.pop(gone, None)
