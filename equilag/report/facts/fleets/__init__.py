"""Facts about fleets."""
