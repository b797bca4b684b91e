"""Build all pages and the API reference as one site, for `make docs`: .docs/html/index.html."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import setup_environment

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / '.docs'
PACKAGES, STAMP = FOLDER / 'packages', FOLDER / 'stamp'
REQUIREMENTS = setup_environment.REQUIREMENTS / 'docs_lock.txt'


def install() -> None:
    """Get Sphinx into a folder of its own, unless it is there."""
    wanted = setup_environment.digest([sys.version], [REQUIREMENTS])
    if setup_environment.read_text(STAMP) == wanted:
        return
    FOLDER.mkdir(exist_ok=True)
    setup_environment.remove(PACKAGES)
    with open(FOLDER / 'install.log', 'w') as log:
        uv = setup_environment.find_uv(log)
    subprocess.run([uv, 'pip', 'install', '--quiet', '--python', sys.executable, '--target',
                    str(PACKAGES), '--require-hashes', '-r', str(REQUIREMENTS)],
                   env=setup_environment.uv_environment(), check=True)
    STAMP.write_text(wanted)


def main() -> int:
    """Build the site; a warning is an error."""
    install()
    path = os.pathsep.join([str(PACKAGES), os.environ.get('PYTHONPATH', '')])
    done = subprocess.run(
        [sys.executable, '-m', 'sphinx', '-W', '--keep-going', '-q', '-b', 'html', '-d',
         FOLDER / 'doctrees', ROOT / 'docs', FOLDER / 'html'],
        env={**os.environ, 'PYTHONPATH': path}, check=False)
    if done.returncode == 0:
        print(f'docs: {FOLDER / "html" / "index.html"}')
    return done.returncode


if __name__ == '__main__':
    sys.exit(main())
