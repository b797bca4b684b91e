"""A task so small that planning and asking take no time."""

from __future__ import annotations

from pathlib import Path

TASK = """
format: 1
world:
  kind: grid
  map: |
    ...
    ...
    ...
  discount: 0.9
  cell_size: 1.0
hypotheses: {kind: goals, goals: free}
start: [[0, 0]]
truth: {hypothesis: 4}
"""


def write_task(folder: Path) -> Path:
    """Write the task file; return its path."""
    path = folder / 'small.yaml'
    path.write_text(TASK)
    return path
