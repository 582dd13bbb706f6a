"""Live groups: assignors inside consumers, and the steward, which leads a group from outside."""
