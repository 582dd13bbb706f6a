"""Exact methods and searches on reduced groups.

Wings: `counts/` and `moves/` (flows, also for racks), `lower_bounds/`, `exchange/`, `local_search/`
(even loads), `cpsat/` (the only wing that imports OR-Tools).
May import: domain, certificate.
"""
