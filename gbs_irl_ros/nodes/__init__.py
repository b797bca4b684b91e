"""One executable per file."""
