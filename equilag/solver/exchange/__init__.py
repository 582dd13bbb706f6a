"""Searches that exchange partitions between members."""
