"""Facts about a plan."""
