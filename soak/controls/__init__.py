"""Nodes with a fault built in: each must be caught by the detector that looks for such faults."""
