"""
Installs the peers into `.bench/peers`, an environment of their own: `make bench` calls it.

Nothing is done if it is what bench/requirements.txt asks for. Nothing of the peers gets into
`.venv`.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from bench.session import Progress

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / 'tools'))

from setup_environment import UNREACHABLE, digest, pip_environment, read_text, remove  # noqa: E402

FOLDER = ROOT / '.bench' / 'peers'
PEER_PYTHON = FOLDER / 'bin' / 'python'
REQUIREMENTS = ROOT / 'bench' / 'requirements.txt'
ABOUT_S = 60


class InstallError(Exception):
    """The peers cannot be installed; the text is the one line the user reads."""


def install_peers(progress: Progress, requirements: Path = REQUIREMENTS,
                  folder: Path = FOLDER) -> Path:
    """Return the Python that has the peers, installing them if they are not as required."""
    stamp, python = folder / 'bench-stamp', folder / 'bin' / 'python'
    wanted = digest([str(folder), sys.version], [requirements])
    if read_text(stamp) == wanted:
        return python
    remove(folder)      # of other requirements, or half made
    try:
        progress.step(f'making an environment for the peers with Python '
                      f'{platform.python_version()}', 5)
        _run([sys.executable, '-m', 'venv', str(folder)])
        progress.step('installing the peers of bench/requirements.txt', ABOUT_S)
        _run([str(python), '-m', 'pip', '--no-input', '--disable-pip-version-check', 'install',
              '--quiet', '--progress-bar', 'off', '-r', str(requirements)])
        stamp.write_text(wanted)
    except BaseException:
        remove(folder)
        raise
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=pip_environment())
    if done.returncode == 0:
        return
    output = done.stdout + done.stderr
    if any(sign in output for sign in UNREACHABLE):
        raise InstallError('the Python package index cannot be reached, and the peers are not '
                           'installed yet; check the network, or measure something else with '
                           'ONLY=ask,memory')
    errors = [line.strip() for line in output.splitlines() if line.startswith('ERROR')]
    raise InstallError(f'the peers cannot be installed: '
                       f'{errors[-1][:200] if errors else "pip failed"}')
