"""What is wanted: settings, overrides of the group, the objective."""
