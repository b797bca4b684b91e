"""Every Python block of the documentation runs, and every name it has of the code is there."""

from __future__ import annotations

import ast
import functools
import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import yaml
from cases import for_each
from waiting import patience

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob('*.md'), *(ROOT / 'docs').glob('*.md')])
# Names in backticks that are of other packages.
OF_OTHERS = {'twist_mux', 'catkin_generate_changelog', 'joy_node', 'ros_gz', 'bond_timeout'}
BLOCKS = [(page, number, block) for page in PAGES for number, block in enumerate(
    re.findall(r'^```python\n(.*?)^```', page.read_text(), re.S | re.M))]


# Runs each block in a process of its own, forked from one that has imported what most of them do.
RUN_BLOCKS = """
import atexit, json, os, sys, tempfile, threading, traceback
import gbs_irl_ros.core, gbs_irl_ros.tasks, numpy
failed = {}
for name, block in json.load(sys.stdin).items():
    output = tempfile.TemporaryFile('w+')       # a pipe would stay open in what a block starts
    if os.fork() == 0:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        code = 1
        try:
            exec(compile(block, name, 'exec'), vars(sys.modules['__main__']))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            threading._shutdown()       # ends the workers that a block has started
            atexit._run_exitfuncs()
            sys.stdout.flush()
            os._exit(code)
    if os.wait()[1] != 0:
        output.seek(0)
        failed[name] = output.read()
    output.close()
json.dump(failed, sys.stdout)
"""


@pytest.mark.slow
def test_every_python_block_runs():
    blocks = {f'{page.name}, block {number}': block for page, number, block in BLOCKS
              if page.stem != 'gymnasium' or importlib.util.find_spec('gymnasium')}  # optional
    done = subprocess.run([sys.executable, '-W', 'error', '-c', RUN_BLOCKS], cwd=ROOT,
                          input=json.dumps(blocks), capture_output=True, text=True,
                          timeout=patience(300))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {}


@for_each(('page', 'number', 'block'), BLOCKS,
          ids=[f'{page.name}-{number}' for page, number, _ in BLOCKS])
def test_a_python_block_imports_public_names_only(page, number, block):
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith('gbs_irl_ros'):
            public = {'*', *getattr(importlib.import_module(node.module), '__all__', ())}
            hidden = [alias.name for alias in node.names if alias.name not in public]
            assert not hidden, f'{page.name}, block {number}: {hidden} of {node.module}'
        elif isinstance(node, ast.Import):
            assert not [each.name for each in node.names if each.name.startswith('gbs_irl_ros')]


STRICT = """
[mypy]
strict = true
[mypy-scipy.*,joblib.*,matplotlib.*,PIL.*]
ignore_missing_imports = true
"""


def test_every_python_block_passes_mypy_strict(tmp_path):
    """As in an editor of somebody who copies it: with our types, and nothing else allowed."""
    if importlib.util.find_spec('mypy') is None:
        pytest.skip('mypy is not installed; `make setup` gets it')
    (tmp_path / 'strict.ini').write_text(STRICT)
    for page, number, block in BLOCKS:
        before = page.read_text().partition(block)[0].count('\n')
        module = tmp_path / f'{page.stem.lower()}_{number}.py'
        module.write_text('\n' * before + block)     # so that lines are those of the page
    done = subprocess.run(
        [sys.executable, '-m', 'mypy', '--config-file', tmp_path / 'strict.ini',
         '--cache-dir', ROOT / '.mypy_cache' / 'examples', '--follow-imports', 'silent',
         *sorted(tmp_path.glob('*.py'))],
        cwd=ROOT, capture_output=True, text=True, timeout=patience(300))
    found = done.stdout
    for page, number, _ in BLOCKS:
        module = tmp_path / f'{page.stem.lower()}_{number}.py'
        found = re.sub(rf'\S*{re.escape(module.name)}', str(page.relative_to(ROOT)), found)
    assert done.returncode == 0, found + done.stderr


FILES = re.findall(r'^```yaml\n(.*?)^```', (ROOT / 'docs' / 'tasks.md').read_text(), re.S | re.M)


@for_each('text', FILES, ids=range(len(FILES)))
def test_a_task_file_of_the_page_can_be_taught(text, tmp_path):
    from gbs_irl_ros.core import Learner
    from gbs_irl_ros.tasks import load_task, load_truth
    shutil.copytree(ROOT / 'config' / 'tasks' / 'maps', tmp_path / 'maps')
    file = tmp_path / 'example.yaml'
    file.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')     # nested policies under the aggregated likelihood
        assert Learner(load_task(file)).ask() is not None
    if 'truth' in text:
        assert load_truth(file).name in text


def test_every_kind_of_world_and_hypotheses_is_on_the_page():
    from gbs_irl_ros.tasks.task_file import HYPOTHESES, WORLDS
    text = (ROOT / 'docs' / 'tasks.md').read_text()
    assert [kind for kind in (*WORLDS, *HYPOTHESES) if f'`{kind}`' not in text] == []
    used = set(re.findall(r'kind: (\w+)', '\n'.join(FILES)))
    shipped = {path.stem for path in (ROOT / 'config' / 'tasks').glob('*.yaml')}
    assert set(WORLDS) - used <= shipped


def test_the_published_schema_is_up_to_date():
    from gbs_irl_ros.tasks.task_file import json_schema
    assert json.loads((ROOT / 'config' / 'task.schema.json').read_text()) == json_schema()


@functools.cache
def words_of_code():
    """Return every word in the files that a name may come from."""
    kinds = {'gbs_irl_ros': ('py', 'js'), 'msg': ('msg',), 'srv': ('srv',), 'config': ('yaml',)} \
        | dict.fromkeys(('test', 'tools', 'examples', 'bench', 'soak'), ('py',)) \
        | {'.github': ('yml',), 'requirements': ('txt',)}
    files = [file for folder, endings in kinds.items() for ending in endings
             for file in (ROOT / folder).rglob(f'*.{ending}')]
    return {word for file in files for word in re.findall(r'\w+', file.read_text())} \
        | {file.stem for file in files}


@pytest.mark.slow
@for_each('page', PAGES, ids=lambda page: page.name)
def test_names_of_the_code_exist(page):
    """What is in backticks as a class, a message or a name of several words must be there."""
    text = page.read_text()
    names = re.findall(r'`([A-Z][a-z]+[A-Za-z0-9]*)[`.(]', text) \
        + re.findall(r'`([a-z]+(?:_[a-z0-9]+)+|[A-Z]+(?:_[A-Z0-9]+)+)`', text)
    assert [name for name in names if name not in words_of_code() | OF_OTHERS] == []


def test_defaults_of_parameters_are_those_of_the_code():
    """A number in brackets behind the name of a parameter, or in a table with a column for it."""
    blocks = yaml.safe_load((ROOT / 'config' / 'params.yaml').read_text()).values()
    defaults = {}
    for block in blocks:
        for name, value in block['ros__parameters'].items():
            defaults.setdefault(name, []).append(str(value))
    found = 0
    for page in PAGES:
        text = page.read_text()
        said = re.findall(r'`(\w+)` \((\d[\d.]*)(?: ?[a-z]+)?[;,)]', text)
        for table in re.findall(r'^\| parameter \| default \|.*\n(?:\|.*\n)+', text, re.M):
            said += re.findall(r'^\| `(\w+)` \| `?([\w.]+)`?(?: s| m| rad)? \|', table, re.M)
        for name, value in said:
            if name in defaults and (page.stem, name) != ('effort', 'gamma_hat'):   # of tasks
                is_number = re.fullmatch(r'[\d.]+', value)
                assert value in defaults[name] or (is_number and float(value) in map(
                    float, defaults[name])), f'{page.name}: {name} ({value})'
                found += 1
    assert found >= 15


def test_what_the_readme_says_is_in_a_folder_is_there():
    readme = (ROOT / 'README.md').read_text()
    rows = re.findall(r'^\| `([a-z]+)` \|[^|]*\|([^|]*)\|$', readme, re.M)
    assert {folder for folder, _ in rows} >= {'core', 'tasks', 'learning', 'teaching', 'driving'}
    for folder, text in rows:
        there = {path.stem for path in (ROOT / 'gbs_irl_ros' / folder).rglob('*')}
        for name in re.findall(r'`([^`]+)`', text):
            assert (ROOT / name).exists() or name.rstrip('/').split('/')[-1] in there, \
                f'{folder}: {name}'


def test_walks_are_counted_as_they_are():
    """The figures of docs/walks.md are those of its lists, and in CONTRIBUTING.md."""
    contributing = (ROOT / 'CONTRIBUTING.md').read_text()
    for walk in (ROOT / 'docs' / 'walks.md').read_text().split('\n## ')[1:]:
        steps = [Path(step) for step in re.findall(r'^\d+\. `([^`]+)`', walk, re.M)]
        missing = [step for step in steps if not (ROOT / 'gbs_irl_ros' / step).is_file()]
        assert missing == []
        changes = sum(one.parent != other.parent for one, other in itertools.pairwise(steps))
        assert f'{len(set(steps))} files, {changes} changes of folder.' in walk
        assert re.search(rf'\| {len(set(steps))}, {changes}, \d+ \|', contributing), walk[:40]


def test_every_strategy_is_on_the_page():
    from gbs_irl_ros.core import STRATEGIES
    text = (ROOT / 'docs' / 'core.md').read_text()
    assert [name for name in STRATEGIES if f'`{name}`' not in text] == []


def test_every_interface_is_on_the_page():
    text = (ROOT / 'docs' / 'interfaces.md').read_text()
    parts = {'SparseMatrix', 'NoiseModel', 'Rival', 'Step'}     # of other messages
    names = {path.stem for kind in ('msg', 'srv') for path in (ROOT / kind).iterdir()}
    assert [name for name in names - parts if f'`{name}`' not in text] == []


def test_a_node_of_ones_own_finds_the_answers_and_the_checksum_on_the_page():
    import numpy as np

    from gbs_irl_ros.core.answers import KINDS
    from gbs_irl_ros.core.policy import Policy
    from gbs_irl_ros.core.questions import QuestionKind
    from gbs_irl_ros.learning.records import PolicyRecord
    text = (ROOT / 'docs' / 'interfaces.md').read_text().split('## A node of your own')[1]
    rows = re.findall(r'^\| `(\w+)` \| ([^|]+) \| ([^|]*)\|$', text.split('| `kind`')[1], re.M)
    said = {kind: (fits.strip(), set(re.findall(r'\w+', given))) for kind, fits, given in rows}
    assert said == {
        kind: ('any' if set(each.fits) == set(QuestionKind) else
               ', '.join(f'`{fit.value}`' for fit in each.fits), set(each.given))
        for kind, each in KINDS.items()}
    block, names = re.search(r'```python\n(.*?)```', text, re.S)[1], {}
    exec(block, names)
    sets, confidence, goals = [3, 1 << 40, 1], [0.5, 1.0, 0.25], [2]
    for never in ([], [0, 1]):
        record = PolicyRecord('über', 7, 'ab12', Policy(
            np.array(sets), np.array(confidence), np.array(goals), 64, np.array(never, dtype=int)),
            final=True)
        assert names['checksum'](
            'über', 7, 'ab12', True, sets, confidence, goals, never) == record.checksum


def test_every_node_and_every_argument_is_on_the_page():
    from gbs_irl_ros.launching.process_table import ARGUMENTS
    text = (ROOT / 'docs' / 'system.md').read_text()
    nodes = {path.stem for path in (ROOT / 'gbs_irl_ros' / 'nodes').glob('[a-z]*.py')}
    assert [name for name in nodes if f'| `{name}` |' not in text] == []
    listed = text.split('list the arguments:')[1].split('\n\n')[0]
    assert [each.name for each in ARGUMENTS if f'`{each.name}`' not in listed] == []
    defaults = {each.name: each.default for each in ARGUMENTS}
    for page in [ROOT / 'README.md', *(ROOT / 'docs').glob('*.md')]:
        for name, value, default in re.findall(r'`([a-z]\w*):=([^`\s]*)`( is the default)?',
                                               page.read_text()):
            assert name in defaults, f'{page.name}: {name}:='
            assert not default or defaults[name] == value, f'{page.name}: {name}:={value}'


def test_every_command_of_the_page_is_on_its_page():
    source = (ROOT / 'gbs_irl_ros' / 'teaching' / 'web' / 'commands.py').read_text()
    commands = re.findall(r"'(\w+)': Command\(", source)
    assert len(commands) >= 15
    text = (ROOT / 'docs' / 'page.md').read_text()
    assert [name for name in commands if f'`{name}`' not in text] == []


def test_every_key_of_the_page_is_on_its_page():
    from gbs_irl_ros.core.answers import ANSWER_KEYS
    from gbs_irl_ros.teaching.keys import DIGITS, RESERVED, SEVERAL, START_OVER
    page = (ROOT / 'gbs_irl_ros' / 'teaching' / 'web' / 'page' / 'keyboard.js').read_text()
    keys = [*ANSWER_KEYS,
            *re.findall(r"^  '?(.)'?: ", page.split('const KEYS')[1].split('};')[0], re.M)]
    # The terminal alone is left by q, starts over by ! and marks several by +; digits choose from
    # lists alone.
    assert set(keys) - DIGITS - {SEVERAL} == RESERVED - {' ', 'q', START_OVER, SEVERAL}
    text = (ROOT / 'docs' / 'page.md').read_text()
    assert [key for key in keys if f'`{key}`' not in text] == []


def test_every_reason_why_a_robot_stands_is_in_the_table_of_its_page():
    from gbs_irl_ros.learning.execution import ExecutionReason
    text = (ROOT / 'docs' / 'your_robot.md').read_text()
    rows = re.findall(r'^\| `([a-z0-9_]+)` \| [^|]+ \| [^|]+ \|$', text, re.M)
    for_no_owner = {'no_reason', 'starting'}        # there is nothing to be done
    assert sorted(rows) == sorted({reason.value for reason in ExecutionReason} - for_no_owner)


def test_tests_that_are_named_exist():
    written = (ROOT / 'docs' / 'testing.md').read_text()
    tests = ''.join(file.read_text() for file in (ROOT / 'test').rglob('test_*.py'))
    assert [name for name in re.findall(r'`(test_[a-z0-9_]+)`', written)
            if f'def {name}(' not in tests] == []


def test_headings_go_down_one_level_at_a_time():
    """As `make docs` wants it; that takes too long here."""
    for page in PAGES:
        text = re.sub(r'^ *```.*?^ *```', '', page.read_text(), flags=re.S | re.M)
        levels = [len(marks) for marks in re.findall(r'^(#+) ', text, re.M)]
        jumps = [number for number, (one, other) in enumerate(itertools.pairwise(levels))
                 if other > one + 1]
        assert jumps == [], f'{page.name}: heading {jumps[0] + 2} of {len(levels)}'


def test_every_page_is_on_the_site():
    """`make docs` fails otherwise; that takes too long here."""
    index = (ROOT / 'docs' / 'index.md').read_text()
    listed = re.findall(r'^([a-z0-9_/]+)$', index, re.M)
    pages = {str(page.relative_to(ROOT / 'docs').with_suffix(''))
             for page in (ROOT / 'docs').rglob('*.md')} - {'index'}
    assert sorted(listed) == sorted(pages)
