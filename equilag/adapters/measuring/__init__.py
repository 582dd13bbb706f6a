"""Rates and capacities from samples of a group over time: arrays in, arrays out."""
