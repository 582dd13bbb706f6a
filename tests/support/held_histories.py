"""Random histories of groups with members, as rows and as samples to measure."""

from __future__ import annotations

import random
from typing import Any, Final, NamedTuple

import numpy as np

from equilag.adapters.measuring.offset_samples import OffsetSamples
from equilag.domain.columns import NOBODY

AT: Final = 1_000_000_000
Row = dict[str, Any]


class HeldHistory(NamedTuple):
    """One group."""

    offsets: list[Row]
    members: list[Row]
    samples: OffsetSamples
    """At the rounds; the holders are spells."""
    member_of: list[int]
    """The member of each spell."""


class Spell(NamedTuple):
    """A member holds the same partitions from one round of memberships to another."""

    member: int
    partitions: list[int]
    since: int
    until: int


def random_history(group: str, rng: random.Random) -> HeldHistory:
    """A group of a few partitions and members, with faults in some of them."""
    n_members, n_partitions = rng.randint(1, 3), rng.randint(1, 5)
    every = rng.choice([1_000, 4_000, 5_000, 10_000, 30_000, 60_000])
    times = [
        AT - every * back - rng.choice([0, 0, every // 7]) for back in range(rng.randint(2, 40))
    ]
    times = sorted(set(times))
    faulty = rng.random() < 0.5
    offsets: list[Row] = []
    for partition in range(n_partitions):
        offsets += _partition_rows(group, partition, times, faulty, rng)
    rounds = sorted({*rng.sample(times, min(len(times), rng.randint(1, 4)))})
    owned = _ownerships(rounds, n_members, n_partitions, rng)
    members = [
        {"ts_ms": ts, "group": group, "member": f"m{m}", "subscription": ["t"],
         "owned": {"t": [p for p, owner in enumerate(owners) if owner == m]}}
        for ts, owners in zip(rounds, owned, strict=True) for m in range(n_members)
    ]  # fmt: skip
    spells = _spells(rounds, owned, n_members)
    samples = _samples(offsets, spells, n_partitions)
    return HeldHistory(offsets, members, samples, [spell.member for spell in spells])


def _partition_rows(
    group: str, partition: int, times: list[int], faulty: bool, rng: random.Random
) -> list[Row]:
    behind = rng.random() < 0.7
    committed = 1_000 + rng.randrange(50)
    end = committed + (rng.randrange(50_000) if behind else rng.randrange(3))
    steps = rng.choice([1, 1, 2, 3])
    start, rows = 0, []
    for number, ts in enumerate(times):
        end += rng.randrange(200)
        if number % steps == 0:
            committed = min(end, committed + rng.randrange(300))
        if faulty:
            match rng.randrange(40):
                case 0:
                    continue
                case 1:
                    committed -= rng.randrange(5)
                case 2:
                    end = max(0, end - 10)
                case 3:
                    start = min(end, committed + rng.randrange(3))
        known = None if faulty and rng.random() < 0.03 else committed
        row = {"ts_ms": ts, "group": group, "topic": "t", "partition": partition,
               "log_start": min(start, end), "log_end": end, "committed": known}  # fmt: skip
        if faulty and rng.random() < 0.03:
            rows.append({**row, "log_end": max(0, row["log_end"] - 1)})
        rows.append(row)
    return rows or [row]


def _ownerships(
    rounds: list[int], n_members: int, n_partitions: int, rng: random.Random
) -> list[list[int]]:
    """[rounds][partitions] the owner; it mostly stays."""
    owners = [rng.randrange(n_members) for _ in range(n_partitions)]
    found = []
    for _ in rounds:
        if rng.random() < 0.3:
            owners = [rng.randrange(-1, n_members) for _ in range(n_partitions)]
        found.append(list(owners))
    return found


def _samples(offsets: list[Row], spells: list[Spell], n_partitions: int) -> OffsetSamples:
    by_time: dict[int, dict[int, Row]] = {}
    many: dict[int, int] = {}
    for row in sorted(offsets, key=lambda row: (row["ts_ms"], row["log_end"])):
        by_time.setdefault(row["ts_ms"], {})[row["partition"]] = row
        many[row["ts_ms"]] = many.get(row["ts_ms"], 0) + 1
    times = sorted(ts for ts, rows in many.items() if 2 * rows >= max(many.values()))
    shape = len(times), n_partitions
    columns = {name: np.full(shape, -1) for name in ("log_start", "log_end", "committed")}
    holder = np.full(shape, NOBODY, np.int32)
    for at, ts in enumerate(times):
        for number, spell in enumerate(spells):
            if spell.since <= ts <= spell.until:
                holder[at, spell.partitions] = number
        for partition, row in by_time[ts].items():
            for name, column in columns.items():
                column[at, partition] = -1 if row[name] is None else row[name]
    return OffsetSamples(
        np.array(times) / 1000, columns["log_end"], columns["committed"], holder, len(spells),
        columns["log_start"],
    )  # fmt: skip


def _spells(rounds: list[int], owned: list[list[int]], n_members: int) -> list[Spell]:
    """Rounds one after the other in which a member had the same partitions."""
    spells = []
    for member in range(n_members):
        had = [[p for p, owner in enumerate(owners) if owner == member] for owners in owned]
        for nth, (ts, held) in enumerate(zip(rounds, had, strict=True)):
            if nth and had[nth - 1] == held:
                spells[-1] = spells[-1]._replace(until=ts)
            else:
                spells.append(Spell(member, held, ts, ts))
        spells[-1] = spells[-1]._replace(until=AT)
    return spells
