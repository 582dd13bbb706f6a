"""Moved: see `equilag.live.consumers.aiokafka`."""

from equilag.live.consumers.aiokafka import EquilagAssignor

__all__ = ["EquilagAssignor"]
