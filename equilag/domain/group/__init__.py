"""The group as integer columns, and what follows from it."""
