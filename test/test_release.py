"""A release: one version everywhere, raised at once, and a changelog that bloom reads."""

from __future__ import annotations

import datetime
import importlib
import json
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DAY = datetime.date(2027, 1, 31)


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / 'tools'))
    yield importlib.import_module('raise_version')
    for name in ('raise_version', 'sbom'):
        sys.modules.pop(name, None)


@pytest.fixture
def copy(tool, tmp_path):
    """A copy of the files that name the version."""
    for name in (*tool.PLACES, 'CHANGELOG.rst', 'sbom.cdx.json', 'requirements'):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    changelog = (ROOT / 'CHANGELOG.rst').read_text(encoding='utf-8')
    if tool.FORTHCOMING not in changelog:       # just released
        title, rest = changelog.split('\n\n', 1)
        (tmp_path / 'CHANGELOG.rst').write_text(
            f'{title}\n\n{tool.FORTHCOMING}* Something.\n\n{rest}', encoding='utf-8')
    return tmp_path


def versions(tool, root):
    sbom = json.loads((root / 'sbom.cdx.json').read_text())
    return {**{name: tool.version_in(root, name) for name in tool.PLACES},
            'sbom.cdx.json': sbom['metadata']['component']['version']}


def test_one_version_everywhere(tool):
    found = versions(tool, ROOT)
    assert len(set(found.values())) == 1, found
    released = re.findall(r'^(\d\S*) \(\d{4}-\d\d-\d\d\)$', (ROOT / 'CHANGELOG.rst').read_text(),
                          re.M)
    assert released[:1] in ([], [found['package.xml']]), released


def test_no_other_file_names_the_version(tool):
    """One that does belongs into the table of the tool."""
    version = tool.version_in(ROOT, 'package.xml')
    words = re.compile(rf'(?i)gbs_irl_ros\W+(version\W+)?{re.escape(version)}|'
                       rf'^version\W+{re.escape(version)}|Version {re.escape(version)}', re.M)
    files = [*ROOT.glob('*.*'), *(ROOT / 'docs').glob('*.*'),
             *(ROOT / 'gbs_irl_ros').rglob('*.py'), *(ROOT / 'config').rglob('*.yaml')]
    naming = {str(file.relative_to(ROOT)) for file in files if file.is_file()
              and file.suffix in ('.md', '.py', '.yaml', '.toml', '.cff', '.xml', '.json')
              and words.search(file.read_text(encoding='utf-8'))}
    written_by_runs = {'docs/reliability.md'}       # with the version that was run
    assert naming - written_by_runs <= {*tool.PLACES, 'sbom.cdx.json'}


@pytest.mark.filterwarnings('ignore:nodes.Node.traverse:DeprecationWarning')    # of catkin_pkg
def test_a_version_is_raised_in_all_files_at_once(tool, copy):
    forthcoming = re.split(r'^\d.* \(.*\)$', (copy / 'CHANGELOG.rst').read_text(), flags=re.M)[0]
    tool.raise_version(copy, '12.3.4', DAY)
    assert set(versions(tool, copy).values()) == {'12.3.4'}
    catkin = pytest.importorskip('catkin_pkg.changelog', reason='comes with ROS 2')
    changelog = catkin.get_changelog_from_path(str(copy))
    *_, (version, date, (bullets,)) = changelog.foreach_version()
    assert (version, date.date()) == ('12.3.4', DAY)
    assert len(list(bullets)) == len(re.findall(r'^\* ', forthcoming, re.M)) > 0
    package = importlib.import_module('catkin_pkg.package').parse_package(str(copy))
    assert package.version == '12.3.4'


def test_what_is_not_a_new_version_is_refused_and_nothing_is_written(tool, copy):
    before = {file: file.read_bytes() for file in copy.rglob('*') if file.is_file()}
    for version, words in (('1.0', "MAJOR.MINOR.PATCH, got '1.0'"),
                           ('v1.0.0', 'MAJOR.MINOR.PATCH'),
                           ('0.0.1', r'0\.0\.1 is not higher than')):
        with pytest.raises(ValueError, match=words):
            tool.raise_version(copy, version, DAY)
    assert all(before[file] == file.read_bytes() for file in before)
    tool.raise_version(copy, '90.0.0', DAY)
    with pytest.raises(ValueError, match='needs one section "Forthcoming"'):
        tool.raise_version(copy, '90.0.1', DAY)
    assert set(versions(tool, copy).values()) == {'90.0.0'}


def test_the_command_says_what_it_did_or_why_not(tool, copy, monkeypatch, capsys):
    monkeypatch.setattr(tool, 'ROOT', copy)
    for words, code, said in ((['x'], 2, 'usage: python3 tools/raise_version.py'),
                              (['x', '0'], 1, 'raise_version: a version is written'),
                              (['x', '91.0.0'], 0, 'version 91.0.0 is in package.xml, setup.py')):
        monkeypatch.setattr(sys, 'argv', words)
        assert tool.main() == code
        assert said in ''.join(capsys.readouterr())


def test_every_placeholder_is_named_in_the_guide():
    guide = (ROOT / 'docs' / 'releasing.md').read_text().partition('## A release')[0]
    files = [ROOT / 'package.xml', ROOT / 'setup.py', ROOT / 'CITATION.cff', *ROOT.glob('*.md'),
             ROOT / '.github' / 'CODEOWNERS', *(ROOT / 'docs').glob('*.md')]
    placeholder = re.compile(r'gbs-irl-ros\.example|@gbs-irl-ros/|ADDRESS_OF_THIS_REPOSITORY')
    found = {str(file.relative_to(ROOT)) for file in files if file.name != 'releasing.md'
             and placeholder.search(file.read_text(encoding='utf-8'))}
    assert {'package.xml', '.github/CODEOWNERS', 'README.md'} <= found
    assert [name for name in sorted(found) if f'`{name}`' not in guide] == []
