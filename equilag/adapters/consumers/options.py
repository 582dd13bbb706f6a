"""Moved: see `equilag.live.consumers.options`."""

from equilag.live.consumers.options import Rejoin

__all__ = ["Rejoin"]
