#!/usr/bin/env python3
"""
Write sbom.cdx.json, the list of everything that the package needs (CycloneDX), for `make sbom`.

It is made of package.xml, which names what a ROS 2 distribution brings, and of requirements/,
which pins what `make setup` fetches. The sums of the files are there, too.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
SBOM = ROOT / 'sbom.cdx.json'
PINNED = re.compile(
    r'^(?P<name>[\w.-]+)(\[.*\])?==(?P<version>[^\s;\\]+)\s*(;\s*(?P<marker>[^\\\n]*))?', re.M)
# What each file is for; lock.txt holds also what those of the others need.
FILES = {'python': 'at run time', 'tools': 'to build and test', 'lock': 'by another package',
         'jazzy': 'ROS 2 Jazzy', 'kilted': 'ROS 2 Kilted', 'uv': 'to install',
         'drake': 'to test', 'docs': 'to build the documentation',
         'docs_lock': 'by another package'}
NEEDED = ('depend', 'exec_depend')


def pinned(requirements: Path) -> list[dict[str, Any]]:
    """Return a component for every package that a file pins, with the files that name it."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for file, purpose in FILES.items():
        for match in PINNED.finditer((requirements / f'{file}.txt').read_text()):
            name, version = match['name'].lower().replace('_', '-'), match['version']
            purl = f'pkg:pypi/{name}@{version}'
            made = found.setdefault((name, version), {
                'type': 'library', 'bom-ref': purl, 'name': name, 'version': version,
                'purl': purl, 'properties': []})
            properties = {'needed': purpose, 'where': (match['marker'] or '').strip()}
            made['properties'] += [
                entry for key, value in properties.items() if value
                if (entry := {'name': f'gbs_irl_ros:{key}', 'value': value})
                not in made['properties']]
    return [found[key] for key in sorted(found)]


def from_distribution(package: ElementTree.Element) -> list[dict[str, Any]]:
    """Return a component for everything that rosdep installs; which version, it decides."""
    keys = {str(each.text) for kind in NEEDED for each in package.iter(kind)}
    return [{'type': 'library', 'bom-ref': f'rosdep:{key}', 'name': key,
             'properties': [{'name': 'gbs_irl_ros:needed', 'value': 'at run time, by rosdep'}]}
            for key in sorted(keys)]


def bill_of_materials(root: Path = ROOT) -> str:
    """Return the text of the file; the same for the same requirements."""
    package = ElementTree.parse(root / 'package.xml').getroot()
    name, version = str(package.findtext('name')), str(package.findtext('version'))
    components = [*from_distribution(package), *pinned(root / 'requirements')]
    this = f'{name}@{version}'
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([this, components]))
    text = json.dumps({
        'bomFormat': 'CycloneDX', 'specVersion': '1.5', 'serialNumber': serial.urn, 'version': 1,
        'metadata': {'component': {
            'type': 'application', 'bom-ref': this, 'name': name, 'version': version,
            'description': ' '.join(str(package.findtext('description')).split()),
            'licenses': [{'license': {'id': str(package.findtext('license'))}}]}},
        'components': [],
        'dependencies': [{'ref': this, 'dependsOn': [each['bom-ref'] for each in components]}],
    }, indent=1)
    lines = ',\n'.join(f'  {json.dumps(each)}' for each in components)     # a line for each
    return text.replace('"components": []', f'"components": [\n{lines}\n ]', 1) + '\n'


def main() -> None:
    """Write the file."""
    SBOM.write_text(bill_of_materials())
    print(f'sbom: {SBOM.name} is written', file=sys.stderr)


if __name__ == '__main__':
    main()
