"""The way from the members of a rebalancing group to a verified plan."""
