"""The `gbs-irl` command."""
