"""The paper's figures: sweep, rows, plot."""
