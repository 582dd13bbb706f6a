"""The ways in: solve, assign, compare and frontier, each from a group to what is asked of it."""
