"""Snapshots (`equilag/snapshot/1`) as JSON."""
