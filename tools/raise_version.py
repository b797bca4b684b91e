"""
Give the package a new version, everywhere at once: `python3 tools/raise_version.py 1.0.0`.

What `catkin_prepare_release` does to package.xml, setup.py and CHANGELOG.rst, and the same for the
other files that name the version. It commits, tags and publishes nothing: docs/releasing.md.
"""

from __future__ import annotations

import datetime
import re
import sys
from pathlib import Path

import sbom

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r'\d+\.\d+\.\d+'
# Where the version is, after what it stands.
PLACES = {
    'package.xml': r'<version>', 'setup.py': r"version='", 'CITATION.cff': r'\nversion: ',
    'gbs_irl_ros/__init__.py': r"__version__ = '", 'docs/conf.py': r"release = version = '",
    'docs/extending.md': r'version = \{', 'README.md': r'\*\*State\.\*\* Version ',
}
FORTHCOMING = 'Forthcoming\n-----------\n'


def version_in(root: Path, name: str) -> str:
    """Return the version that a file names."""
    found = re.search(f'{PLACES[name]}({NUMBER})', (root / name).read_text(encoding='utf-8'))
    if found is None:
        raise ValueError(f'{name} names no version')
    return found[1]


def raise_version(root: Path, version: str, day: datetime.date) -> None:
    """Write a new version into all files, and its day into the changelog."""
    if not re.fullmatch(NUMBER, version):
        raise ValueError(f'a version is written MAJOR.MINOR.PATCH, got {version!r}')
    old = version_in(root, 'package.xml')
    if _numbers(version) <= _numbers(old):
        raise ValueError(f'{version} is not higher than {old}, the version now')
    changelog = (root / 'CHANGELOG.rst').read_text(encoding='utf-8')
    if changelog.count(FORTHCOMING) != 1:
        raise ValueError('CHANGELOG.rst needs one section "Forthcoming": what is new in it?')
    heading = f'{version} ({day.isoformat()})'
    (root / 'CHANGELOG.rst').write_text(changelog.replace(
        FORTHCOMING, f'{heading}\n{"-" * len(heading)}\n'), encoding='utf-8')
    for name in PLACES:
        version_in(root, name)
        text = (root / name).read_text(encoding='utf-8')
        (root / name).write_text(re.sub(f'({PLACES[name]}){NUMBER}', rf'\g<1>{version}', text,
                                        count=1), encoding='utf-8')
    (root / 'sbom.cdx.json').write_text(sbom.bill_of_materials(root), encoding='utf-8')


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split('.')))


def main() -> int:
    """Raise the version to the one that is given; return the exit code."""
    if len(sys.argv) != 2:
        print('usage: python3 tools/raise_version.py MAJOR.MINOR.PATCH', file=sys.stderr)
        return 2
    try:
        raise_version(ROOT, sys.argv[1], datetime.datetime.now(datetime.timezone.utc).date())
    except ValueError as error:
        print(f'raise_version: {error}', file=sys.stderr)
        return 1
    print(f'version {sys.argv[1]} is in {", ".join(PLACES)}, CHANGELOG.rst and sbom.cdx.json')
    return 0


if __name__ == '__main__':
    sys.exit(main())
