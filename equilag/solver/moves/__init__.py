"""Fewest moves, proved by node potentials."""
