"""What is wrong with a group, and what a plan brings: figures and decisions, no sentences."""
