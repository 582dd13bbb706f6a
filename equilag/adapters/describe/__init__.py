"""Groups from what `kafka-consumer-groups --describe` prints."""
