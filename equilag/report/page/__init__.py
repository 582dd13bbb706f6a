"""Pages: facts as one HTML file that needs no network."""
