"""The KIP assignors and Kafka's own behind one protocol, and their registry.

An assignor takes a `Group` and returns the member of each partition. `registry` has the names, and
finds assignors of other packages. They are baselines, starts of the search, and fallbacks.
May import: domain.
"""

from equilag.heuristics.registry import Assignor, assignor_names, get_assignor, run_assignor

__all__ = ["Assignor", "assignor_names", "get_assignor", "run_assignor"]
