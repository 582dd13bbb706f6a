"""The log of `benchmarks.live.assignment_log`, for tests."""

from benchmarks.live.assignment_log import Event, Log, Partition

__all__ = ["Event", "Log", "Partition"]
