"""The steward: leads a classic group of unmodified members from outside and hands out plans."""
