"""The search for the strongest lower bounds."""
