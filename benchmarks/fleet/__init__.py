"""The fleet benchmark and its generated histories of thousands of groups."""
