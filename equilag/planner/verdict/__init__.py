"""What is wrong with a group and what to do: causes with their evidence, and the verdict."""
