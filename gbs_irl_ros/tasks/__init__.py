"""Worlds to be taught: task files, builders of the paper's domains, grids and maps."""
