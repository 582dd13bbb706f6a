"""Groups of other sizes."""
