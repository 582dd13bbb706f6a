"""Simulate the logs and commits of a fleet, and the samples that each round takes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.fleet import faults as flaws
from benchmarks.fleet.faults import Bools, Ints, Logs
from benchmarks.fleet.settings import HistorySettings
from benchmarks.fleet.shape import Fleet, Floats

Columns = dict[str, NDArray[Any]]


@dataclass
class Fleeting:
    """Rates of production, capacities, and the current logs; [P] unless it says [M]."""

    rate: Floats
    """Records produced per second."""
    capacity: Floats
    """[M] records per second that a member reads while it has any."""
    standing: Ints
    """The lag that remains since positions are committed only every few seconds."""
    record: Ints
    """Bytes per record."""
    expires: Bools
    """True if old records are deleted during this history."""
    speaks: Ints
    """The round of the first commit."""
    logs: Logs


def begin(fleet: Fleet, settings: HistorySettings, rng: np.random.Generator) -> Fleeting:
    """Return the logs before the first round. Most have a lag of seconds, some a lag of hours."""
    many, n_topics = len(fleet.topic), len(fleet.topic_names)
    rate = np.minimum(rng.lognormal(np.log(2), 2, many), 50_000)
    rate[rng.random(many) < 0.08] = 0
    record = np.clip(rng.lognormal(np.log(600), 1, n_topics), 40, 900_000).astype(np.int64)
    age = rng.uniform(10, 600, many) * 86_400
    kept = rng.uniform(1, 14, many) * 86_400
    end = (rate * age).astype(np.int64) + rng.integers(0, 5_000, many)
    start = np.maximum(0, end - (rate * kept).astype(np.int64) - 1_000)
    second, first = fleet.same_log
    for column in (rate, end, start):
        column[second] = column[first]
    sizes = record[fleet.topic]
    sizes[second] = sizes[first]
    lag = (rate * rng.lognormal(np.log(20), 2, many)).astype(np.int64)
    committed = np.maximum(start, end - lag)

    n_members = len(fleet.newcomer)
    owned = fleet.owner >= 0
    produced = np.bincount(fleet.owner[owned], rate[owned], n_members)
    used = np.where(
        rng.random(n_members) < 0.05, rng.uniform(1, 2, n_members), rng.uniform(0.2, 0.8, n_members)
    )
    expires, speaks = rng.random(many) < 0.2, np.zeros(many, dtype=np.int64)
    quiet = np.flatnonzero(rng.random(many) < 0.003)
    speaks[quiet] = rng.integers(0, settings.samples, len(quiet))
    touched = fleet.faults.touched()
    speaks[touched] = 0
    for fixed in (touched, second, first):
        expires[fixed] = False
    logs = Logs(start, end, committed, np.zeros(many, dtype=np.bool_))
    flaws.make_room(logs, fleet.faults, settings.rng(6))
    return Fleeting(
        rate=rate,
        capacity=np.maximum(produced / used, 50.0),
        standing=(rate * rng.uniform(0, 5, many)).astype(np.int64),
        record=sizes,
        expires=expires,
        speaks=speaks,
        logs=logs,
    )


def advance(now: Fleeting, fleet: Fleet, every: int, rng: np.random.Generator) -> None:
    """Advance by one round: produce, consume and delete records."""
    logs = now.logs
    produced = rng.poisson(now.rate * every)
    logs.end += produced
    second, first = fleet.same_log
    logs.end[second] = logs.end[first]
    # A position beyond the end is kept; the end catches up later.
    ready = np.where(fleet.owner >= 0, np.maximum(logs.end - now.standing - logs.committed, 0), 0)
    waiting = np.bincount(np.maximum(fleet.owner, 0), ready, len(now.capacity))
    share = np.minimum(1.0, now.capacity * every / np.maximum(waiting, 1))
    logs.committed += (ready * share[fleet.owner]).astype(np.int64)
    deleted = now.expires & (rng.random(len(produced)) < 0.2)
    segment = np.where(deleted, (logs.end - logs.start) // 50, 0)
    logs.start += np.minimum(segment, np.maximum(logs.committed - logs.start, 0))


def sample(
    now: Fleeting, fleet: Fleet, at_round: int, ts_ms: int, settings: HistorySettings, alive: Bools
) -> Columns:
    """Return the rows of one round; late rows and duplicates come last."""
    faults, logs = fleet.faults, now.logs

    def block(at: Ints) -> Columns:
        """Return the rows of some partitions."""
        return {
            "ts_ms": np.full(len(at), ts_ms),
            "at": at,
            "partition": fleet.number[at],
            "log_start": logs.start[at],
            "log_end": logs.end[at],
            "committed": logs.committed[at],
            "silent": logs.silent[at] | (at_round < now.speaks[at]),
            "log_bytes": (logs.end[at] - logs.start[at]) * now.record[at],
        }

    blocks = []
    late = block(faults.at("late", at_round))
    portion = settings.rng(100 + at_round).uniform(0.3, 0.4, len(late["at"]))
    late["ts_ms"] += (portion * settings.every * 1000).astype(np.int64)
    blocks.append(late)
    for kind in ("invalid:partition", "invalid:negative", "invalid:crossed"):
        rows = block(faults.at(kind, at_round))
        if kind == "invalid:partition":
            rows["partition"][:] = -1
        elif kind == "invalid:negative":
            rows["log_end"][:] = -1
        else:
            rows["log_start"] = rows["log_end"] + 1
        rows["silent"][:] = True
        blocks.append(rows)
    instead = np.concatenate([faults.at("missing", at_round), *(rows["at"] for rows in blocks)])
    blocks.append(block(faults.at("duplicates:same", at_round)))
    more = block(faults.at("duplicates:larger", at_round))
    grown = flaws.growth(logs, more["at"])
    more["log_end"] += grown
    more["committed"] += grown
    blocks.append(more)
    alive[instead] = False
    blocks.insert(0, block(np.flatnonzero(alive)))
    return {name: np.concatenate([rows[name] for rows in blocks]) for name in more}


def rounds(fleet: Fleet, settings: HistorySettings) -> Iterator[Columns]:
    """Yield the rows of every round."""
    faults, rng = fleet.faults, settings.rng(5)
    now = begin(fleet, settings, rng)
    first, last = faults.lifetime(len(fleet.topic), settings.samples)
    unseen = np.isin(fleet.group, faults.whole("no_offsets"))
    for at_round in range(settings.samples):
        before = now.logs.committed.copy()
        advance(now, fleet, settings.every, rng)
        flaws.distort(now.logs, before, faults, at_round, settings.rng(10_000 + at_round))
        alive = (first <= at_round) & (at_round <= last) & ~unseen
        ts_ms = settings.start_ms + at_round * settings.every * 1000
        yield sample(now, fleet, at_round, ts_ms, settings, alive)
        flaws.settle(now.logs, faults, at_round)
