"""What a plan claims of itself, and the checks that need no solver."""
