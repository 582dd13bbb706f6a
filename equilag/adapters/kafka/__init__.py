"""Live clusters: groups read from outside, `__consumer_offsets` decoded, logs measured."""
