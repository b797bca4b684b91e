"""The paper's experiments: a sweep gives rows, rows give figures and tables."""
