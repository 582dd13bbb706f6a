"""Whether a plan is worth a rebalance: one rule for plans and for live groups."""
