"""Live clusters: what `__consumer_offsets` says of groups, and where the logs begin and end."""
