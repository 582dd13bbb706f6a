"""Benchmarks and the inputs that they generate. Not part of the installed package."""
