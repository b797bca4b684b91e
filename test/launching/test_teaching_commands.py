"""`teach` and `demo`: what a person types, and what is started."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from waiting import patience

pytest.importorskip('rclpy', reason='needs ROS 2')

from gbs_irl_ros.launching import own_domain, teaching_commands
from gbs_irl_ros.launching.gazebo import Program
from gbs_irl_ros.launching.process_table import ARGUMENTS
from gbs_irl_ros.launching.teaching_commands import demo, teach
from gbs_irl_ros.tasks import find_task

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]


@pytest.fixture
def runs(monkeypatch):
    """What would be run; nothing is."""
    made = []

    def run_together(commands, environment, *, announced):
        assert announced
        folders = [Path(word.removeprefix('journal_dir:=').strip('"')) for command in commands
                   for word in command.arguments if word.startswith('journal_dir:=')]
        made.append(({command.name: command for command in commands}, environment, folders,
                     [folder.is_dir() for folder in folders]))
        return 7
    monkeypatch.setattr(teaching_commands, 'run_together', run_together)
    return made


WRONG = [
    (['taks:=room'], r"unknown argument 'taks'; .* Did you mean 'task'\?"),
    (['task:=rom'], r"rom: is not a task.* Did you mean 'room'\?"),
    (['robot:=gazbo'], r"robot: unknown value 'gazbo'; known: "),
    (['params_file:=mine.yaml'], r"params_file: there is no file 'mine.yaml'"),
    (['room'], r"arguments are written NAME:=VALUE, got 'room'; see them all with --show-args"),
    (['task=room'], r"arguments are written NAME:=VALUE, got 'task=room'"),
    (['-x'], r"arguments are written NAME:=VALUE, got '-x'"),
]


class TestTeach:
    @pytest.mark.parametrize('word', ['--show-args', '-s', '--help', '-h'])
    def test_it_shows_its_arguments(self, runs, capsys, word):
        assert teach([word]) == 0
        output = capsys.readouterr()
        assert output.err == ''
        assert output.out.startswith('Start the teaching system: teach NAME:=VALUE ...\n')
        for argument in ARGUMENTS:
            assert f'\n  {argument.name}:={argument.default or chr(39) * 2}\n' \
                   f'      {argument.description}\n' in output.out
        assert '      One of: gui, teleop, simulated, none\n' in output.out
        assert runs == []

    @for_each(('words', 'text'), WRONG)
    def test_what_is_typed_wrongly_is_said_in_one_line_with_exit_code_2(
            self, runs, capsys, words, text):
        assert teach(words) == 2
        output = capsys.readouterr()
        assert re.match(text, output.err)
        assert output.err.count('\n') == 1
        assert output.out == ''
        assert runs == []

    def test_a_task_file_that_is_wrong_ends_it_before_anything_is_started(
            self, runs, capsys, tmp_path):
        file = tmp_path / 'flat.yaml'
        file.write_text(find_task('room').read_text().replace('kind: map', 'kind: mapp'))
        for given in ([f'task:={file}'], [f'task:={file}', 'demonstrator:=simulated']):
            assert teach(given) == 2
            output = capsys.readouterr()
            assert re.match(rf"{re.escape(str(file))}:\d+: world\.kind: .*Did you mean 'map'\?",
                            output.err), output.err
            assert (output.out, runs) == ('', [])

    def test_it_returns_the_exit_code_of_what_it_runs(self, runs):
        assert teach([]) == 7
        assert len(runs) == 1

    def test_it_starts_the_processes_of_the_table(self, runs):
        teach(['task:=trap_world', 'demonstrator:=teleop', 'namespace:=robot'])
        commands, environment, *_ = runs[0]
        assert list(commands) == ['mdp', 'learner', 'teleop', 'controller', 'simulator',
                                  'visualiser']
        assert commands['mdp'].arguments[:4] == (
            sys.executable, '-m', 'gbs_irl_ros.nodes', 'mdp')
        assert 'task:="trap_world"' in commands['mdp'].arguments
        assert all('__ns:=/robot' in command.arguments for command in commands.values())
        assert environment['PYTHONPATH'].split(os.pathsep)[0] == str(ROOT)

    def test_only_who_reads_the_keyboard_leads(self, runs):
        teach(['demonstrator:=teleop'])
        commands = runs[0][0]
        assert [name for name, each in commands.items() if each.leads] == ['teleop']
        assert [name for name, each in commands.items() if each.needs_terminal] == ['teleop']

    def test_without_words_a_person_teaches_at_the_page(self, runs):
        teach([])
        commands = runs[0][0]
        assert list(commands) == ['mdp', 'learner', 'gui', 'controller', 'simulator',
                                  'visualiser']
        assert 'lesson:="room"' in commands['gui'].arguments
        assert 'allow_motion:=false' in commands['controller'].arguments

    def test_a_simulated_teacher_and_its_robot_need_nobody(self, runs):
        teach(['demonstrator:=simulated'])
        commands = runs[0][0]
        assert list(commands) == ['mdp', 'learner', 'demonstrator', 'controller', 'simulator',
                                  'visualiser']
        assert 'allow_motion:=true' in commands['controller'].arguments

    @pytest.mark.parametrize('teacher', ['gui', 'simulated', 'none'])
    def test_without_a_keyboard_none_leads(self, runs, teacher):
        teach([f'demonstrator:={teacher}'])
        assert not any(each.leads or each.needs_terminal for each in runs[0][0].values())

    def test_a_path_of_python_that_is_set_is_kept(self, runs, monkeypatch):
        monkeypatch.setenv('PYTHONPATH', '/one:/two')
        teach([])
        assert runs[0][1]['PYTHONPATH'] == f'{ROOT}:/one:/two'

    def test_without_one_there_is_no_empty_entry(self, runs, monkeypatch):
        monkeypatch.delenv('PYTHONPATH', raising=False)
        teach([])
        assert runs[0][1]['PYTHONPATH'] == str(ROOT)

    def test_without_gazebo_one_sentence_says_how_to_get_it(self, runs, capsys, monkeypatch):
        monkeypatch.setenv('PATH', '')
        assert teach(['robot:=gazebo']) == 2
        output = capsys.readouterr()
        assert re.match(r'robot: there is no Gazebo .* `sudo apt install ros-\w+-ros-gz`',
                        output.err)
        assert output.err.count('\n') == 1
        assert runs == []

    def test_gazebo_starts_before_the_nodes(self, runs, monkeypatch):
        monkeypatch.setattr(teaching_commands, 'programs', lambda given: [
            Program('gazebo', ('gz', 'sim')), Program('bridge', ('b',), guarded=False),
            Program('gazebo_gui', ('gz', 'sim', '-g'), needed=False)])
        teach(['robot:=gazebo'])
        commands = runs[0][0]
        assert list(commands) == ['gazebo', 'bridge', 'gazebo_gui', 'mdp', 'learner', 'gui',
                                  'controller', 'relay', 'visualiser']
        assert commands['gazebo'].arguments[-2:] == ('gz', 'sim')
        assert [name for name, each in commands.items() if not each.needed] == [
            'gazebo_gui', 'gui', 'visualiser']
        assert not any(each.respawn for each in list(commands.values())[:3])

    def test_values_may_hold_the_sign_themselves(self, runs):
        teach(['lesson:=a:=b'])
        assert 'lesson:="a:=b"' in runs[0][0]['learner'].arguments


class TestDemo:
    def test_it_teaches_the_default_task_and_draws_it(self, runs):
        assert demo([]) == 7
        commands = runs[0][0]
        assert list(commands) == ['mdp', 'learner', 'demonstrator', 'controller', 'simulator',
                                  'visualiser', 'judge']
        assert {'task:="room"', 'picture:="demo.png"'} <= set(commands['judge'].arguments)
        assert 'task:="room"' in commands['mdp'].arguments

    def test_task_and_picture_may_be_given(self, runs):
        demo(['trap_world', 'mine.png'])
        commands = runs[0][0]
        assert {'task:="trap_world"', 'picture:="mine.png"'} <= set(commands['judge'].arguments)
        assert 'task:="trap_world"' in commands['demonstrator'].arguments

    def test_the_judge_decides_and_lets_the_robot_drive(self, runs):
        demo([])
        commands = runs[0][0]
        assert [name for name, each in commands.items() if each.leads] == ['judge']
        assert 'allow_motion:=false' in commands['controller'].arguments

    def test_its_journal_is_kept_for_no_longer_than_it_runs(self, runs):
        demo([])
        _, _, folders, there = runs[0]
        assert there == [True]
        assert not folders[0].exists()

    def test_it_is_alone(self, runs, monkeypatch):
        monkeypatch.delenv('ROS_DOMAIN_ID', raising=False)
        demo([])
        environment = runs[0][1]
        assert int(environment['ROS_DOMAIN_ID']) in own_domain.DOMAINS
        assert environment['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'

    def test_where_every_domain_is_taken_it_says_so(self, runs, monkeypatch, capsys):
        monkeypatch.delenv('ROS_DOMAIN_ID', raising=False)
        other = own_domain.OwnDomain()
        monkeypatch.setattr(own_domain, 'DOMAINS', [other.number])
        assert demo([]) == 2
        assert capsys.readouterr().err == (
            f'the ROS domains {other.number} to {other.number} are all in use on this machine; '
            'end what runs there, or set ROS_DOMAIN_ID\n')
        assert runs == []
        other.release()

    def test_a_domain_that_is_set_is_kept(self, runs, monkeypatch):
        monkeypatch.setenv('ROS_DOMAIN_ID', '42')
        demo([])
        assert runs[0][1]['ROS_DOMAIN_ID'] == '42'

    def test_an_unknown_task_ends_it_with_exit_code_2(self, runs, capsys):
        assert demo(['rom']) == 2
        assert re.match(r"rom: is not a task.* Did you mean 'room'\?\n$", capsys.readouterr().err)
        assert runs == []


@pytest.mark.parametrize(('script', 'words'), [('teach', ['task:=rom']), ('demo', ['rom'])])
def test_the_scripts_end_with_the_exit_code_and_without_a_traceback(script, words):
    done = subprocess.run(
        [sys.executable, str(ROOT / 'scripts' / script), *words], capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))},
        timeout=patience(120))
    assert done.returncode == 2
    assert re.match(r"rom: is not a task.* Did you mean 'room'\?\n$", done.stderr), done.stderr
    assert done.stdout == ''
    assert os.access(ROOT / 'scripts' / script, os.X_OK)


@for_each('script, code', [('teach', 0), ('demo', 0), ('gbs-irl', 130)])
def test_ctrl_c_while_a_command_is_still_importing_ends_it_without_a_word(tmp_path, script, code):
    package = tmp_path / 'gbs_irl_ros'
    (package / 'core').mkdir(parents=True)
    (package / '__init__.py').write_text('import os; os.kill(os.getpid(), 2)\n')
    (tmp_path / 'scripts').mkdir()
    copied = shutil.copy(ROOT / 'scripts' / script, tmp_path / 'scripts')
    done = subprocess.run([sys.executable, str(copied), 'check', 'room'], text=True,
                          capture_output=True, env={**os.environ, 'PYTHONPATH': str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (code, '', '')
