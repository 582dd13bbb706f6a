"""Mutation testing: what tests let pass when a line of code is changed."""
