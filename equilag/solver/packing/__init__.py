"""Identical members and free counts: the least heaviest load, by patterns."""
