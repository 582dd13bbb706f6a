"""Exact methods and searches on reduced groups.

Wings: `counts/` and `moves/` (flows, also for racks), `lower_bounds/`, `exchange/`, `local_search/`
(even loads), `cpsat/`, `packing/` (identical members with free counts).
May import: domain, certificate.
"""
