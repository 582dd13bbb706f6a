"""Exactly even counts: quotas in closed form, and flows."""
