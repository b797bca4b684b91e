"""What the tests of the terminal share with those of lessons: small worlds."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / 'lessons'))
