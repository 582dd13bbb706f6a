"""What a history says of each partition, in plain Python: slow, obvious, straight from the
definitions in `equilag.pipeline.sources.signals`. Amounts and rates are exact fractions.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from statistics import median
from typing import Any, Final

from equilag.pipeline.sources.signals import Span

Row = dict[str, Any]
Key = tuple[str, str, int]

NEWEST_MS: Final = 253_402_300_799_999
"""The end of the year 9999, the last that a time can be written for."""
COMMIT_LIMIT: Final = 2**62
IN_DOUBLES: Final = ("produce_per_s", "consume_per_s", "lag_s", "forecast", "tested")
"""Columns of signals that are computed in doubles."""


def is_usable(row: Row) -> bool:
    """Does a row of `offsets` make sense."""
    start, end, committed, size = (
        row[name] for name in ("log_start", "log_end", "committed", "log_bytes")
    )
    named = row["group"] is not None and row["topic"] is not None
    timed = row["ts_ms"] is not None and 0 <= row["ts_ms"] <= NEWEST_MS
    numbered = row["partition"] is not None and 0 <= row["partition"] < 10_000_000
    if not (named and timed and numbered) or start is None or end is None:
        return False
    if not 0 <= start <= end < COMMIT_LIMIT:
        return False
    if committed is not None and not -1 <= committed < COMMIT_LIMIT:
        return False
    return size is None or size >= 0


def rounds(rows: Iterable[Row], at: int) -> dict[str | None, Row]:
    """Group to what `rounds_of` says of it."""
    by_group: defaultdict[str | None, list[Row]] = defaultdict(list)
    for row in rows:
        by_group[row["group"]].append(row)
    return {group: _rounds_of_group(own, at) for group, own in by_group.items()}


def _rounds_of_group(rows: list[Row], at: int) -> Row:
    good = [row for row in rows if is_usable(row)]
    sampled = Counter(row["ts_ms"] for row in good if row["ts_ms"] <= at)
    fullest = max(sampled.values(), default=0)
    times = sorted(ts for ts, count in sampled.items() if count >= fullest / 2)
    steps = [later - earlier for earlier, later in pairwise(times)]
    return {
        "rounds": len(times),
        "interval_ms": float(median(steps)) if steps else None,
        "first_ms": times[0] if times else None,
        "last_ms": times[-1] if times else None,
        "partitions_sampled": fullest,
        "samples": sampled.total(),
        "invalid": len(rows) - len(good),
        "after_at": len(good) - sampled.total(),
    }


def signals(rows: list[Row], span: Span, reset: str) -> dict[Key, Row]:
    """Group, topic and partition to what `signals_of` says of it."""
    of_group = rounds(rows, span.at)
    samples: defaultdict[Key, list[Row]] = defaultdict(list)
    for row in rows:
        if is_usable(row) and row["ts_ms"] <= span.at:
            committed = None if row["committed"] == -1 else row["committed"]
            key = row["group"], row["topic"], row["partition"]
            samples[key].append({**row, "committed": committed})
    return {
        key: _signals_of_partition(sorted(own, key=_place), of_group[key[0]], span, reset)
        for key, own in samples.items()
    }


def _place(sample: Row) -> tuple[int, ...]:
    """By time; of one time, by the end of the log, and so on, nothing first."""
    return tuple(
        -1 if sample[name] is None else sample[name]
        for name in ("ts_ms", "log_end", "committed", "log_start", "log_bytes")
    )


def _signals_of_partition(samples: list[Row], group: Row, span: Span, reset: str) -> Row:
    first, newest = samples[0], samples[-1]
    interval = group["interval_ms"]
    vanished = _beyond_grace(group["last_ms"] - newest["ts_ms"], interval)
    lag = lag_of(newest, reset)
    produce = rate(samples, "log_end", span.at - span.window, span.at)
    consume = rate(samples, "committed", span.at - span.window, span.at)
    found = {
        **{name: newest[name] for name in ("ts_ms", "log_start", "log_end", "committed")},
        "log_bytes": newest["log_bytes"],
        "samples": len(samples),
        "lag": lag,
        "produce_per_s": produce,
        "consume_per_s": consume,
        "backlog": _backlog(samples, span.at - span.window),
        "lag_s": Fraction(0) if lag == 0 else lag / produce if produce else None,
        "forecast": _forecast(lag, produce, consume, span.horizon),
        "tested": None,
        "kept": None,
        **_faults(samples, group, vanished),
        "no_commit": newest["committed"] is None,
        "appeared": _beyond_grace(first["ts_ms"] - group["first_ms"], interval),
        "vanished": vanished,
        "no_rate": produce is None or consume is None,
    }
    before = [sample for sample in samples if sample["ts_ms"] <= span.before]
    if before and newest["ts_ms"] > span.before and not vanished:
        old = before[-1]
        found["kept"] = lag_of(old, reset)
        found["tested"] = _forecast(
            found["kept"],
            rate(samples, "log_end", span.before - span.window, span.before),
            rate(samples, "committed", span.before - span.window, span.before),
            newest["ts_ms"] - old["ts_ms"],
        )
    return found


def lag_of(sample: Row, reset: str) -> int:
    """Records behind; without a commit, what a consumer that starts would have before it."""
    start, end, committed = sample["log_start"], sample["log_end"], sample["committed"]
    if committed is None:
        return 0 if reset == "latest" else end - start
    return max(0, end - max(committed, start))


def rate(samples: list[Row], name: str, low: int, high: int) -> Fraction | None:
    """Records per second, over the steps between samples in low..high that did not go backwards."""
    records = milliseconds = 0
    for one, other in pairwise(samples):
        if None in (one[name], other[name]) or one["ts_ms"] == other["ts_ms"]:
            continue
        if low <= one["ts_ms"] and other["ts_ms"] <= high and other[name] >= one[name]:
            records += other[name] - one[name]
            milliseconds += other["ts_ms"] - one["ts_ms"]
    return Fraction(1000 * records, milliseconds) if milliseconds else None


def _backlog(samples: list[Row], low: int) -> bool:
    """Was any lag since `low` larger than the least that was committed at once?"""
    recent = [sample for sample in samples if sample["ts_ms"] >= low]
    lags = [s["log_end"] - s["committed"] for s in recent if s["committed"] is not None]
    steps = [
        other["committed"] - one["committed"]
        for one, other in pairwise(samples)
        if other["ts_ms"] >= low and None not in (one["committed"], other["committed"])
    ]
    grown = [step for step in steps if step > 0]
    if len(lags) < len(recent):
        return max(lags, default=0) > min([0, *grown])
    return bool(lags and grown) and max(lags) > min(grown)


def _forecast(
    lag: int, produce: Fraction | None, consume: Fraction | None, ahead_ms: int
) -> Fraction | None:
    if produce is None or consume is None:
        return None
    return max(Fraction(0), lag + (produce - consume) * Fraction(ahead_ms, 1000))


def _beyond_grace(ms: int, interval: float | None) -> bool:
    """More than one and a half intervals; a group with one round has none."""
    return interval is not None and ms > 1.5 * interval


def _faults(samples: list[Row], group: Row, vanished: bool) -> dict[str, int]:
    count = dict.fromkeys(
        (
            "duplicates", "late", "missing", "commit_backwards", "end_backwards", "ahead_of_end",
            "below_log_start",
        ),
        0,
    )  # fmt: skip
    for sample in samples:
        if sample["committed"] is not None:
            count["ahead_of_end"] += sample["committed"] > sample["log_end"]
            count["below_log_start"] += sample["committed"] < sample["log_start"]
    interval = group["interval_ms"]
    for one, other in pairwise(samples):
        passed = other["ts_ms"] - one["ts_ms"]
        if passed == 0:
            count["duplicates"] += 1
            continue
        count["end_backwards"] += other["log_end"] < one["log_end"]
        if None not in (one["committed"], other["committed"]):
            count["commit_backwards"] += other["committed"] < one["committed"]
        if interval is not None:
            # How many rounds later, and how much after that round.
            later = _nearest(passed / interval)
            count["late"] += passed / interval - later > 0.2
            count["missing"] += max(0, later - 1)
    if interval is not None and not vanished:
        count["missing"] += max(0, _nearest((group["last_ms"] - samples[-1]["ts_ms"]) / interval))
    return count


def _nearest(number: float) -> int:
    """The nearest whole number, halves up (away from 0)."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def differences(found: dict[Key, Row], expected: dict[Key, Row]) -> list[str]:
    """Where rows of `signals/` are not what the oracle says; doubles to ten digits of what was
    added and subtracted for them."""
    if found.keys() != expected.keys():
        return [f"partitions {sorted(found.keys() ^ expected.keys())}"]
    lines = []
    for key, row in expected.items():
        got = {name: value for name, value in found[key].items() if name in row}
        if len(got) != len(row) or len(found[key]) != len(row) + len(key):
            lines.append(f"{key}: columns {found[key].keys() ^ row.keys()}")
            continue
        lines += [
            f"{key}: {name} is {got[name]!r}, not {value!r}"
            for name, value in row.items()
            if not (_is_close(got[name], value, row) if name in IN_DOUBLES else got[name] == value)
        ]
    return lines


def _is_close(got: float | None, value: Fraction | None, row: Row) -> bool:
    if got is None or value is None:
        return got is value
    sizes = [abs(float(row[name] or 0)) for name in ("lag", "kept", "log_end")]
    return math.isclose(got, value, rel_tol=1e-10, abs_tol=1e-10 * max(sizes))
