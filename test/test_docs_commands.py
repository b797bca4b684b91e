"""Every command of the documentation exists, with these words; those that are cheap are run."""

from __future__ import annotations

import itertools
import re
import shlex
from pathlib import Path

import pytest
import yaml
from cases import for_each

ROOT = Path(__file__).parent.parent
PAGES = sorted(page for folder in ('.', 'docs', 'examples', '.github')
               for page in (ROOT / folder).glob('*.md' if folder == '.' else '**/*.md'))
FENCE = re.compile(r'^ *```(\w*)\n(.*?)^ *```', re.S | re.M)
BEGINNING = re.compile(r'(?:tools/ros-env )?(?:make|ros2 (?:launch|run) gbs_irl_ros|gbs-irl|teach|'
                       r'demo|python|tools/\S+) ')


def commands_of(page):
    """Yield what a page says may be typed: lines of blocks, and what is in backticks."""
    text = page.read_text()
    for language, block in FENCE.findall(text):
        if language in ('', 'sh', 'bash'):
            for line in block.replace('\\\n', ' ').splitlines():
                for part in re.split(r' && |; ', line.strip()):
                    yield f'{part} '
    for code in re.findall(r'`([^`]+)`', FENCE.sub('', text)):
        yield f'{" ".join(code.split())} '


COMMANDS = sorted({(page, words) for page in PAGES for command in commands_of(page)
                   if BEGINNING.match(command)
                   and len(words := tuple(shlex.split(command, comments=True))) > 1})
IDS = [f'{page.name}: {" ".join(words)}' for page, words in COMMANDS]


def check_make(words):
    makefile = (ROOT / 'Makefile').read_text()
    target, *more = words
    assert re.search(rf'^{target}:.*##', makefile, re.M), f'make {target}'
    given = dict(word.split('=', 1) for word in more)
    for name in given:
        assert f'$({name})' in makefile, f'make {target} {name}='
    if 'ONLY' in given:
        assert set(given['ONLY'].split(',')) <= PARTS_OF[target](), given['ONLY']
    if 'TASK' in given:
        check_task(given['TASK'])


def measurements():
    return {name for file in (ROOT / 'bench').glob('*.py')
            for name in re.findall(r"^NAME = '(\w+)'", file.read_text(), re.M)}


def soaked():
    parts = re.search(r'^PARTS = \((.*?)\)', (ROOT / 'soak' / 'run.py').read_text(), re.S | re.M)
    return set(re.findall(r"'(\w+)'", parts[1]))


def experiments():
    from gbs_irl_ros.experiments.command import OWN, SWEEPS
    return {*SWEEPS, *(own.name for own in OWN)}


PARTS_OF = {'bench': measurements, 'soak': soaked, 'paper': experiments}


def check_task(name):
    from gbs_irl_ros.tasks import shipped_tasks
    assert name in shipped_tasks() or name.endswith('.yaml'), f'task {name}'


def check_teach(words):
    """Check the arguments of the launch file and of `teach`."""
    from gbs_irl_ros.launching.process_table import ARGUMENTS
    known = {argument.name: argument for argument in ARGUMENTS}
    for word in words:
        if word == '--show-args':
            continue
        name, assigned, value = word.partition(':=')
        assert assigned, f'{word}: expected NAME:=VALUE'
        assert name in known, f'argument {name}'
        assert not known[name].choices or value in known[name].accepted, word
        if name == 'task':
            check_task(value)
        if name == 'robot_config' and '.' not in value:
            assert (ROOT / 'config' / 'robots' / f'{value}.yaml').exists(), word


def check_run(words):
    """Check the name and the parameters of a node."""
    node, *more = words
    assert (ROOT / 'scripts' / node).exists(), f'node {node}'
    blocks = yaml.safe_load((ROOT / 'config' / 'params.yaml').read_text())
    known = blocks.get(f'/**/{node}', {}).get('ros__parameters', {})
    for option, value in itertools.pairwise(more):
        if option == '-p':
            assert value.split(':=')[0] in known, f'parameter {value} of {node}'


def check_gbs_irl(words, capsys):
    """Let the parser of the command read the words; in a sentence the file may be left out."""
    from gbs_irl_ros.cli.main import make_parser
    if '...' in words:
        return
    words = list(words)[:words.index('>')] if '>' in words else list(words)
    for more in ((), ('room',), ('belief', 'room'), ('room', '-o', 'folder')):
        try:
            make_parser().parse_args([*words, *more])
        except SystemExit as error:
            if error.code == 0:
                return
            said = capsys.readouterr().err
        else:
            return
    raise AssertionError(said)


def check_python(words):
    """Check that a module or a script is there; and the names of experiments."""
    if words[0] != '-m':
        assert (ROOT / words[0]).is_file(), words[0]
        return
    if words[1] == 'build':
        return      # not ours
    path = ROOT / words[1].replace('.', '/')
    assert path.with_suffix('.py').exists() or (path / '__main__.py').exists(), words[1]


def check(words, capsys):
    first, *more = words
    if first == 'tools/ros-env':
        if not more[0].isupper():       # `tools/ros-env COMMAND`
            check(more, capsys)
    elif first == 'make':
        check_make(more)
    elif first == 'ros2':
        if words[1] == 'launch':
            assert (ROOT / 'launch' / words[3]).exists(), words[3]
            check_teach(more[3:])
        else:
            check_run(more[2:])
    elif first == 'teach':
        check_teach(more)
    elif first == 'demo':
        check_task(more[0])
        check_teach([word for word in more[1:] if ':=' in word])
    elif first == 'gbs-irl':
        check_gbs_irl(more, capsys)
    elif first == 'python':
        check_python(more)
    elif first.startswith('tools/'):
        assert (ROOT / first).is_file(), first


def test_commands_are_found():
    """Or the tests below would pass for want of them."""
    pages = {page.name for page, _ in COMMANDS}
    assert {'README.md', 'system.md', 'your_robot.md', 'releasing.md', 'paper.md'} <= pages
    assert len(COMMANDS) > 120


@pytest.mark.slow
@for_each(('page', 'words'), COMMANDS, ids=IDS)
def test_a_command_exists_with_these_words(page, words, capsys):
    check(words, capsys)


def test_a_command_that_does_not_exist_is_noticed(capsys):
    for command in ('make dinner', 'make demo TASKS=room', 'make bench ONLY=nothing',
                    'ros2 launch gbs_irl_ros teech.launch.py', 'tools/ros-env teach tsk:=room',
                    'ros2 launch gbs_irl_ros teach.launch.py robot:=dog', 'demo nowhere',
                    'ros2 run gbs_irl_ros lerner', 'gbs-irl asking room', 'gbs-irl show --pgn x',
                    'ros2 run gbs_irl_ros learner --ros-args -p stratgy:=gbs',
                    'python -m gbs_irl_ros.experimnts', 'tools/lok.py'):
        with pytest.raises((AssertionError, KeyError)):
            check(shlex.split(command), capsys)


# Those that need no file of the reader's, no answer of a person and no minutes.
CHEAP = sorted({words[words.index('gbs-irl'):] for _, words in COMMANDS
                if {'gbs-irl', 'plugins'} <= set(words)
                or ({'gbs-irl', 'room'} <= set(words) and {'show', 'world'} & set(words))})


@pytest.mark.slow
def test_cheap_commands_are_run(tmp_path, monkeypatch, capsys):
    from gbs_irl_ros.cli.main import main
    assert len(CHEAP) >= 4, CHEAP
    monkeypatch.chdir(tmp_path)
    for words in CHEAP:
        assert main(words[1:]) == 0, f'{" ".join(words)}: {capsys.readouterr().err}'
    assert (tmp_path / 'room-16.png').exists()      # as README.md says


def slug(heading):
    """Return the anchor that a forge gives to a heading."""
    plain = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading).replace('`', '')
    return re.sub(r'[^\w\- ]', '', plain.strip().lower()).replace(' ', '-')


@for_each('page', PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file_and_its_heading(page):
    text = FENCE.sub('', page.read_text())
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if target.startswith('https://'):
            continue
        name, _, anchor = target.partition('#')
        file = page.parent / name if name else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r'^#+ (.*)$', FENCE.sub('', file.read_text()), re.M)
            assert anchor in map(slug, headings), target
