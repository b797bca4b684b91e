"""Sentences for people in their language: English in the code, others in a file each."""
