"""What others may rely on does not change by accident: docs/compatibility.md."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location('surface', ROOT / 'tools' / 'public_surface.py')
public_surface = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(public_surface)

WHAT_TO_DO = ('If that is meant, follow docs/compatibility.md, record it with `tools/ros-env '
              'python tools/public_surface.py`, and say it in CHANGELOG.rst.')


def differences(recorded, found):
    """Yield a line for every name that is new, gone or not what it was."""
    for kind in recorded.keys() | found.keys():
        before, now = recorded.get(kind, {}), found.get(kind, {})
        yield from (f'{kind}: {name} is gone' for name in before.keys() - now.keys())
        yield from (f'{kind}: {name} is new' for name in now.keys() - before.keys())
        yield from (f'{kind}: {name} was {before[name]}, is {now[name]}'
                    for name in before.keys() & now.keys() if before[name] != now[name])


def test_what_is_public_is_what_was_recorded():
    recorded = json.loads(public_surface.RECORD.read_text())
    found = json.loads(public_surface.as_text(public_surface.surface()))
    changed = sorted(differences(recorded, found))
    assert changed == [], '\n'.join([*changed, WHAT_TO_DO])


def test_the_check_sees_what_is_new_gone_or_changed():
    assert sorted(differences({'a': {'x': 1, 'y': 2}}, {'a': {'y': 3, 'z': 4}})) == [
        'a: x is gone', 'a: y was 2, is 3', 'a: z is new']


def test_every_kind_is_on_the_page_about_compatibility():
    page = (ROOT / 'docs' / 'compatibility.md').read_text()
    assert [kind for kind in public_surface.surface() if f'| {kind} |' not in page] == []
