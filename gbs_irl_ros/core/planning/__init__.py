"""Optimal policies of many rewards at once."""
