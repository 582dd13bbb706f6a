"""Plans for groups of KIP-848, carried to the broker plug-in."""
