"""
Reliability by trial: `make soak MINUTES=30`. See docs/reliability.md.

Graphs of real processes, nodes that are forked and waits with deadlines are those of the tests.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in ('test', 'test/nodes', 'test/learning', 'test/tasks/files', 'test/teaching/web'):
    if str(ROOT / folder) not in sys.path:
        sys.path.append(str(ROOT / folder))
