"""Write the sums of everything that set-up fetches into requirements/, for `make lock`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sbom
import setup_environment

OLDEST_PYTHON = '3.11'
LOCK = setup_environment.REQUIREMENTS / 'lock.txt'
DOCS_LOCK = setup_environment.REQUIREMENTS / 'docs_lock.txt'
HEADER = """\
# Everything that {0} bring, with the sums of the files: what is fetched must
# be what was tried. Made by `make lock`; not to be edited.
"""


def locked(uv: str, names: list[str], *options: str) -> str:
    """Return what some requirement files bring, pinned and with the sums of the files."""
    found = subprocess.run(
        [uv, 'pip', 'compile', '--quiet', '--universal', '--python-version', OLDEST_PYTHON,
         '--generate-hashes', '--no-header', '--no-annotate', *options,
         *(str(setup_environment.REQUIREMENTS / f'{name}.txt') for name in names)],
        env=setup_environment.uv_environment(), stdout=subprocess.PIPE, text=True, check=True)
    return ''.join(f'{line}\n' for line in found.stdout.splitlines()
                   if not line.lstrip().startswith('#'))


def comments(file: Path) -> str:
    """Return the comments of a requirement file."""
    return ''.join(f'{line}\n' for line in file.read_text().splitlines() if line.startswith('#'))


def main() -> None:
    """Write all of them."""
    with open(setup_environment.LOG, 'w') as log:
        uv = setup_environment.find_uv(log)
    for name in ('jazzy', 'kilted', 'uv', 'drake'):     # complete as they are
        file = setup_environment.REQUIREMENTS / f'{name}.txt'
        print(f'lock: {name}.txt ...', file=sys.stderr)
        file.write_text(comments(file) + locked(uv, [name], '--no-deps'))
    print('lock: lock.txt ...', file=sys.stderr)
    LOCK.write_text(HEADER.format('python.txt and tools.txt') + locked(uv, ['python', 'tools']))
    print('lock: docs_lock.txt ...', file=sys.stderr)
    DOCS_LOCK.write_text(HEADER.format('the two of docs.txt') + locked(uv, ['docs']))
    sbom.main()


if __name__ == '__main__':
    main()
