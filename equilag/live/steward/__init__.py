"""The steward: it leads a classic group of unmodified members from outside."""
