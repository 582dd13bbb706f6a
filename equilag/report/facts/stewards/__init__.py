"""Facts about the steward."""
