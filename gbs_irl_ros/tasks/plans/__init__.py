"""Plans that are kept on disk."""
