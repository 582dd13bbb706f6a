"""A live group with the rates and capacities that were measured while it was watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from equilag.adapters.kafka.group_samples import GroupSamples, sample_group
from equilag.adapters.measuring import speeds
from equilag.adapters.measuring.estimates import Estimates
from equilag.adapters.measuring.usable_capacities import (
    ALIKE,
    Measurements,
    measure,
    surely_faster,
    usable_capacities,
)
from equilag.domain.figures import form, number, percent, plural
from equilag.domain.group.member import Member

if TYPE_CHECKING:
    from equilag.adapters.kafka.group_reader import GroupReader
    from equilag.domain.building.group_input import GroupInput


def sampled_group(
    reader: GroupReader,
    group: str,
    seconds: float,
    reset: str | None,
    progress: Callable[[float], None],
) -> tuple[GroupSamples, GroupInput, list[str]]:
    """Return the samples of a group over `seconds`, the group as it was at their end with what was
    measured of it, and remarks about that. Raises what `GroupReader.read` raises."""
    found = sample_group(reader, group, seconds, progress)
    measured = measure(found.samples())
    given = found.last.group_input(reset)
    put_into(given, found, measured)
    seconds = found.times[-1] - found.times[0]
    if seconds > 0 and not found.rebalanced and found.first.offsets.sizes == given["topics"]:
        given["previous"] = round(seconds, 3), found.first.offsets.arrays()
    return found, given, [*remarks_of(found, measured)]


def put_into(given: GroupInput, found: GroupSamples, measured: Measurements) -> None:
    """Add the known rates and capacities to what is known of a group."""
    if measured.produced.n_known:
        given["rates"] = _rates_by_topic(found, measured)
    members = (one for one in given["members"] if isinstance(one, Member))
    capacities = usable_capacities(measured).tolist()
    given["members"] = [
        replace(member, capacity=_rounded(capacity))
        for member, capacity in zip(members, capacities, strict=True)
    ]


def _rates_by_topic(found: GroupSamples, measured: Measurements) -> dict[str, list[float | None]]:
    """Topic -> a rate for each partition that exists at the end, None where it is unknown."""
    values = measured.produced.value.tolist()
    rates: dict[str, list[float | None]] = {}
    sizes = found.first.offsets.sizes
    begin = 0
    for topic, size in sizes.items():
        rates[topic] = [_rounded(value) for value in values[begin : begin + size]]
        begin += size
    return {
        topic: (rates.get(topic, []) + [None] * size)[:size]
        for topic, size in found.last.offsets.sizes.items()
    }


def _rounded(value: float) -> float | None:
    """A measured figure with six significant digits; None for NaN."""
    return None if value != value else float(f"{value:.6g}")


def remarks_of(found: GroupSamples, measured: Measurements) -> Iterator[str]:
    """Yield what was measured, and what is unknown and why."""
    rates = measured.produced
    taken = f"{plural(len(found.times), 'sample')} in {found.times[-1] - found.times[0]:.0f} s"
    total = number(float(rates.value[rates.window > 0].sum()))
    known = f"{plural(rates.n_known, 'rate')}, {total} records/s in all"
    yield f"{taken}: {known}; {_capacities(measured.capacities.estimates)}"
    if found.failed:
        yield f"{plural(len(found.failed), 'sample')} could not be read: {found.failed[0]}"
    if unknown := len(rates.value) - rates.n_known:
        have = f"{plural(unknown, 'partition')} had no two known log ends"
        yield f"{have}: {_unknown(unknown, 'rate')}"
    if found.rebalanced:
        yield "the group rebalanced while it was sampled"
    for what, count in _without_speed(found, measured.capacities.reason.tolist()):
        if count:
            yield f"{plural(count, 'member')} {what}: {_unknown(count, 'speed')}"
    yield from _taken_as_measured(measured)


def _capacities(estimates: Estimates) -> str:
    """How many capacities, from which to which, and how sure."""
    known = estimates.window > 0
    words = plural(estimates.n_known, "capacity", "capacities")
    if not estimates.n_known:
        return words
    low, high = float(estimates.value[known].min()), float(estimates.value[known].max())
    error = float((estimates.error[known] / estimates.value[known]).max())
    between = number(low) if low == high else f"{number(low)} to {number(high)}"
    return f"{words}, {between} records/s, each within {percent(100 * error)} (standard error)"


def _without_speed(found: GroupSamples, reasons: list[int]) -> list[tuple[str, int]]:
    """What members of unknown speed did, and how many they are."""
    changed = len(found.changed)
    without = reasons.count(int(speeds.NO_BACKLOG)) + reasons.count(int(speeds.NOT_ALL_ALONG))
    return [
        ("changed partitions", changed),
        ("did not always have a backlog", without),
        ("committed less than twice", reasons.count(int(speeds.FEW_COMMITS))),
        ("had no partitions", reasons.count(int(speeds.NO_PARTITIONS)) - changed),
    ]


def _taken_as_measured(measured: Measurements) -> Iterator[str]:
    """Yield what a plan takes for speeds that are unknown, or not told apart."""
    known, used = measured.capacities.estimates.value, usable_capacities(measured)
    faster = surely_faster(measured)
    if count := int(np.count_nonzero(faster)):
        what = form(count, "it consumes counts as its", "they consume counts as their")
        median = number(float(np.nanmedian(known)))
        yield (
            f"{plural(count, 'member')} of unknown speed {form(count, 'consumes', 'consume')} more"
            f" than {median} records/s, the median of the known speeds: what {what} capacity"
        )
    if np.unique(used[~np.isnan(used)]).size < np.unique(known[~np.isnan(known)]).size:
        yield f"speeds within {100 * (ALIKE - 1):.0f} % of each other count as one"


def _unknown(count: int, what: str) -> str:
    return f"{form(count, 'its', 'their')} {what} is unknown"
