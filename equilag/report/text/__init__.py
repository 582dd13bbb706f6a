"""The output `text`: facts as a page for a terminal, made with rich. Nothing is computed here."""
