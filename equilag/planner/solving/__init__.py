"""One run: task, problem, state, front, proofs, result."""
