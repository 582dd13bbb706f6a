"""Groups that a steward leads."""

from support.steward_scene import scene

__all__ = ["scene"]
