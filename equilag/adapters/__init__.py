"""Reading and writing groups.

Wings: `snapshot/` (JSON), `describe/` (what Kafka's tools print), `kafka/` (live clusters),
`measuring/` (rates and capacities from samples over time).
May import: domain.
"""
