"""The report of a soak, and the page that is made of it."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.machine import facts
from gbs_irl_ros import __version__
from soak import ROOT

PUBLISHED = ROOT / 'soak' / 'reliability_report.json'
LATEST = ROOT / '.soak' / 'reliability_report.json'
PAGE = ROOT / 'docs' / 'reliability.md'
BEGIN, END = '<!-- made by `make soak` -->\n', '<!-- end -->\n'


def machine() -> dict[str, Any]:
    """Return what it ran on: nothing that names the machine."""
    from rclpy.utilities import get_rmw_implementation_identifier
    found = {name.removeprefix('machine.'): value for name, value in facts().items()}
    return {**found, 'kernel_of_the_system': platform.release().split('-')[0],
            'middleware': get_rmw_implementation_identifier(), 'gbs_irl_ros': __version__,
            'rclpy': metadata.version('ros-rclpy')}


def load() -> float:
    """Return how many processes wanted a processor in the last minute."""
    return round(os.getloadavg()[0], 1)


def read(path: Path) -> dict[str, Any]:
    """Return a report, an empty one if there is none."""
    if not path.exists():
        return {'machine': {}, 'parts': {}}
    report: dict[str, Any] = json.loads(path.read_text())
    return report


def update(path: Path, name: str, part: dict[str, Any]) -> None:
    """Replace those claims of one part of a report that were tried again."""
    report = read(path)
    report['machine'] = machine()
    tried = {claim['name']: claim for claim in part['claims']}
    before = [claim for claim in report['parts'].get(name, {}).get('claims', [])
              if not claim['name'].endswith('.error')]
    claims = [tried.pop(claim['name'], claim) for claim in before]
    report['parts'][name] = {**part, 'claims': [*claims, *tried.values()]}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(report, indent=1, sort_keys=True) + '\n')


def claims(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the claims of all parts."""
    return [claim for part in report['parts'].values() for claim in part['claims']]


def is_good(report: dict[str, Any], names: list[str]) -> bool:
    """Return whether every claim of some parts held, and every control was caught."""
    return all(claim['passed'] and claim['controls']
               and all(control['caught'] for control in claim['controls'])
               for name in names for claim in report['parts'][name]['claims'])


# ---- the page -----------------------------------------------------------------------------------

def write_page(report: dict[str, Any]) -> None:
    """Put the tables of a report into the page; the text around them stays."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f'{before}{BEGIN}{tables(report)}{END}{after}')


def tables(report: dict[str, Any]) -> str:
    """Return the tables of a report."""
    return '\n'.join([_about(report), _claims(report), _stops(report), _controls(report),
                      _parts(report)])


def _about(report: dict[str, Any]) -> str:
    found = report['machine']
    return (f'\nMeasured on {found.get("cores")} cores ({found.get("processor")}), '
            f'{found.get("system")} {found.get("kernel_of_the_system")}, Python '
            f'{found.get("python")}, rclpy {found.get("rclpy")}, {found.get("middleware")}, '
            f'version {found.get("gbs_irl_ros")}.\n')


def _claims(report: dict[str, Any]) -> str:
    rows = [[claim['text'], f'{_number(claim)} {claim["unit"]}', claim['result'],
             _caught(claim), _verdict(claim)]
            for claim in claims(report) if not claim['name'].startswith('stops.')]
    return '### What is claimed\n\n' + _table(
        ['claim', 'tried', 'result', 'controls caught', 'verdict'], rows)


def _stops(report: dict[str, Any]) -> str:
    rows = [[claim['text'].split(': ', 1)[1], _number(claim), _seconds(claim, 'median'),
             _seconds(claim, 'worst'),
             claim['text'].split(': ')[0].removeprefix('the robot stops within '),
             _verdict(claim)] for claim in claims(report) if claim['name'].startswith('stops.')]
    return '### How fast the robot is told to stop\n\n' + _table(
        ['what happens', 'stops', 'median', 'worst', 'limit', 'verdict'], rows)


def _controls(report: dict[str, Any]) -> str:
    seen: dict[str, list[str]] = {}
    for name, part in report['parts'].items():
        for claim in part['claims']:
            for control in claim['controls']:
                seen[control['what']] = [name, control['what'],
                                         'caught' if control['caught'] else 'NOT caught',
                                         control['seen']]
    return '### The controls: what was built to fail\n\n' + _table(
        ['part', 'fault', '', 'what the detector saw'], list(seen.values()))


def _parts(report: dict[str, Any]) -> str:
    rows = [[name, f'{part["seconds"]:.0f} s', str(part['seed']), f'{part["load"]:g}']
            for name, part in report['parts'].items()]
    return '### The run\n\n' + _table(
        ['part', 'time', 'seed', 'processes wanting a processor at its end'], rows)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [f'| {" | ".join(heads)} |', f'|{"---|" * len(heads)}',
             *(f'| {" | ".join(_cell(cell) for cell in row)} |' for row in rows)]
    return '\n'.join(lines) + '\n'


def _cell(text: str) -> str:
    return ' '.join(text.split()).replace('|', '\\|')


def _number(claim: dict[str, Any]) -> str:
    run, wanted = claim['run'], claim['wanted']
    return f'{run:,}' if run >= wanted else f'{run:,} of {wanted:,}'


def _caught(claim: dict[str, Any]) -> str:
    caught = [control for control in claim['controls'] if control['caught']]
    return f'{len(caught)} of {len(claim["controls"])}'


def _verdict(claim: dict[str, Any]) -> str:
    return claim['verdict'] + (f' ({claim["note"]})' if claim['note'] else '')


def _seconds(claim: dict[str, Any], name: str) -> str:
    value = claim['figures'].get(name)
    return '' if value is None else f'{value:.2f} s'


if __name__ == '__main__':
    write_page(read(PUBLISHED))
