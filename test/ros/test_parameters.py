"""Parameters of nodes: right ones count, wrong ones are refused with the reason."""

from __future__ import annotations

import dataclasses
import math
import re
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from in_process import MODULES, given, parameters_class
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching.process_table import PROCESSES
from gbs_irl_ros.ros.parameters import ParameterError, Parameters, parameter

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]


def at_once(function, *given):
    """Call a function; nothing else of the node runs in these tests."""
    return function(*given)


@dataclass(frozen=True)
class Sample:
    """One parameter of every kind."""

    speed: float = parameter(0.5, 'How fast [m/s].', low=0.0, high=2.0)
    least: float = parameter(1.0, 'Not above most.', low=-5.0)
    most: float = parameter(4.0, 'Not below least.', high=9.0)
    free: float = parameter(0.0, 'Any number.')
    count: int = parameter(3, 'How many.', low=1, high=10)
    name: str = parameter('', 'How it is called.')
    kind: str = parameter('fast', 'Which one.', choices=['fast', 'slow'])
    active: bool = parameter(False, 'Whether it is on.')
    place: tuple = parameter((0.0, 0.0, 0.0), 'Where: x, y, yaw.')
    frame: str = parameter('base', 'Set at the start only.', fixed=True)

    def __post_init__(self):
        if self.least > self.most:
            raise ParameterError(f"parameter 'least' must not be above 'most', got {self.least} "
                                 f'and {self.most}')


# What is wrong with a value, whenever it is set.
WRONG = [
    ('speed', 'quick', "parameter 'speed' must be a number, got 'quick'"),
    ('speed', True, "parameter 'speed' must be a number, got True"),
    ('speed', 2.5, "parameter 'speed' must be in 0 .. 2, got 2.5"),
    ('speed', 3, "parameter 'speed' must be in 0 .. 2, got 3.0"),
    ('speed', -0.001, "parameter 'speed' must be in 0 .. 2, got -0.001"),
    ('speed', math.nan, "parameter 'speed' must be in 0 .. 2, got nan"),
    ('speed', math.inf, "parameter 'speed' must be in 0 .. 2, got inf"),
    ('least', -5.5, "parameter 'least' must be at least -5, got -5.5"),
    ('least', math.nan, "parameter 'least' must be at least -5, got nan"),
    ('most', 9.5, "parameter 'most' must be at most 9, got 9.5"),
    ('free', math.nan, "parameter 'free' must be a number, got nan"),
    ('count', 2.0, "parameter 'count' must be a whole number, got 2.0"),
    ('count', True, "parameter 'count' must be a whole number, got True"),
    ('count', 0, "parameter 'count' must be in 1 .. 10, got 0"),
    ('name', 'x' * 4097, "parameter 'name' must have at most 4096 characters, got 4097"),
    ('name', 'a\x1b', r"parameter 'name' must not contain control characters, got 'a\x1b'"),
    ('name', 1, "parameter 'name' must be a string, got 1"),
    ('kind', 'slwo', "parameter 'kind': unknown value 'slwo'; known: ['fast', 'slow']. "
                     "Did you mean 'slow'?"),
    ('kind', '', "parameter 'kind': unknown value ''; known: ['fast', 'slow']."),
    ('active', 'true', "parameter 'active' must be true or false, got 'true'"),
    ('active', 1, "parameter 'active' must be true or false, got 1"),
    ('place', [1.0, 2.0], "parameter 'place' must be a list of 3 numbers, got"),
    ('place', [1.0, 2.0, 3.0, 4.0], "parameter 'place' must be a list of 3 numbers, got"),
    ('place', 'abc', "parameter 'place' must be a list of 3 numbers, got 'abc'"),
    ('place', 5.0, "parameter 'place' must be a list of 3 numbers, got 5.0"),
    ('place', ['a', 'b', 'c'], "parameter 'place[0]' must be a number, got 'a'"),
    ('place', [True, False, True], "parameter 'place[0]' must be a number, got True"),
    ('least', 4.5, "parameter 'least' must not be above 'most', got 4.5 and 4.0"),
]
RIGHT = {'speed': 1.0, 'least': 2.0, 'most': 5.0, 'free': 7.0, 'count': 4, 'name': 'x',
         'kind': 'slow', 'active': True, 'place': [1.0, 2.0, 3.0]}


@pytest.fixture
def start(bench):
    """Start a node with parameters; return it and what it made of them."""
    def started(**values):
        node = bench.add(rclpy.create_node(
            'sample', context=bench.context, parameter_overrides=given(**values)))
        return node, Parameters(node, Sample, at_once)
    return started


def put(node, **values):
    """Set one parameter, or several at once; return the result."""
    return node.set_parameters_atomically(given(**values))


class TestDeclaration:
    def test_defaults_count(self, start):
        _, parameters = start()
        assert parameters.value == Sample()
        assert parameters.problem == ''

    @for_each(('name', 'constraints'), [
        ('speed', 'in 0 .. 2'), ('least', 'at least -5'), ('most', 'at most 9'), ('free', ''),
        ('kind', 'one of fast, slow'), ('place', '')])
    def test_tools_see_description_and_constraints(self, start, name, constraints):
        node, _ = start()
        descriptor = node.describe_parameter(name)
        field = Sample.__dataclass_fields__[name]
        assert descriptor.description == field.metadata['rule'].description
        assert descriptor.additional_constraints == constraints
        assert not descriptor.read_only

    def test_what_is_fixed_is_declared_as_read_only(self, start):
        node, _ = start()
        assert node.describe_parameter('frame').read_only

    def test_values_given_at_the_start_count(self, start):
        _, parameters = start(**RIGHT, frame='other')
        assert parameters.value == Sample(**{**RIGHT, 'place': (1.0, 2.0, 3.0)}, frame='other')


class TestTypes:
    def test_an_int_is_taken_for_a_float(self, start):
        node, parameters = start(speed=1)
        assert type(parameters.value.speed) is float
        assert parameters.value.speed == 1.0
        assert put(node, speed=2).successful
        assert type(parameters.value.speed) is float
        assert parameters.value.speed == 2.0

    @pytest.mark.parametrize('place', [[1, 2, 3], [1.0, 2.0, 3.0], (1.0, 2.0, 3.0)])
    def test_a_list_becomes_a_tuple_of_floats(self, start, place):
        node, parameters = start(place=place)
        assert parameters.value.place == (1.0, 2.0, 3.0)
        assert {type(number) for number in parameters.value.place} == {float}
        assert put(node, place=[4, 5, 6]).successful
        assert parameters.value.place == (4.0, 5.0, 6.0)

    @pytest.mark.parametrize('number', [math.nan, math.inf])
    def test_a_list_holds_finite_numbers_only(self, start, number):
        _, parameters = start(place=[0.0, number, 0.0])
        assert parameters.value is None
        assert "parameter 'place' must hold finite numbers, got" in parameters.problem


@for_each(('name', 'value', 'text'), WRONG)
class TestWrongValues:
    def test_at_the_start_it_is_said_and_the_node_waits_for_a_right_one(
            self, start, said, name, value, text):
        before = len(said())
        node, parameters = start(**{name: value})
        assert parameters.value is None
        assert text in parameters.problem
        assert re.search(rf'\[ERROR\].*{re.escape(text)}.*; set it right with',
                         said()[before:])

        changes = []
        parameters.on_change(changes.append)
        assert put(node, **{name: RIGHT[name]}).successful
        assert parameters.problem == ''
        right = RIGHT[name] if name != 'place' else (1.0, 2.0, 3.0)
        assert parameters.value == Sample(**{name: right})
        assert changes == [parameters.value]

    def test_later_it_is_refused_and_nothing_changes(self, start, said, name, value, text):
        said_before = len(said())
        node, parameters = start()
        changes = []
        parameters.on_change(changes.append)
        before, stored = parameters.value, node.get_parameter(name).value
        result = put(node, **{name: value})
        assert not result.successful
        assert text in result.reason
        assert parameters.value is before
        assert parameters.problem == ''
        assert node.get_parameter(name).value == stored
        assert changes == []
        assert f'parameter not changed: {text}' in said()[said_before:]


class TestChanging:
    def test_a_change_is_told_before_it_counts(self, start):
        node, parameters = start()
        seen = []
        parameters.on_change(lambda value: seen.append((value.count, parameters.value.count)))
        assert put(node, count=7).successful
        assert seen == [(7, 3)]
        assert parameters.value == Sample(count=7)

    def test_who_is_told_may_refuse(self, start):
        node, parameters = start()

        def refuse(value):
            raise GbsIrlError('not now')
        parameters.on_change(refuse)
        result = put(node, count=7)
        assert (result.successful, result.reason) == (False, 'not now')
        assert parameters.value == Sample()
        assert node.get_parameter('count').value == 3

    def test_nothing_else_runs_while_they_change(self, bench):
        node = bench.add(rclpy.create_node('sample', context=bench.context))
        lock = threading.Lock()

        def exclusively(function, *given):
            with lock:
                return function(*given)
        parameters = Parameters(node, Sample, exclusively)
        held = []
        parameters.on_change(lambda _: held.append(lock.locked()))
        assert put(node, count=7).successful
        assert held == [True]
        assert not lock.locked()

    def test_a_fixed_one_is_refused(self, start):
        node, parameters = start()
        result = put(node, frame='other')
        assert not result.successful
        assert 'read-only' in result.reason
        assert parameters.value.frame == node.get_parameter('frame').value == 'base'

    def test_one_that_was_never_set_is_refused(self, start):
        node, parameters = start()
        unset = Parameter('count', Parameter.Type.NOT_SET)
        result = node.set_parameters_atomically([unset])
        assert (result.successful, result.reason) == (
            False, "parameter 'count' must be a whole number, got None")
        assert node.get_parameter('count').value == parameters.value.count == 3

    def test_those_of_others_are_none_of_its_business(self, start):
        node, parameters = start()
        changes = []
        parameters.on_change(changes.append)
        node.declare_parameter('other', 1)
        assert put(node, other=5).successful
        assert put(node, use_sim_time=True).successful
        assert changes == []

    def test_a_wrong_one_at_the_start_can_be_set_right_over_ros(self, bench, start):
        _, parameters = start(count=99)
        assert parameters.value is None
        for value, right in ((50, False), (5, True)):
            request = SetParameters.Request(
                parameters=[Parameter('count', value=value).to_parameter_msg()])
            result = bench.call(SetParameters, 'sample/set_parameters', request).results[0]
            assert result.successful is right
            assert ('must be in 1 .. 10, got 50' in result.reason) is not right
        assert parameters.value == Sample(count=5)

    def test_two_wrong_ones_can_be_set_right_one_after_the_other(self, start):
        """As `ros2 param set` does it, and as the error message says."""
        node, parameters = start(count=99, speed=99.0)
        changes = []
        parameters.on_change(changes.append)
        assert put(node, count=5).successful
        assert parameters.value is None
        assert parameters.problem == "parameter 'speed' must be in 0 .. 2, got 99.0"
        assert not put(node, count=50).successful       # a wrong one is refused all the same
        assert changes == []
        assert put(node, speed=1.0).successful
        assert parameters.value == Sample(count=5, speed=1.0)
        assert changes == [parameters.value]

    def test_two_that_do_not_fit_each_other_can_be_set_right_by_either(self, start):
        node, parameters = start(least=6.0, most=5.0)
        assert put(node, most=5.5).successful
        assert "'least' must not be above 'most', got 6.0 and 5.5" in parameters.problem
        assert put(node, least=2.0).successful
        assert parameters.value == Sample(least=2.0, most=5.5)


class TestSeveralAtOnce:
    def test_they_are_checked_together(self, start):
        node, parameters = start()
        assert not put(node, least=6.0).successful
        assert put(node, least=6.0, most=8.0).successful
        assert (parameters.value.least, parameters.value.most) == (6.0, 8.0)

    @pytest.mark.parametrize('values', [
        {'count': 7, 'speed': 99.0}, {'speed': 99.0, 'count': 7}, {'count': 7, 'frame': 'other'},
        {'least': 6.0, 'most': 5.0}])
    def test_all_of_them_or_none(self, start, values):
        node, parameters = start()
        changes = []
        parameters.on_change(changes.append)
        assert not put(node, **values).successful
        assert parameters.value == Sample()
        assert all(node.get_parameter(name).value == Sample.__dataclass_fields__[name].default
                   for name in values)
        assert changes == []

    def test_several_wrong_ones_at_the_start_are_set_right_together(self, start):
        node, parameters = start(count=99, speed=99.0)
        assert parameters.value is None
        assert put(node, count=5, speed=1.0).successful
        assert parameters.value == Sample(count=5, speed=1.0)


# ---- a contract for every node --------------------------------------------------------------

def shipped():
    """Return the parameters of config/params.yaml, by node."""
    content = yaml.safe_load((ROOT / 'config' / 'params.yaml').read_text())
    assert all(set(values) == {'ros__parameters'} for values in content.values())
    return {name.removeprefix('/**/'): values['ros__parameters']
            for name, values in content.items()}


@for_each('module', MODULES)
def test_the_parameter_file_lists_every_parameter_with_its_default(module):
    kind = parameters_class(module)
    defaults = {field.name: list(field.default) if isinstance(field.default, tuple)
                else field.default for field in dataclasses.fields(kind)}
    shared = {name: value for name, value in shipped()['*'].items() if name in defaults}
    own = shipped().get(module, {})
    assert not set(shared) & set(own), 'one of them would have to be kept equal to the other'
    listed = {**shared, **own}
    assert listed == defaults
    assert {name: type(value) for name, value in listed.items()} \
        == {name: type(value) for name, value in defaults.items()}


def test_the_parameter_file_lists_no_other_nodes():
    assert set(shipped()) <= {'*', *MODULES}
    assert {process.executable for process in PROCESSES} <= set(MODULES)


def test_every_shared_parameter_of_the_file_is_that_of_several_nodes():
    fields = [{field.name for field in dataclasses.fields(parameters_class(module))}
              for module in MODULES]
    for name in shipped()['*']:
        assert sum(name in names for names in fields) > 1, name


@for_each('module', MODULES)
class TestEveryNode:
    def test_every_parameter_is_described_to_tools(self, bench, module):
        kind = parameters_class(module)
        node = bench.add(rclpy.create_node(module, context=bench.context))
        Parameters(node, kind, at_once)
        for field in dataclasses.fields(kind):
            descriptor = node.describe_parameter(field.name)
            assert len(descriptor.description) > 5, field.name
            assert descriptor.description.endswith('.'), field.name

    def test_defaults_are_right_and_of_a_type_that_can_be_checked(self, bench, said, module):
        kind = parameters_class(module)
        node = bench.add(rclpy.create_node(module, context=bench.context))
        parameters = Parameters(node, kind, at_once)
        assert parameters.value == kind(), said()
        assert {type(field.default) for field in dataclasses.fields(kind)} \
            <= {str, bool, int, float, tuple}
