"""
The figures in one file: one JSON object with flat keys such as ``planning.driver.seconds``.

The first word of a key is the measurement it belongs to. A measurement that was repeated
replaces all its keys and leaves those of the others as they are.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / 'bench' / 'results.json'
QUICK = ROOT / '.bench' / 'quick.json'      # never mixed with what is published
DIGITS = 5      # significant: more than any clock is good for

Figures = dict[str, Any]


def read_results(path: Path = PUBLISHED) -> Figures:
    """Return the figures of a file, none if it does not exist."""
    try:
        return dict(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}


def update_results(path: Path, measurement: str, figures: Figures) -> Figures:
    """Replace the figures of one measurement in a file, all or nothing; return all figures."""
    wrong = [key for key in figures if not key.startswith(f'{measurement}.')]
    if wrong:
        raise ValueError(f'figures of {measurement} must begin with "{measurement}.", '
                         f'got {wrong[0]!r}')
    kept = {key: value for key, value in read_results(path).items()
            if not key.startswith(f'{measurement}.')}
    everything = dict(sorted({**kept, **rounded(figures)}.items()))
    lines = [f'  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}'
             for key, value in everything.items()]      # a line for each, however long its curve
    _write(path, '{\n' + ',\n'.join(lines) + '\n}\n')
    return everything


def rounded(value: Any) -> Any:
    """Return figures with as many digits as they deserve."""
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(each) for each in value]
    if isinstance(value, float) and math.isfinite(value) and value != 0.0:
        return round(value, DIGITS - 1 - math.floor(math.log10(abs(value))))
    return value


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix='.tmp')
    try:
        with os.fdopen(handle, 'w') as file:
            file.write(text)
        os.chmod(name, 0o644)       # a temporary file is private, this one is not
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
