"""What our own executables do before they import the rest; nothing here for libraries."""
