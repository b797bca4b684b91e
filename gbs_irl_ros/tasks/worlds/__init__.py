"""The kinds of worlds."""
