"""The process of `benchmarks.live.steward_run`, for tests."""

from benchmarks.live.steward_run import StewardRun

__all__ = ["StewardRun"]
