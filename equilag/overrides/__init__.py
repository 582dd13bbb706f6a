"""Settings of a run that stand in for what a group says of itself, and the group with them."""
