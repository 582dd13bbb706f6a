"""The ways in (`solve`, `compare`, `frontier`, `size`, `simulate`, `explain`, `assign`).

Wings: `solving/` (one run: task, problem, state, result), `stages/` (what a run is made of),
`sizes/`, `explaining/`, `simulation/` (lag over time as a fluid), `worth/` (whether a plan is worth
a rebalance), `facts/` (what is known of groups, plans and fronts), `verdict/` (what is wrong, and
what to do).
May import: domain, heuristics, certificate, solver.
"""
