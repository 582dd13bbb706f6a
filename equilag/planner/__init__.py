"""The ways in (`solve`, `compare`, `frontier`, `size`, `simulate`, `explain`, `assign`).

Wings: `solving/` (one run: task, problem, state, result), `stages/` (what a run is made of),
`sizes/`, `explaining/`, `simulation/` (lag over time as a fluid), `worth/` (whether a plan is worth
a rebalance), `facts/` (what is known of groups, plans and fronts), `diagnosis/` (figures of what is
wrong), `verdict/` (its causes, what to do, and the sentences about them).
May import: domain, heuristics, certificate, solver.
"""
