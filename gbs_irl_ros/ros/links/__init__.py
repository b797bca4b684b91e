"""One end of each connection between nodes."""
