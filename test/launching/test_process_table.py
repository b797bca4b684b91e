"""The table of the teaching system, and that its two readers start the same."""

from __future__ import annotations

import ast
import itertools
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from rclpy.context import Context
from rclpy.logging import LoggingSeverity, set_logger_level

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching import process_table, teaching_commands
from gbs_irl_ros.launching.gazebo import Program
from gbs_irl_ros.launching.process_table import (
    ARGUMENTS,
    PROCESSES,
    ArgumentError,
    checked,
    command_for_a_terminal,
    namespace_rules,
    parameter_files,
    parameters,
    remappings,
    repeated_arguments,
    ros_arguments,
    terminal_arguments,
)
from gbs_irl_ros.launching.supervision import RESPAWN_DELAY_S, ProcessEndedError
from gbs_irl_ros.learning import folders
from gbs_irl_ros.learning.folders import config_folder
from gbs_irl_ros.tasks import find_task

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]
LAUNCH_FILE = ROOT / 'launch' / 'teach.launch.py'


def process(name):
    return next(each for each in PROCESSES if each.executable == name)


def started(**given):
    values = checked(given)
    return [each.executable for each in PROCESSES if each.wanted(values)]


class TestArguments:
    def test_without_any_all_have_their_defaults(self):
        assert checked({}) == {argument.name: argument.default for argument in ARGUMENTS}

    def test_every_default_is_one_of_the_choices(self):
        for argument in ARGUMENTS:
            assert not argument.choices or argument.default in argument.choices, argument.name
            assert argument.description.endswith('.'), argument.name

    def test_an_unknown_one_is_refused_with_the_nearest_name(self):
        with pytest.raises(GbsIrlError, match=r"unknown argument 'taks'; known: "
                                              r"\['allow_large', 'allow_motion'.*\]\. Did you "
                                              r"mean 'task'\?"):
            checked({'taks': 'room'})

    @for_each(('name', 'value', 'text'), [
        ('demonstrator', 'simulted', r"demonstrator: unknown value 'simulted'; known: \['gui', "
                      r"'none', 'simulated', 'teleop'\]\. Did you mean "
                      r"'simulated'\?"),
        ('robot', 'gazbo', r"robot: unknown value 'gazbo'; known: \['gazebo', 'none', 'own', "),
        ('strategy', 'entropy', r"strategy: unknown value 'entropy'; known: \['', "),
        ('allow_motion', 'yes', r"allow_motion: unknown value 'yes'; known: \['auto', "),
        ('use_sim_time', 'treu', r"use_sim_time: unknown value 'treu'.* Did you mean 'true'\?"),
        ('scan', 'front scan', r"scan: must be the name of a topic, got 'front scan'"),
        ('odom', 'a//b', r"odom: must be the name of a topic, got 'a//b'"),
        ('cmd_vel', '9', r"cmd_vel: must be the name of a topic, got '9'"),
        ('robot_config', 'turtlebot', r"robot_config: there is no file 'turtlebot', and no robot "
         r"of that name; known: \['gazebo', 'turtlebot3', 'turtlebot4'\]"),
        ('log_level', 'warning', r"log_level: unknown value 'warning'.* Did you mean 'warn'\?"),
    ])
    def test_a_wrong_choice_is_refused_with_the_right_ones(self, name, value, text):
        with pytest.raises(ArgumentError, match=text):
            checked({name: value})

    def test_a_flag_may_be_written_as_python_does(self):
        assert checked({'use_sim_time': 'True', 'allow_large': 'False'}).items() >= {
            'use_sim_time': 'true', 'allow_large': 'false'}.items()
        for argument in ARGUMENTS:
            assert ('True' in argument.accepted) == ('true' in argument.choices)

    def test_behind_a_relay_the_robot_listens_elsewhere(self):
        for given in ({'cmd_vel': 'cmd_vel'}, {'cmd_vel': '/cmd_vel'},
                      {'cmd_vel': '/flat/cmd_vel', 'namespace': 'flat'}):
            with pytest.raises(ArgumentError, match=(
                    'cmd_vel: everybody who drives commands on cmd_vel, from where the relay '
                    'passes commands on; the robot must take them from another topic')):
                checked({**given, 'robot': 'own', 'relay': 'true'})
            checked({**given, 'robot': 'own'})
            checked({**given, 'robot': 'none', 'relay': 'true'})

    def test_every_argument_with_choices_refuses_others(self):
        for argument in ARGUMENTS:
            if argument.choices:
                with pytest.raises(ArgumentError, match=f"{argument.name}: unknown value 'x'"):
                    checked({argument.name: 'x'})

    @for_each(('task', 'text'), [
        ('rom', r"rom: is not a task.* Did you mean 'room'\?"),
        ('nowhere.yaml', r'nowhere\.yaml: cannot be found; expected a task file'),
        ('', 'is not a task')])
    def test_an_unknown_task_is_refused(self, task, text):
        with pytest.raises(GbsIrlError, match=text):
            checked({'task': task})

    def test_a_simulated_teacher_needs_a_task_that_says_what_is_meant(self, tmp_path):
        original = find_task('trap_world').read_text()
        lines = original.splitlines()
        first = next(number for number, line in enumerate(lines) if line.startswith('truth:'))
        rest = next((number for number, line in enumerate(lines[first + 1:], first + 1)
                     if line[:1].strip()), len(lines))
        file = tmp_path / 'trap.yaml'
        file.write_text('\n'.join(lines[:first] + lines[rest:]))
        with pytest.raises(GbsIrlError, match='truth: is missing; a simulated teacher needs it'):
            checked({'task': str(file), 'demonstrator': 'simulated'})
        for person in ('gui', 'teleop', 'none'):
            assert checked({'task': str(file), 'demonstrator': person})['task'] == str(file)

    def test_a_parameter_file_that_is_not_there_is_refused(self):
        with pytest.raises(ArgumentError, match=r"params_file: there is no file 'mine\.yaml'"):
            checked({'params_file': 'mine.yaml'})

    @for_each('namespace', ['two words', '1st', 'a//b', 'a-b'])
    def test_a_namespace_that_ros_does_not_allow_is_refused(self, namespace):
        with pytest.raises(ArgumentError, match='namespace'):
            checked({'namespace': namespace})


class TestTable:
    def test_the_default_is_a_person_at_the_page_and_a_simulated_robot(self):
        assert started() == ['mdp', 'learner', 'gui', 'controller', 'simulator', 'visualiser']

    def test_everything_can_be_simulated(self):
        assert started(demonstrator='simulated') == [
            'mdp', 'learner', 'demonstrator', 'controller', 'simulator', 'visualiser']

    @for_each(('given', 'present', 'absent'), [
        ({'demonstrator': 'gui'}, {'gui'}, {'demonstrator', 'teleop'}),
        ({'demonstrator': 'teleop'}, {'teleop'}, {'demonstrator', 'gui'}),
        ({'demonstrator': 'simulated'}, {'demonstrator'}, {'gui', 'teleop'}),
        ({'demonstrator': 'none'}, set(), {'demonstrator', 'gui', 'teleop'}),
        ({'robot': 'own'}, {'controller'}, {'simulator', 'relay'}),
        ({'robot': 'own', 'relay': 'true'}, {'controller', 'relay'}, {'simulator'}),
        ({'robot': 'simulator', 'relay': 'true'}, {'controller', 'relay', 'simulator'}, set()),
        ({'robot': 'gazebo'}, {'controller', 'relay'}, {'simulator'}),
        ({'robot': 'gazebo', 'relay': 'false'}, {'controller'}, {'simulator', 'relay'}),
        ({'robot': 'none', 'relay': 'true'}, set(), {'controller', 'simulator', 'relay'})])
    def test_arguments_choose_the_processes(self, given, present, absent):
        names = set(started(**given))
        assert present <= names
        assert not absent & names
        assert {'mdp', 'learner', 'visualiser'} <= names

    def test_of_itself_only_a_simulated_robot_of_a_simulated_teacher_may_drive(self):
        may = {(robot, teacher) for robot in ('simulator', 'gazebo', 'own')
               for teacher in ('gui', 'teleop', 'simulated', 'none')
               if parameters(process('controller'), checked(
                   {'robot': robot, 'demonstrator': teacher}))['allow_motion']}
        assert may == {('simulator', 'simulated'), ('gazebo', 'simulated')}

    @for_each('teacher', ['gui', 'teleop', 'simulated', 'none'])
    @for_each('robot', ['simulator', 'gazebo', 'own'])
    @for_each(('word', 'allowed'), [('true', True), ('false', False)])
    def test_whoever_says_so_decides(self, robot, teacher, word, allowed):
        given = checked({'robot': robot, 'demonstrator': teacher, 'allow_motion': word})
        assert parameters(process('controller'), given)['allow_motion'] is allowed

    def test_only_who_says_so_leaves_the_controller_to_a_lifecycle_manager(self):
        assert 'autostart' not in parameters(process('controller'), checked({}))
        given = checked({'autostart': 'false'})
        assert parameters(process('controller'), given)['autostart'] is False

    def test_the_task_goes_to_those_who_may_know_it(self):
        given = checked({'task': 'trap_world'})
        told = {each.executable for each in PROCESSES
                if parameters(each, given).get('task') == 'trap_world'}
        assert told == {'mdp', 'demonstrator'}

    def test_an_empty_strategy_and_lesson_leave_those_of_the_file(self):
        assert parameters(process('learner'), checked({})) == {}
        given = checked({'strategy': 'gbs3', 'lesson': 'mine', 'person': 'anna', 'study': 'P07',
                         'use_sim_time': 'true'})
        assert parameters(process('learner'), given) == {
            'strategy': 'gbs3', 'lesson': 'mine', 'person': 'anna', 'study': 'P07',
            'use_sim_time': True}

    def test_the_code_of_a_participant_can_name_a_file(self):
        with pytest.raises(ArgumentError, match=r'^study: the code of a participant must have 1 '
                                                r"to 40 .* got '\.\./P07'$"):
            checked({'study': '../P07'})

    def test_what_was_taught_is_a_file_that_is_there(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / 'a.taught.json').touch()
        assert parameters(process('learner'), checked({'taught': 'a.taught.json'}))['taught'] \
            == str(tmp_path / 'a.taught.json')
        with pytest.raises(ArgumentError, match=r"taught: there is no file 'b\.taught\.json'"):
            checked({'taught': 'b.taught.json'})

    @for_each(('given', 'lesson'), [
        ({}, 'room'), ({'task': 'trap_world'}, 'trap_world'), ({'lesson': 'mine'}, 'mine'),
        ({'task': str(find_task('trap_world'))}, 'trap_world')])
    def test_the_page_is_that_of_the_lesson_or_else_of_the_task(self, given, lesson):
        assert parameters(process('gui'), checked(given)) == {'lesson': lesson}

    def test_in_gazebo_every_node_has_its_time(self):
        for each in PROCESSES:
            assert parameters(each, checked({'robot': 'gazebo'}))['use_sim_time'] is True
            assert parameters(each, checked(
                {'robot': 'gazebo', 'use_sim_time': 'False'}))['use_sim_time'] is False
            assert 'use_sim_time' not in parameters(each, checked({'robot': 'own'}))

    def test_whoever_can_be_done_without_ends_alone(self):
        assert {each.executable for each in PROCESSES if not each.needed} == {'gui', 'visualiser'}

    @for_each(('given', 'controller', 'relay', 'simulator'), [
        ({}, [], [], []),
        ({'odom': '/base/odom', 'scan': 'front'}, *3 * [[('odom', '/base/odom'),
                                                         ('scan', 'front')]]),
        ({'cmd_vel': 'base/cmd'}, [('cmd_vel', 'base/cmd')], [('cmd_vel_out', 'base/cmd')],
         [('cmd_vel', 'base/cmd')]),
        ({'relay': 'true'}, [], [], [('cmd_vel', 'cmd_vel_out')]),
        ({'relay': 'true', 'cmd_vel': 'base/cmd'}, [], [('cmd_vel_out', 'base/cmd')],
         [('cmd_vel', 'base/cmd')])])
    def test_topics_of_the_robot_may_have_other_names(self, given, controller, relay, simulator):
        """Behind a relay all drive on cmd_vel, whatever the robot listens to."""
        given = checked(given)
        assert [remappings(process(name), given)
                for name in ('controller', 'gui', 'relay', 'simulator')] \
            == [controller, controller, relay, simulator]
        for name, other in controller:
            assert f'{name}:={other}' in ros_arguments(process('teleop'), given)

    def test_every_combination_of_arguments_fits_together(self, monkeypatch):
        """One teacher, one robot, one clock; whoever drives is heard by the robot."""
        for name in ('load_truth', 'load_task'):
            monkeypatch.setattr(process_table, name, lambda *given, **options: None)
        names = ('demonstrator', 'robot', 'relay', 'use_sim_time', 'cmd_vel')
        choices = {each.name: each.choices for each in ARGUMENTS} | {'cmd_vel': ('', 'base/go')}
        for values in itertools.product(*(choices[name] for name in names)):
            given = checked(dict(zip(names, values, strict=True)))
            rows = {each.executable: each for each in PROCESSES if each.wanted(given)}
            teacher, robot = given['demonstrator'], given['robot']
            expected = {'mdp', 'learner', 'visualiser'} \
                | ({'simulated': {'demonstrator'}, 'none': set()}.get(teacher, {teacher})) \
                | (set() if robot == 'none' else {'controller'}) \
                | ({'simulator'} if robot == 'simulator' else set())
            assert rows.keys() - {'relay'} == expected, values
            clock = {'auto': True if robot == 'gazebo' else None, 'true': True, 'false': False}
            topics = {}
            for name, row in rows.items():
                found = parameters(row, given)
                assert found.get('use_sim_time') is clock[given['use_sim_time']], values
                topics[name] = dict(remappings(row, given))
            if robot == 'none':
                assert 'relay' not in rows
                continue
            driven = topics['controller'].get('cmd_vel', 'cmd_vel')
            heard = topics['relay'].get('cmd_vel_out', 'cmd_vel_out') if 'relay' in rows \
                else driven
            assert ('relay' in rows) == (heard != driven), values
            assert heard == (given['cmd_vel'] or ('cmd_vel_out' if 'relay' in rows
                                                  else 'cmd_vel')), values
            if robot == 'simulator':
                assert topics['simulator'].get('cmd_vel', 'cmd_vel') == heard, values

    def test_every_process_is_a_node_with_that_module(self):
        for each in PROCESSES:
            assert (ROOT / 'gbs_irl_ros' / 'nodes' / f'{each.executable}.py').is_file()
            assert (ROOT / 'scripts' / each.executable).is_file()


def understood(words, name, domain):
    """Return the node and the parameters that rclpy makes of command-line arguments."""
    context = Context()
    rclpy.init(args=words, context=context, domain_id=domain)
    try:
        node = rclpy.create_node(name, context=context, allow_undeclared_parameters=True,
                                 automatically_declare_parameters_from_overrides=True)
        values = {key: each.value for key, each in node.get_parameters_by_prefix('').items()}
        full_name = node.get_fully_qualified_name()
        node.destroy_node()
    finally:
        context.try_shutdown()
        set_logger_level('', LoggingSeverity.INFO)      # the arguments change it for the process
    return full_name, values


class TestCommandLine:
    @for_each(('namespace', 'full_name'), [
        ('', '/learner'), ('/', '/learner'), ('robot', '/robot/learner'),
        ('/robot', '/robot/learner'), ('robot/', '/robot/learner'),
        ('/fleet/one/', '/fleet/one/learner')])
    def test_the_namespace_is_that_of_the_node(self, domain, namespace, full_name):
        words = ros_arguments(process('learner'), checked({'namespace': namespace}))
        name, values = understood(words, 'learner', domain)
        assert name == full_name
        assert values['certainty'] == 0.95      # the file speaks of the node in any namespace

    @for_each('lesson', [
        '1', '1.5', 'true', 'null', '~', '1e3', 'a b', "it's", 'a "b"', 'a: b', 'a:=b', '[1]',
        '{a}', '- a', '#1', 'ümlaut', '日本', '\\', 'x\ty', ' ',
        '\U0001f600'])
    def test_a_string_stays_the_string_that_it_is(self, domain, lesson):
        given = checked({'lesson': lesson})
        _, values = understood(ros_arguments(process('learner'), given), 'learner', domain)
        assert values['lesson'] == lesson

    def test_numbers_and_flags_keep_their_type(self, domain):
        given = checked({'use_sim_time': 'true', 'robot': 'own'})
        _, values = understood(ros_arguments(process('controller'), given), 'controller', domain)
        assert values['use_sim_time'] is True
        assert values['allow_motion'] is False
        assert values['max_speed'] == 0.5

    def test_a_file_of_ones_own_wins_over_the_shipped_one_and_arguments_over_both(
            self, domain, tmp_path):
        file = tmp_path / 'mine.yaml'
        file.write_text('/**/learner:\n  ros__parameters:\n    certainty: 0.5\n'
                        '    strategy: gbs1\n    lesson: of the file\n')
        given = checked({'params_file': str(file), 'strategy': 'gbs3'})
        _, values = understood(ros_arguments(process('learner'), given), 'learner', domain)
        assert (values['certainty'], values['strategy'], values['lesson'], values['seed']) == (
            0.5, 'gbs3', 'of the file', 0)

    @for_each('namespace', ['', 'fleet/one'])
    @for_each('executable', ['controller', 'gui', 'teleop'])
    def test_what_is_shared_is_the_same_for_every_node_that_drives(
            self, domain, tmp_path, executable, namespace):
        file = tmp_path / 'mine.yaml'
        file.write_text('/**/*:\n  ros__parameters:\n    max_speed: 0.2\n    base_frame: torso\n'
                        '/**/controller:\n  ros__parameters:\n    base_frame: head\n')
        for given, speed, frame in (
                ({}, 0.5, 'base_link'),
                ({'params_file': str(file)}, 0.2,
                 'head' if executable == 'controller' else 'torso')):
            words = ros_arguments(process(executable), checked({**given, 'namespace': namespace}))
            _, values = understood(words, executable, domain)
            assert (values['max_speed'], values['base_frame']) == (speed, frame)
        _, values = understood([*words, '-p', 'max_speed:=0.1'], executable, domain)
        assert values['max_speed'] == 0.1

    def test_the_whole_system_may_be_set_for_all_nodes(self, domain, tmp_path):
        file = tmp_path / 'mine.yaml'
        file.write_text('/**:\n  ros__parameters:\n    max_turn: 0.3\n    allow_motion: false\n')
        given = checked({'params_file': str(file), 'allow_motion': 'true'})
        _, values = understood(ros_arguments(process('controller'), given), 'controller', domain)
        assert (values['max_turn'], values['allow_motion']) == (0.3, True)

    def test_a_relative_file_is_found_from_anywhere(self, tmp_path, monkeypatch):
        (tmp_path / 'mine.yaml').write_text('')
        monkeypatch.chdir(tmp_path)
        assert parameter_files(checked({'params_file': 'mine.yaml'})) == [
            str(ROOT / 'config' / 'params.yaml'), str(tmp_path / 'mine.yaml')]

    @for_each('level', ['debug', 'info', 'warn', 'error', 'fatal'])
    def test_every_log_level_is_one_of_ros(self, domain, level):
        words = ros_arguments(process('mdp'), checked({'log_level': level}))
        assert words[:3] == ['--ros-args', '--log-level', level]
        understood(words, 'mdp', domain)


class TestConfigFolder:
    def test_in_a_checkout_it_is_beside_the_package(self):
        assert config_folder() == ROOT / 'config'

    def test_installed_it_is_found_by_the_path_of_ament(self, tmp_path, monkeypatch):
        monkeypatch.setattr(folders, 'CHECKOUT', tmp_path / 'elsewhere')
        folder = tmp_path / 'second' / 'share' / 'gbs_irl_ros' / 'config'
        folder.mkdir(parents=True)
        monkeypatch.setenv('AMENT_PREFIX_PATH', f'{tmp_path / "first"}:{tmp_path / "second"}')
        assert config_folder() == folder

    def test_a_folder_that_only_looks_like_a_checkout_is_not_taken(self, tmp_path, monkeypatch):
        """Where packages are installed, another one may have a folder of that name."""
        (tmp_path / 'config').mkdir()
        monkeypatch.setattr(folders, 'CHECKOUT', tmp_path)
        monkeypatch.setenv('AMENT_PREFIX_PATH', '')
        with pytest.raises(GbsIrlError, match='the folder config of gbs_irl_ros cannot be '
                                                'found; source the workspace'):
            config_folder()

    def test_what_was_built_holds_it_too(self, monkeypatch, tmp_path):
        """The real installation, by the environment that the tests run in."""
        monkeypatch.setattr(folders, 'CHECKOUT', tmp_path)
        folder = config_folder()
        assert folder != ROOT / 'config'
        assert (folder / 'tasks').is_dir()


# ---- the other reader -----------------------------------------------------------------------

class Recorded(SimpleNamespace):
    """Stands for any class of launch: keeps what it is made of."""

    def __init__(self, *given, **options):
        super().__init__(kind=type(self).__name__, given=given, **options)


def recorded(name):
    return type(name, (Recorded,), {})


class Configuration(Recorded):
    def perform(self, context):
        return context.launch_configurations[self.given[0]]


def context_of(given, **around):
    """Return a context of launch as it is when arguments have their defaults."""
    return SimpleNamespace(argv=[], launch_configurations={
        **{argument.name: argument.default for argument in ARGUMENTS}, **given, **around})


@pytest.fixture
def launch_file(monkeypatch):
    """The launch file, read with classes in the place of launch that keep what they are given."""
    modules = {
        'launch': {'LaunchContext', 'LaunchDescription', 'LaunchDescriptionEntity'},
        'launch.actions': {'DeclareLaunchArgument', 'EmitEvent', 'ExecuteProcess', 'LogInfo',
                           'OpaqueFunction', 'RegisterEventHandler'},
        'launch.event_handlers': {'OnProcessIO'}, 'launch.events': {'matches_action'},
        'launch.events.process': {'ProcessExited', 'ProcessIO', 'ShutdownProcess'},
        'launch.logging': set(), 'launch.substitutions': set(), 'launch_ros': set(),
        'launch_ros.actions': {'Node'},
        'launch_ros.parameter_descriptions': {'ParameterValue'}}
    for name, classes in modules.items():
        module = ModuleType(name)
        for each in classes:
            setattr(module, each, recorded(each))
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules['launch.substitutions'].LaunchConfiguration = Configuration
    warned = []
    sys.modules['launch.logging'].get_logger = lambda name: SimpleNamespace(warning=warned.append)
    file = SimpleNamespace(**runpy.run_path(str(LAUNCH_FILE)))
    file.start = lambda given, **around: file.start_processes(
        context_of(given, **around), set(given))
    file.warned = warned
    return file


class TestLaunchFile:
    def test_it_names_no_node_and_no_argument_itself(self):
        """Whatever is in the table, and nothing else, is started."""
        texts = {node.value for node in ast.walk(ast.parse(LAUNCH_FILE.read_text()))
                 if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert texts & {each.executable for each in PROCESSES} == set()
        assert texts & {each.name for each in ARGUMENTS} == {'namespace'}

    def test_it_imports_the_table_and_its_rules(self):
        imported = {alias.name for node in ast.walk(ast.parse(LAUNCH_FILE.read_text()))
                    if isinstance(node, ast.ImportFrom)
                    and node.module == 'gbs_irl_ros.launching.process_table'
                    for alias in node.names}
        assert imported >= {'ARGUMENTS', 'checked', 'parameter_files', 'parameters',
                            'remappings'}

    def test_it_declares_every_argument_of_the_table(self, launch_file):
        first, *declared, last = launch_file.generate_launch_description().given[0]
        assert (first.kind, last.kind) == ('OpaqueFunction', 'OpaqueFunction')
        assert [(each.given[0], each.default_value, each.description,
                 tuple(each.choices or ())) for each in declared] \
            == [(each.name, each.default, each.description, each.accepted) for each in ARGUMENTS]

    def test_only_what_was_set_before_the_defaults_counts_as_said(self, launch_file, tmp_path):
        """Otherwise the defaults of the launch file would win over a file of parameters."""
        file = tmp_path / 'mine.yaml'
        file.write_text('/**/controller:\n  ros__parameters:\n    allow_motion: true\n')
        first, *_, last = launch_file.generate_launch_description().given[0]
        first.function(SimpleNamespace(launch_configurations={'params_file': str(file)}))
        made = last.function(context_of({'params_file': str(file)}), *last.args)
        (controller,) = (each for each in made if each.kind == 'Node'
                         and each.name == 'controller')
        assert controller.parameters[-1]['allow_motion'].given == (True,)

    def test_it_warns_of_arguments_that_are_misspelt_and_starts(self, launch_file, monkeypatch):
        """Those of launch files around it are not its business, unless they look like its own."""
        typed = {'tsk': 'room', 'word': 'a', 'xyz': '1', 'task': 'room'}
        around = {'map': 'm.yaml', 'world': 'w.sdf', 'robot_name': 'r2', 'use_simtime': 'true',
                  'ros_namespace': ''}
        context = context_of({**typed, **around})
        context.argv = [f'{name}:={value}' for name, value in typed.items()]
        monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', 'gbs_irl_ros', 'teach.launch.py'])
        assert launch_file.start_processes(context, {*typed, *around})
        ignored = "there is no argument '{}', and it is ignored; {}"
        assert launch_file.warned == [
            ignored.format('tsk', "did you mean 'task'?"),
            ignored.format('use_simtime', "did you mean 'use_sim_time'?"),
            ignored.format('word', "did you mean 'gz_world'?"),
            ignored.format('xyz', '--show-args instead of arguments lists those that there are')]
        monkeypatch.setattr(sys, 'argv', ['ros2', 'launch', 'mine', 'all.launch.py'])
        assert launch_file.start_processes(context, {*typed, *around})
        assert launch_file.warned[4:] == launch_file.warned[:2]

    @for_each('given', [
        {}, {'demonstrator': 'teleop'}, {'demonstrator': 'simulated'},
        {'robot': 'own', 'allow_motion': 'true'}, {'lesson': 'mine'},
        {'robot': 'none', 'demonstrator': 'none', 'strategy': 'gbs1', 'lesson': '1'},
        {'namespace': 'robot', 'use_sim_time': 'true', 'log_level': 'debug'},
        {'robot': 'own', 'relay': 'True', 'robot_config': 'turtlebot4', 'odom': 'base/odom',
         'cmd_vel': 'base/cmd_vel', 'scan': '/scan'}])
    def test_it_starts_what_the_other_reader_starts(self, launch_file, given):
        made = launch_file.start(given)
        given = checked(given)
        nodes = {each.executable: each for each in made if each.kind == 'Node'}
        by_hand = {each.name: each for each in teaching_commands._commands(given)}
        without_keyboard = [name for name, each in by_hand.items() if not each.needs_terminal]
        assert list(nodes) == without_keyboard
        for name, node in nodes.items():
            assert (node.package, node.name) == ('gbs_irl_ros', name)
            *files, values = node.parameters
            words = [*node.arguments]
            if given['namespace']:
                words += ['-r', f'__ns:=/{node.namespace}']
            for pair in node.remappings:
                words += ['-r', ':='.join(pair)]
            for file in files:
                words += ['--params-file', file]
            assert by_hand[name].arguments[4:4 + len(words)] == tuple(words)
            assert {key: each.given[0] for key, each in values.items()} \
                == parameters(process(name), given)
            assert all(each.value_type is type(each.given[0]) for each in values.values())

    def test_it_starts_the_process_that_nodes_share_as_the_other_reader_does(self, launch_file):
        given = {'composed': 'true', 'robot': 'own', 'relay': 'true', 'namespace': 'flat'}
        made = [each for each in launch_file.start(given) if each.kind == 'Node']
        relay, shared = teaching_commands._commands(checked(given))
        assert [each.executable for each in made] == [relay.name, shared.name]
        assert tuple(made[-1].arguments) == shared.arguments[4:]
        with pytest.raises(ProcessEndedError, match='all_nodes has ended with exit code 1; '):
            made[-1].on_exit(SimpleNamespace(returncode=1, action=made[-1]),
                             SimpleNamespace(is_shutdown=False))

    @for_each(('given', 'around', 'words'), [
        ({}, {}, ''),
        ({'namespace': 'flat', 'odom': 'base/odom', 'use_sim_time': 'true'}, {},
         ' --ros-args -r __ns:=/flat -r odom:=base/odom -p use_sim_time:=true'),
        ({'cmd_vel': 'base/cmd_vel'}, {'ros_namespace': '/fleet'},
         ' --ros-args -r __ns:=/fleet -r cmd_vel:=base/cmd_vel'),
        ({'namespace': 'flat'}, {'ros_namespace': '/fleet', 'ros_remaps': [('odom', 'a b')],
                                 'global_params': [('use_sim_time', True), '/tmp/all.yaml']},
         " --ros-args -r 'odom:=a b' -p use_sim_time:=True --params-file /tmp/all.yaml -r "
         '__ns:=/fleet/flat')])
    def test_it_says_how_to_start_what_needs_a_keyboard(self, launch_file, given, around, words):
        made = launch_file.start({'demonstrator': 'teleop', **given}, **around)
        assert [each.msg for each in made if each.kind == 'LogInfo'] == [
            'teleop needs a keyboard, which a launch file cannot give: run '
            f'`ros2 run gbs_irl_ros teleop{words}` in a terminal of its own']

    def test_it_refuses_what_the_other_reader_refuses(self, launch_file):
        with pytest.raises(GbsIrlError, match=r"rom: is not a task.*Did you mean 'room'"):
            launch_file.start({'task': 'rom'})

    def test_both_readers_start_the_same_again(self, launch_file):
        given = checked({})
        nodes = [each for each in launch_file.start({}) if each.kind == 'Node']
        again = {each.name: each.respawn for each in nodes}
        assert again == {'mdp': True, 'learner': True, 'gui': True, 'visualiser': True,
                         'controller': False, 'simulator': False}
        assert again == {each.name: each.respawn for each in teaching_commands._commands(given)}
        assert {each.respawn_delay for each in nodes} == {RESPAWN_DELAY_S}

    def test_it_starts_what_runs_beside_the_nodes(self, launch_file, monkeypatch):
        beside = [Program('gazebo', ('gz', 'sim')), Program('window', ('w',), needed=False)]
        monkeypatch.setitem(launch_file.start_processes.__globals__, 'programs',
                            lambda given: beside)
        made = [each for each in launch_file.start({'robot': 'gazebo'})
                if each.kind == 'ExecuteProcess']
        assert [(each.name, tuple(each.cmd)) for each in made] \
            == [(each.name, each.arguments) for each in beside]
        here = SimpleNamespace(is_shutdown=False)
        with pytest.raises(ProcessEndedError, match=r'^gazebo has ended with exit code 1; ending'):
            made[0].on_exit(SimpleNamespace(returncode=1, action=made[0]), here)
        log, _ = made[1].on_exit(SimpleNamespace(returncode=0, action=made[1]), here)
        assert log.msg == 'window has ended with exit code 0; the others continue without it'

    def test_without_gazebo_nothing_is_started(self, launch_file, monkeypatch):
        monkeypatch.setenv('PATH', '')
        with pytest.raises(ArgumentError, match='there is no Gazebo on this machine'):
            launch_file.start({'robot': 'gazebo'})

    def ended(self, launch_file, name, times, *, is_shutdown=False):
        """Return what the launch file says when a node that says 'boom' ends, the last time."""
        made = launch_file.start({})
        node = next(each for each in made if each.kind == 'Node' and each.name == name)
        hearing = next(each.given[0] for each in made if each.kind == 'RegisterEventHandler'
                       and each.given[0].target_action is node)
        hearing.on_stdout(SimpleNamespace(text=b'hello\n'))
        hearing.on_stderr(SimpleNamespace(text=b'boom \xff\n'))
        for _ in range(times):
            said = node.on_exit(SimpleNamespace(returncode=-9, action=node),
                                SimpleNamespace(is_shutdown=is_shutdown))
        return said

    def test_one_that_may_not_be_started_again_ends_all_with_an_error(self, launch_file):
        with pytest.raises(ProcessEndedError, match=(
                r'^controller has ended with exit code -9; ending the others$')):
            self.ended(launch_file, 'controller', 1)

    def test_one_that_may_is_started_again_until_that_is_a_loop(self, launch_file):
        assert [each.msg for each in self.ended(launch_file, 'learner', 4)] == [
            'learner has ended with exit code -9; it is started again']
        with pytest.raises(ProcessEndedError, match=(
                r'^learner has ended with exit code -9, the 5th time within 60 s: it is not '
                r'started again; ending the others\. Its last lines:\n    hello\n    boom .$')):
            self.ended(launch_file, 'learner', 5)

    def test_the_others_continue_without_a_page_that_cannot_be_served(self, launch_file):
        log, emit = self.ended(launch_file, 'gui', 5)
        assert log.msg == (
            'gui has ended with exit code -9, the 5th time within 60 s: it is not started again; '
            'the others continue without it. Its last lines:\n    hello\n    boom \ufffd')
        matcher = emit.event.process_matcher
        assert (emit.kind, emit.event.kind, matcher.kind, matcher.given[0].name) == (
            'EmitEvent', 'ShutdownProcess', 'matches_action', 'gui')

    def test_when_all_are_being_ended_nothing_is_said(self, launch_file):
        assert self.ended(launch_file, 'controller', 9, is_shutdown=True) is None


class TestOwnTerminal:
    def test_the_command_of_a_node_for_a_terminal(self, tmp_path):
        assert command_for_a_terminal('teleop') == 'ros2 run gbs_irl_ros teleop'
        mine = tmp_path / 'my own.yaml'
        mine.write_text('')
        given = checked({'robot': 'own', 'robot_config': 'turtlebot3', 'namespace': 'flat',
                         'odom': 'base/odom', 'params_file': str(mine), 'use_sim_time': 'true'})
        assert command_for_a_terminal('teleop', terminal_arguments(process('teleop'), given)) == (
            'ros2 run gbs_irl_ros teleop --ros-args -r __ns:=/flat -r odom:=base/odom '
            f'--params-file {ROOT}/config/robots/turtlebot3.yaml '
            f"--params-file '{mine}' -p use_sim_time:=true")

    def test_what_a_node_was_given_is_repeated_but_for_its_name(self):
        assert repeated_arguments([
            'teleop', '--ros-args', '-r', '__node:=teleop', '-r', '__ns:=/flat', '--remap',
            'odom:=base/odom', '-p', 'max_speed:=1.0', '--params-file', 'a.yaml', '--log-level',
            'info']) == ['-r', '__ns:=/flat', '--remap', 'odom:=base/odom', '-p', 'max_speed:=1.0',
                         '--params-file', 'a.yaml']
        assert repeated_arguments(['teleop', '--ros-args', '-r']) == []

    @for_each(('namespace', 'rules'), [
        ('', []), ('/', []), ('flat', ['__ns:=/flat']), ('/a/b/', ['__ns:=/a/b'])])
    def test_the_namespace_is_one_of_them(self, namespace, rules):
        assert namespace_rules(checked({'namespace': namespace})) == rules


def test_a_large_task_may_be_allowed(tmp_path):
    file = tmp_path / 'large.yaml'
    file.write_text('format: 1\nworld: {kind: trap_world, rooms: [10, 10], room_size: 50}\n'
                    'hypotheses: {kind: goals, goals: [[0, 0], [1, 0]]}\n'
                    'truth: {hypothesis: 0}\n')
    given = {'task': str(file), 'demonstrator': 'simulated'}
    for name in ('mdp', 'demonstrator'):
        assert 'allow_large' not in parameters(process(name), checked(given))
        allowed = checked({**given, 'allow_large': 'true'})
        assert parameters(process(name), allowed)['allow_large'] is True
    file.write_text(file.read_text().replace('50}', '100, rooms: [50, 50]}').replace(
        'rooms: [10, 10], ', ''))
    with pytest.raises(GbsIrlError, match='needs about 12 GB and 43 s, got 5000 x 5000 cells'):
        checked(given)
