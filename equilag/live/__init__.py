"""Live groups: assignors inside consumers, and the steward that leads a group from outside."""
