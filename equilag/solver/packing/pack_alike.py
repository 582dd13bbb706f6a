"""The least heaviest load of identical members with free counts, where each holds few partitions.

The capacity of a member rises from a bound until the linear program of patterns no longer proves it
to be too small. Then patterns are fixed one after the other, those first that the program uses
whole or most, until all partitions are held. Where that fails, some of the fixed patterns are given
up at random, more each time; where it goes on failing, the capacity rises towards the best load
known.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heapreplace
from typing import Final, NamedTuple

import numpy as np

from equilag.domain.budget import ELEMENT, MEMORY
from equilag.domain.columns import Index, Ints
from equilag.solver.packing.pattern_program import (
    TOLERANCE,
    PatternProgram,
    ProgramFailed,
)
from equilag.solver.packing.priced_patterns import Priced, filled_up

KIND: Final = 2.5e-5
"""Seconds of a solution of the program per length."""
ROUNDS: Final = 40
"""Solutions of the program for which there has to be time, most of what lists need whose members
hold few partitions."""
COARSEST: Final = 200
"""Units of capacity of a table, at least."""
MOSTLY: Final = 0.6
"""Parts of patterns that are fixed together with the largest one."""


class Packing(NamedTuple):
    """What is known of the least heaviest load."""

    at_least: int
    """No assignment has less."""
    assigned: Index | None
    """[I] member of each partition, with a load below the best one that was known before, in the
    unit of lengths; None where none was found."""


class PackingRounds(NamedTuple):
    """What one solution of the program takes, with the prices that follow from it."""

    unit: int
    """What lengths are measured in: more than 1 where time is short for the whole table. Then bound
    and loads are off by about so much per partition of a member."""
    seconds: float

    @staticmethod
    def within(seconds: float, weights: Ints, most: int) -> PackingRounds | None:
        """The finest unit with time for enough rounds; None where even a coarse one has none.

        `most` is a heaviest load that is known.
        """
        solution, cells = KIND * len(np.unique(weights)), len(weights) * most
        if cells <= min(MEMORY, (seconds / ROUNDS - solution) / ELEMENT):
            return PackingRounds(1, solution + ELEMENT * cells)
        affordable = min(MEMORY, (seconds / ROUNDS - solution) / ELEMENT)
        if affordable < COARSEST * len(weights):
            return None
        unit = 2 + int(cells / affordable)
        return PackingRounds(unit, solution + ELEMENT * cells / unit)


def pack_alike(
    weights: Ints,
    members: int,
    at_least: int,
    most: int,
    unit: int,
    rng: np.random.Generator,
    stop: Callable[[], bool],
) -> Packing:
    """Look for an assignment of partitions [I] with a heaviest load below `most`, which one has.

    `weights` [I] 0 or more, `at_least` a bound on the heaviest load, no less than the largest
    weight; `unit` as in `PackingRounds`. `stop` is asked before each solution of the program.
    """
    # Rounded down, lengths that fit still fit: what is too small for them is too small.
    lengths = weights // unit
    kinds, kind_of, demand = np.unique(-lengths, return_inverse=True, return_counts=True)
    real = kinds < 0
    program = PatternProgram(-kinds[real], demand[real], max(1, at_least // unit))
    try:
        fits = _raise_capacity(program, members, -(-most // unit), stop)
        bound = min(most, max(at_least, program.capacity * unit))
        if not fits or bound == most:
            return Packing(bound, None)
        found = _Dive(program, members, -(-most // unit), rng, stop).run()
    except ProgramFailed:
        return Packing(at_least, None)
    return Packing(bound, None if found is None else _members(found, kind_of, len(kinds)))


def _raise_capacity(
    program: PatternProgram, members: int, most: int, stop: Callable[[], bool]
) -> bool:
    """Raise the capacity to the least one that the program does not prove to be too small.

    False if time runs out before that is known, or if no capacity below `most` is enough.
    """
    while program.capacity < most and not stop():
        if program.solve() <= members + TOLERANCE:
            return True
        price = program.prices()
        priced = Priced.of(program.lengths, program.demand, price, most - 1)
        small = program.too_small(price, priced, members)
        program.capacity = max(program.capacity, small + 1)
        if program.capacity < most and not program.improve(price, priced):
            return True  # more members than there are by no more than rounding
    return False


def _members(held: list[Ints], kind_of: Ints, kinds: int) -> Index:
    """[I] the members whose patterns [members][K] hold the partitions, by their kinds."""
    assigned = np.zeros(len(kind_of), np.int32)
    for kind in range(len(held[0]) if held else 0):
        items = np.flatnonzero(kind_of == kind)
        count = np.array([pattern[kind] for pattern in held])
        assigned[items] = np.repeat(np.arange(len(held), dtype=np.int32), count)
    return assigned


class _Dive:
    """Fixes patterns of a program until everything is held."""

    def __init__(
        self,
        program: PatternProgram,
        members: int,
        most: int,
        rng: np.random.Generator,
        stop: Callable[[], bool],
    ) -> None:
        self._program = program
        self._members = members
        self._rng = rng
        self._stop = stop
        self._all = program.demand.copy()
        self._fixed: list[Ints] = []
        self._most = most
        """Heaviest load of the best patterns."""
        self._best: list[Ints] | None = None

    def run(self) -> list[Ints] | None:
        """The patterns [K] of all members whose heaviest load is the least found, below `most`."""
        failures = 0
        while self._program.capacity < self._most:
            while self._program.demand.any():
                if not self._deeper():
                    break
            self._note()
            if self._stop():
                break
            failures += 1
            given_up = 2**failures
            if given_up > self._members:
                failures = 0
                self._program.capacity = (self._program.capacity + self._most) // 2
            self._release(given_up)
        return self._best

    def _deeper(self) -> bool:
        """Fix at least one pattern more; False if what is left does not fit, or time is up."""
        program, left = self._program, self._members - len(self._fixed)
        while True:
            if self._stop():
                return False
            if program.solve() <= left + TOLERANCE:
                break
            price = program.prices()
            priced = Priced.of(program.lengths, program.demand, price, program.capacity)
            if program.too_small(price, priced, left) >= program.capacity:
                return False
            if not program.improve(price, priced):
                break
        parts = program.parts()
        whole = np.floor(parts + TOLERANCE).astype(np.int64)
        taken = 0
        for number in np.argsort(-parts, kind="stable").tolist():
            if taken and parts[number] < MOSTLY:
                break
            for _ in range(max(1, int(whole[number]))):
                pattern = program.pattern(number)
                if len(self._fixed) < self._members and (pattern <= program.demand).all():
                    full = filled_up(pattern, program.lengths, program.demand, program.capacity)
                    self._fixed.append(full)
                    program.demand -= full
                    taken += 1
        program.restrict()
        return taken > 0

    def _release(self, most: int) -> None:
        """Give up so many fixed patterns at random."""
        order = self._rng.permutation(len(self._fixed)).tolist()
        self._fixed = [self._fixed[at] for at in order[most:]]
        self._program.demand = self._all - sum(self._fixed, np.zeros_like(self._all))
        self._program.restrict()

    def _note(self) -> None:
        """Take the fixed patterns, and whatever is left with the lightest members."""
        lengths = self._program.lengths
        held = [pattern.copy() for pattern in self._fixed]
        held += [np.zeros_like(self._all) for _ in range(self._members - len(held))]
        heap = [(int(pattern @ lengths), member) for member, pattern in enumerate(held)]
        heapify(heap)
        for kind in np.repeat(np.arange(len(lengths)), self._program.demand).tolist():
            load, member = heap[0]
            held[member][kind] += 1
            heapreplace(heap, (load + int(lengths[kind]), member))
        heaviest = max(load for load, _ in heap)
        if heaviest < self._most:
            self._most, self._best = heaviest, held
