"""Local searches that lower the lag spread within the count constraint."""
