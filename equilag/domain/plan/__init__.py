"""The plan, its figures and its claims."""
