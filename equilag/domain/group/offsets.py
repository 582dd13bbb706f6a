"""Offsets of a group at one or two moments, from which its lag and its progress follow."""

from __future__ import annotations

from typing import NamedTuple

from equilag.domain.columns import Ints


class OffsetColumns(NamedTuple):
    """[P] each; -1 in `log_end` where nothing is known of a partition, in `committed` without a
    commit."""

    log_start: Ints
    log_end: Ints
    committed: Ints


class Previous(NamedTuple):
    """The offsets of an earlier moment."""

    seconds_before: float
    """Above 0."""
    offsets: OffsetColumns
