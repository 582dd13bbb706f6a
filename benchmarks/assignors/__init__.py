"""Assignors side by side: the same groups for all, on one machine, in one run."""
