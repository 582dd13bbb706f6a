"""Moved: see `equilag.live.consumers.lag_source`."""

from equilag.live.consumers.lag_source import Background, LagSample, LagSource, LiveLag, StaticLag

__all__ = ["Background", "LagSample", "LagSource", "LiveLag", "StaticLag"]
