"""
Fuzzes one target guided by coverage: `tools/ros-env python -m soak.guided journals -runs=100000`.

Needs atheris (`pip install atheris`), which finds its way into branches that random bytes miss.
Options after the target are those of libFuzzer. Ends with the first finding.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

from soak.choices import Choices


def main() -> None:
    """Fuzz until something is found or all runs are done."""
    try:
        import atheris
    except ModuleNotFoundError:
        raise SystemExit('soak: atheris is missing; pip install atheris') from None
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=['gbs_irl_ros']):
        target = importlib.import_module(f'soak.targets.{name}')
    with tempfile.TemporaryDirectory() as folder, target.make(Path(folder)) as feed:
        atheris.Setup(sys.argv, lambda data: feed(Choices(data)) and None)
        atheris.Fuzz()


if __name__ == '__main__':
    main()
