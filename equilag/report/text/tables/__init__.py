"""Tables, columns and lines on the terminal."""
