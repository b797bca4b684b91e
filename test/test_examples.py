"""Every example runs, and says what its page says."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

ROOT = Path(__file__).parent.parent


def run(name):
    done = subprocess.run([sys.executable, '-W', 'error', ROOT / 'examples' / name],
                          cwd=ROOT, capture_output=True, text=True, timeout=patience(120))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec('gymnasium') is None, reason='needs gymnasium')
def test_the_taxi_delivers_everybody_as_the_page_says():
    page = (ROOT / 'docs' / 'gymnasium.md').read_text()
    said = re.search(r'\$ python examples/gymnasium_taxi.py\n(.*?)```', page, re.S)
    assert run('gymnasium_taxi.py') == said[1]
