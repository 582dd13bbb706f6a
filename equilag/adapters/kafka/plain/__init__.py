"""Requests through kafka-python."""
