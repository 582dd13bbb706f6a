"""Sentences that several outputs show."""
