"""Lag over time as a fluid: exact for rates, capacities and owners that change at given times."""
