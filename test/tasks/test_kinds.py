"""Kinds of world and of hypotheses of other packages, in task files."""

from __future__ import annotations

import pytest
from cases import for_each
from plugin_packages import plugin_folder

from gbs_irl_ros.core import BoltzmannLikelihood, Learner, Likelihood
from gbs_irl_ros.core.errors import InvalidOptionError, PluginError
from gbs_irl_ros.tasks import TaskFileError, load_task, load_truth, register_world
from gbs_irl_ros.tasks.kinds import HYPOTHESES, WORLDS
from gbs_irl_ros.tasks.task_file import json_schema

CODE = '''
import numpy as np
from gbs_irl_ros.core import Candidates, Mdp, Rewards
from gbs_irl_ros.tasks import Appearance, BuiltWorld, Field, Record, Whole, World

class Ring:
    """Places in a ring."""

    FIELDS = Record({'places': Field(Whole(2, 100), 'how many', 5)})

    @staticmethod
    def read(values, folder):
        if values.places == 13:
            values.refuse('is unlucky, got 13', 'places')
        values.report.raise_if_any()
        if values.places == 99:
            return 1 / 0
        if values.places == 98:
            return 'a ring'
        here = np.arange(values.places)[:, np.newaxis]
        mdp = Mdp.from_successors((here + np.array([-1, 0, 1])) % values.places, 0.9)
        return BuiltWorld(World('ring', mdp, mdp.checked_start(None),
                                Appearance(('left', 'stay', 'right'), ('l', 's', 'r'))))

class Anywhere:
    """Any place may be the goal."""

    FIELDS = Record({})

    @staticmethod
    def read(values, built):
        return Candidates.of(built.mdp, Rewards.goals(built.mdp, range(built.mdp.num_states)))
'''
ENTRIES = {'worlds': 'ring = ring_world:Ring\nbroken = ring_world:Absent',
           'hypotheses': 'anywhere = ring_world:Anywhere'}
FILE = """format: 1
world: {{kind: {0}}}
hypotheses: {{kind: anywhere}}
truth: {{hypothesis: 2}}
"""


@pytest.fixture
def write(tmp_path):
    def written(text):
        (tmp_path / 'task.yaml').write_text(text)
        return tmp_path / 'task.yaml'
    return written


def test_a_task_file_names_kinds_of_other_packages(plugins, write):
    plugins.add('ring-world', CODE, **ENTRIES)
    path = write(FILE.format('ring, places: 7'))
    task = load_task(path)
    assert task.world.mdp.num_states == 7
    assert Learner(task).ask() is not None
    assert load_truth(path).reward.tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert load_truth(path).name == 'task 2'
    kinds = [each['properties']['kind']['enum'] for each in
             json_schema()['properties']['world']['oneOf']]
    assert ['ring'] in kinds
    assert ['broken'] not in kinds      # an editor should not lose all for one


WRONG = [
    ('ring, places: 13', TaskFileError, 'task.yaml:2: world.places: is unlucky, got 13'),
    ('ring, places: 1', TaskFileError, 'world.places'),
    ('ring, size: 3', TaskFileError, 'world.size'),
    ('ring, places: 99', PluginError,
     "the kind of world 'ring' (ring_world.Ring) failed: ZeroDivisionError: division by zero ("),
    ('ring, places: 98', PluginError,
     "the kind of world 'ring' (ring_world.Ring) must return a BuiltWorld, got str"),
    ('broken', TaskFileError,
     "task.yaml:2: world.kind: the kind of world 'broken' of ring-world (entry point "
     "'ring_world:Absent') cannot be loaded: AttributeError: "),
    ('rong', TaskFileError, "Did you mean 'ring'?"),
]


@for_each(('world', 'error', 'text'), WRONG)
def test_what_is_wrong_is_said_with_its_name(world, error, text, tmp_path):
    with plugin_folder(tmp_path / 'plugins') as plugins:
        plugins.add('ring-world', CODE, **ENTRIES)
        (tmp_path / 'task.yaml').write_text(FILE.format(world))
        with pytest.raises(error) as caught:
            load_task(tmp_path / 'task.yaml')
    assert text in str(caught.value), str(caught.value)


def test_a_kind_is_registered_by_a_decorator(plugins):
    register_world('grid')(WORLDS['grid'])
    with pytest.raises(InvalidOptionError, match=r"the name 'grid' of .* is taken by .*grid"):
        register_world('grid')(WORLDS['mdp'])
    with pytest.raises(InvalidOptionError, match='a kind of world or of hypotheses must have FIELD'
                                                 'S, a Record, and read, got 3'):
        register_world('three')(3)
    assert HYPOTHESES.ours[0] == 'goals'


GRID = """format: 1
world: {{kind: grid, map: "...\\n..."}}
hypotheses: {{kind: goals, goals: free}}
noise: {{{0}}}
"""


def test_a_likelihood_has_options_in_a_task_file(write):
    load = lambda noise: load_task(write(GRID.format(noise)))      # noqa: E731
    task = load('likelihood: boltzmann, likelihood_options: {eta: 2}')
    assert task.noise.likelihood == BoltzmannLikelihood(2.0)
    assert Learner(task).ask() is not None
    per_state = load('likelihood: boltzmann, likelihood_options: {eta: [1, 2, 3, 4, 5, 6]}')
    assert per_state.noise.likelihood.eta == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    default = load('likelihood: boltzmann')
    assert len({task.hash, per_state.hash, default.hash, load('likelihood: exact').hash}) == 4
    assert load('likelihood: exact').noise.likelihood is Likelihood.EXACT
    # It says nothing of gamma_hat, which may be as low as for a person who errs mostly.
    assert load('likelihood: boltzmann, gamma_hat: 0.1').noise.gamma_hat == 0.1


@for_each(('noise', 'text'), [
    ('likelihood: boltzman', "Did you mean 'boltzmann'?"),
    ('likelihood: boltzmann, likelihood_options: {eta: -1}',
     'task.yaml:4: noise.likelihood_options: eta must be a positive number'),
    ('likelihood: boltzmann, likelihood_options: {beta: 1}', "has no option 'beta'"),
    ('likelihood: exact, likelihood_options: {eta: 1}', "'exact' has no option 'eta'"),
    ('likelihood: boltzmann, likelihood_options: {eta: high}', 'noise.likelihood_options'),
    ('likelihood: boltzmann, likelihood_options: 3', 'noise.likelihood_options')])
def test_options_that_do_not_fit_are_refused(noise, text, tmp_path):
    (tmp_path / 'task.yaml').write_text(GRID.format(noise))
    with pytest.raises(TaskFileError) as caught:
        load_task(tmp_path / 'task.yaml')
    assert text in str(caught.value), str(caught.value)
