"""The life of a managed node, without ROS."""

from __future__ import annotations

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.lifecycle import (
    ACTIVE,
    FINALIZED,
    INACTIVE,
    STATES,
    TRANSITIONS,
    UNCONFIGURED,
    Lifecycle,
    LifecycleError,
)

STEPS = ('configure', 'activate', 'deactivate', 'cleanup', 'shutdown')


class Life(Lifecycle):
    """A life; done: the steps, and what was told of them. failing: a step, and what it raises."""

    def __init__(self):
        self.done, self.failing = [], {}
        super().__init__({name: lambda name=name: self._do(name) for name in STEPS},
                         lambda each: self.done.append((each.label, each.goal.label)),
                         lambda: self.done.append('error'))

    def _do(self, name):
        self.done.append(name)
        if name in self.failing:
            raise self.failing[name]


def lived(*labels):
    life = Life()
    for label in labels:
        life.change(label)
    life.done.clear()
    return life


@for_each(('before', 'label', 'between', 'after'), [
    ((), 'configure', 'configuring', INACTIVE),
    (('configure',), 'activate', 'activating', ACTIVE),
    (('configure', 'activate'), 'deactivate', 'deactivating', INACTIVE),
    (('configure',), 'cleanup', 'cleaningup', UNCONFIGURED),
    ((), 'shutdown', 'shuttingdown', FINALIZED),
    (('configure',), 'shutdown', 'shuttingdown', FINALIZED),
    (('configure', 'activate'), 'shutdown', 'shuttingdown', FINALIZED)])
def test_a_step_is_done_between_two_states(before, label, between, after):
    for by_number in (False, True):
        life = lived(*before)
        number = next(each.id for each in life.available if each.label == label)
        life.change(*(('', number) if by_number else (label,)))
        assert life.state == after
        assert life.done == [(label, between), label, ('transition_success', after.label)]


@for_each(('before', 'wrong', 'text'), [
    ((), {'label': 'activate'}, "transition 'activate' is not possible while the node is "
                                'unconfigured; possible: configure, shutdown'),
    (('configure', 'activate'), {'label': 'activate'},
     'is active; possible: deactivate, shutdown'),
    (('configure',), {'number': 4}, 'transition 4 is not possible while the node is inactive'),
    (('configure',), {'number': 5}, 'transition 5 is not possible'),
    ((), {'number': 0}, 'transition 0 is not possible'),
    ((), {'label': 'transition_success'}, "transition 'transition_success' is not possible"),
    ((), {'label': 'dance'}, "transition 'dance' is not possible"),
    (('shutdown',), {'label': 'configure'}, 'while the node is finalized; possible: none')])
def test_a_transition_that_does_not_lead_from_here_changes_nothing(before, wrong, text):
    life = lived(*before)
    state = life.state
    with pytest.raises(LifecycleError, match=text):
        life.change(**wrong)
    assert (life.state, life.done) == (state, [])


@for_each(('before', 'label', 'after'), [
    ((), 'configure', UNCONFIGURED), (('configure',), 'activate', INACTIVE),
    (('configure', 'activate'), 'deactivate', ACTIVE), (('configure',), 'cleanup', INACTIVE),
    ((), 'shutdown', FINALIZED)])
def test_a_step_that_refuses_leads_back(before, label, after):
    life = lived(*before)
    life.failing = {label: GbsIrlError('no file')}
    with pytest.raises(LifecycleError, match=f'{label} has failed: no file; the node is '
                                             f'{after.label}'):
        life.change(label)
    assert life.state == after
    assert life.done[-1] == ('transition_failure', after.label)


def test_after_an_exception_that_nobody_expected_it_is_unconfigured_and_can_begin_again():
    life = lived('configure')
    life.failing = {'activate': ZeroDivisionError('oh')}
    with pytest.raises(LifecycleError, match=r"activate has failed: ZeroDivisionError\('oh'\); "
                                             'the node is unconfigured'):
        life.change('activate')
    assert life.done[2:] == [('transition_error', 'errorprocessing'), 'error',
                             ('transition_success', 'unconfigured')]
    life.failing = {}
    life.change('configure')
    life.change('activate')
    assert life.state == ACTIVE


def test_numbers_are_given_once():
    for table in (STATES, TRANSITIONS):
        assert len({each.id for each in table}) == len(table)
