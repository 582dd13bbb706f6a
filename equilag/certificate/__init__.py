"""Checks of plans and bounds without a solver.

`verify` reads a plan and checks each claim (`checks/`). Bounds are computed by the code that checks
them (`bounds/`). `exhaustive/` is the search for small groups, which `verify` repeats.
May import: domain.
"""
