"""Worlds as pictures and as text."""
