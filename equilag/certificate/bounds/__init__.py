"""Lower bounds, one argument a file."""
