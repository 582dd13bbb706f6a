"""Fleets on the terminal."""
