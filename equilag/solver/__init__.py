"""Exact methods and searches on reduced groups.

Wings: `counts/`, `racks/` and `moves/` (flows), `lower_bounds/`, `exchange/` and `local_search/`
(even loads), `cpsat/` (the only wing that imports OR-Tools).
May import: domain, certificate.
"""
