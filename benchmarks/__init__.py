"""Measurements at scale, and what they are made on. Not part of the installed package."""
