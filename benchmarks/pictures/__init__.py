"""Pictures of the documents, from real runs on the shipped samples (`make pictures`)."""
