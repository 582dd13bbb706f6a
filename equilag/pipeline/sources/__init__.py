"""Offsets, members and topics of a fleet, from files or live clusters."""
