"""What the steward shows: status, metrics, history, state on disk."""
