"""Figures that reports on a group and its plan show besides the results' own; no sentences."""
