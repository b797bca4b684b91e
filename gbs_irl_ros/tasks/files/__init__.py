"""Task files: YAML with lines, the format, and what is wrong in a file."""
