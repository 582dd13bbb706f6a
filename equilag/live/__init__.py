"""Groups that run.

Wings: `tracking/` (rates and speeds over time), `rebalance/` (from joined members to a verified
plan), `consumers/` (assignors inside a consumer), `steward/` (leads a group from outside),
`status/` (what the steward shows).
May import: everything but pipeline and cli.
"""
