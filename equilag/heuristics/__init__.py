"""Assignors: each makes one assignment of a group, by one published rule, without a solver."""

from equilag.heuristics.protocol import Assignor
from equilag.heuristics.registry import assignor_names, get_assignor, run_assignor

__all__ = ["Assignor", "assignor_names", "get_assignor", "run_assignor"]
