"""Moved: see `equilag.live.consumers.kafka_python`."""

from equilag.live.consumers.kafka_python import CooperativeEquilagAssignor, EquilagAssignor

__all__ = ["CooperativeEquilagAssignor", "EquilagAssignor"]
