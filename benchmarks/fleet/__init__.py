"""Fleets: made-up histories of thousands of groups."""
