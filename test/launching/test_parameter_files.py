"""Parameter files: as ROS 2 reads them, and where they are between arguments and defaults."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from rclpy.context import Context

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching.parameter_files import ParameterFileError, settings
from gbs_irl_ros.launching.process_table import (
    PROCESSES,
    ArgumentError,
    checked,
    parameter_files,
    parameters,
)
from gbs_irl_ros.nodes.controller import ControllerParameters

pytestmark = pytest.mark.ros

ROBOTS = Path(__file__).parents[2] / 'config' / 'robots'
NODE = '/robot/learner'
FILES = [
    '/**:\n  ros__parameters: {a: 1, b: all}\n/**/learner:\n  ros__parameters: {a: 2}\n',
    '/**/learner:\n  ros__parameters: {a: 2}\n/**:\n  ros__parameters: {a: 1}\n',
    '/**/*:\n  ros__parameters: {a: 1, c: {d: true, e: {f: 0.5}}}\n',
    '/robot/*:\n  ros__parameters: {a: 1}\n/robot/lear:\n  ros__parameters: {b: 2}\n',
    '/robot:\n  learner:\n    ros__parameters: {a: 1}\n  other:\n    ros__parameters: {a: 2}\n',
    'robot/learner:\n  ros__parameters: {a: 3}\nlearner:\n  ros__parameters: {b: 4}\n',
    '/*/learner:\n  ros__parameters: {a: 1}\n/*:\n  ros__parameters: {b: 1}\n',
    '/elsewhere/**:\n  ros__parameters: {a: 1}\n/robot/**:\n  ros__parameters: {b: [1, 2]}\n',
]


def understood(files, domain):
    """Return the parameters that rclpy itself takes from files."""
    context = Context()
    words = [word for file in files for word in ('--params-file', str(file))]
    rclpy.init(args=['--ros-args', *words], context=context, domain_id=domain)
    try:
        node = rclpy.create_node('learner', namespace='robot', context=context,
                                 allow_undeclared_parameters=True, start_parameter_services=False,
                                 automatically_declare_parameters_from_overrides=True)
        found = {key: each.value for key, each in node.get_parameters_by_prefix('').items()}
        node.destroy_node()
    finally:
        context.try_shutdown()
    return {key: list(value) if hasattr(value, '__len__') and not isinstance(value, str)
            else value for key, value in found.items()
            if key in ('a', 'b', 'c.d', 'c.e.f')}


def test_files_say_what_ros_takes_from_them(domain, tmp_path):
    """Each of them, and each after the first: blocks count in the order of the first names."""
    written = []
    for number, text in enumerate(FILES):
        written.append(tmp_path / f'{number}.yaml')
        written[-1].write_text(text)
        for files in ([written[-1]], [written[0], written[-1]]):
            assert settings([str(file) for file in files], NODE) == understood(files, domain), text


@for_each(('text', 'said'), [
    ('a: [', 'cannot be read as a parameter file: while parsing'),
    ('- a', 'must hold names of nodes, each with ros__parameters, got list'),
    ('max_speed: 0.3', r'max_speed: must hold ros__parameters, got 0\.3')])
def test_what_is_not_a_parameter_file_is_refused_with_its_name(text, said, tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    with pytest.raises(ParameterFileError, match=rf'mine\.yaml: {said}'):
        checked({'params_file': str(file)})


def told(name, given):
    """Return the parameters of a node that the arguments set besides the files."""
    row = next(each for each in PROCESSES if each.executable == name)
    return parameters(row, given)


@for_each(('text', 'given', 'node', 'name', 'value'), [
    # Of the file, if no argument is given: the two that lost.
    ('/**/controller: {ros__parameters: {allow_motion: true}}', {}, 'controller',
     'allow_motion', True),
    ('/**/mdp: {ros__parameters: {task: grid_world}}', {}, 'mdp', 'task', 'grid_world'),
    # And whoever has to know it as well.
    ('/**/mdp: {ros__parameters: {task: grid_world}}', {}, 'demonstrator', 'task', 'grid_world'),
    ('/**/mdp: {ros__parameters: {task: grid_world}}', {}, 'gui', 'lesson', 'grid_world'),
    ('/**/learner: {ros__parameters: {lesson: mine}}', {}, 'gui', 'lesson', 'mine'),
    ('/**/gui: {ros__parameters: {lesson: page}}', {}, 'gui', 'lesson', 'page'),
    ('/**: {ros__parameters: {allow_motion: true}}', {}, 'controller', 'allow_motion', True),
    ('/**/mdp: {ros__parameters: {allow_large: true}}', {}, 'mdp', 'allow_large', True),
    ('/**/mdp: {ros__parameters: {use_sim_time: false}}', {'robot': 'gazebo'}, 'mdp',
     'use_sim_time', False),
    ('/flat/mdp: {ros__parameters: {task: grid_world}}', {'namespace': 'flat'}, 'mdp', 'task',
     'grid_world'),
    # What is given wins, also if it is what the default is.
    ('/**/controller: {ros__parameters: {allow_motion: true}}', {'allow_motion': 'false'},
     'controller', 'allow_motion', False),
    ('/**/controller: {ros__parameters: {allow_motion: true}}', {'allow_motion': 'auto'},
     'controller', 'allow_motion', False),
    ('/**/mdp: {ros__parameters: {task: grid_world}}', {'task': 'room'}, 'mdp', 'task', 'room'),
    ('/**: {ros__parameters: {use_sim_time: true}}', {'use_sim_time': 'False'}, 'gui',
     'use_sim_time', False),
    # And the default is left where neither says anything.
    ('/**/mdp: {ros__parameters: {cache_mb: 1}}', {}, 'mdp', 'task', 'room'),
    ('/other/mdp: {ros__parameters: {task: grid_world}}', {}, 'mdp', 'task', 'room'),
])
def test_arguments_win_over_files_and_files_over_defaults(text, given, node, name, value,
                                                          tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    assert told(node, checked({**given, 'params_file': str(file)}))[name] == value


def test_what_a_file_says_is_checked_like_an_argument(tmp_path):
    file = tmp_path / 'mine.yaml'
    for text, said in (('/**/controller: {ros__parameters: {allow_motion: maybe}}',
                        "allow_motion: unknown value 'maybe'"),
                       ('/**/mdp: {ros__parameters: {task: rom}}', 'rom: is not a task')):
        file.write_text(text)
        with pytest.raises(GbsIrlError, match=said):
            checked({'params_file': str(file)})


def test_a_parameter_that_would_be_ignored_is_refused_with_the_nearest(tmp_path):
    file = tmp_path / 'mine.yaml'
    for pattern, name, given, said in (
            ('/**/controller', 'max_sped', {}, "this node does not have such a parameter; did you "
             "mean 'max_speed'?"),
            ('controller', 'colour', {}, 'this node does not have such a parameter; '
             'config/params.yaml lists them all'),
            ('flat/learner', 'a.b', {'namespace': 'flat'}, 'this node does not have such a '
             'parameter; config/params.yaml lists them all'),
            ('/**/*', 'stampd_cmd_vel', {}, 'none of our nodes has such a parameter; did you mean '
             "'stamped_cmd_vel'?"),
            ('/**', 'certanty', {}, 'none of our nodes has such a parameter; did you mean '
             "'certainty'?")):
        block, _, key = name.rpartition('.')
        value = {key: 1}
        file.write_text(json.dumps({pattern: {'ros__parameters': {block: value} if block
                                              else value}}))
        for argument in ('params_file', 'robot_config'):
            with pytest.raises(ParameterFileError) as error:
                checked({argument: str(file), **given})
            assert str(error.value) == f'{file}: /{pattern.strip("/")}: {name}: {said}'


def test_what_others_may_mean_in_a_shared_file_is_left_to_them(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text(
        '/**: {ros__parameters: {base_frame_id: a, min_speed: 1, use_sim_time: true}}\n'
        'contoller: {ros__parameters: {max_sped: 1}}\n'
        '/other/controller: {ros__parameters: {max_sped: 1}}\n'
        'controller_server: {ros__parameters: {FollowPath: {max_speed_xy: 1}}}\n'
        'learner: {ros__parameters: {qos_overrides: {a: {publisher: {depth: 1}}}, '
        'use_sim_time: true, start_type_description_service: false}}\n')
    assert checked({'params_file': str(file)})['params_file'] == str(file)


def test_the_file_of_the_robot_comes_before_ones_own(tmp_path):
    mine = tmp_path / 'mine.yaml'
    mine.write_text('/**/*: {ros__parameters: {max_speed: 0.1}}')
    given = checked({'robot': 'own', 'robot_config': 'turtlebot3', 'params_file': str(mine)})
    assert parameter_files(given)[1:] == [str(ROBOTS / 'turtlebot3.yaml'), str(mine)]
    found = settings(parameter_files(given), '/controller')
    assert (found['max_speed'], found['stamped_cmd_vel'], found['rate']) == (0.1, True, 20.0)
    assert parameter_files(checked({'robot': 'gazebo'}))[1:] == [str(ROBOTS / 'gazebo.yaml')]
    assert parameter_files(checked({'robot': 'own', 'robot_config': str(mine)}))[1:] == [str(mine)]
    assert len(parameter_files(checked({'robot': 'own'}))) == 1
    with pytest.raises(ArgumentError, match=r'known: .*turtlebot4'):
        checked({'robot_config': 'mine'})


def test_every_robot_has_only_parameters_that_are_declared_and_right():
    rules = {field.name: field for field in dataclasses.fields(ControllerParameters)}
    names = {path.stem for path in ROBOTS.glob('*.yaml')}
    assert names == {'gazebo', 'turtlebot3', 'turtlebot4'}
    for name in names:
        found = settings([str(ROBOTS / f'{name}.yaml')], '/any/controller')
        assert found == settings([str(ROBOTS / f'{name}.yaml')], '/visualiser'), 'one block'
        assert found.keys() >= {'drive', 'max_speed', 'max_turn', 'stamped_cmd_vel', 'base_frame'}
        for key, value in found.items():
            assert key in rules, f'{name}: {key}'
            field = rules[key]
            field.metadata['rule'].check(key, value, field.default)
        assert found['stamped_cmd_vel'] is (name != 'gazebo')
