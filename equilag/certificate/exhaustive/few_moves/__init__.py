"""The search for plans with few moves: as exact as that of all plans, in groups too large for it.

A member's set of items is what it keeps of its own and a few that it gains, so that the sets are
listed by what changes, not by what is held.
"""
