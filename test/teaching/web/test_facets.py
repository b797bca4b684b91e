"""In what tasks differ, as a person sees it: places, and what is said of each region."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.answers import ActionAnswer, GoHereAnswer, WordsAnswer
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.tasks import facets, load_task
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.web.commands import RefusedError, commands
from gbs_irl_ros.teaching.web.facets import facets_view, ruled_out


@cache
def room():
    return load_task('room')


def facets_of(task):
    return facets.facets_of(task.candidates, task.world)


def believing(*names):
    """The probabilities of somebody for whom only these tasks are possible, all alike."""
    weights = np.array([float(name in names) for name in room().names])
    return weights / weights.sum()


def test_every_task_is_a_place_and_a_manner_for_each_region_as_its_name_says():
    seen, regions = facets_of(room()), room().world.appearance.regions
    places = ['kitchen', 'sofa', 'desk', 'bed', 'door']
    assert seen.places == tuple(tuple(regions[name].tolist()) for name in places)
    assert seen.regions == ('carpet', 'toys')
    for number, name in enumerate(room().names):
        assert name.startswith(f'go to {places[seen.place_of[number]]}')
        for region, manner in zip(seen.regions, seen.manners[number], strict=True):
            said = next((part for part in name.split(', ')[1:] if region in part), 'free')
            assert said.startswith(('free', 'rather not', 'never')[manner])


def test_what_is_believed_adds_up_the_tasks_of_which_it_is_true():
    view = facets_view(room(), 0.9 * believing(
        'go to desk, never over the carpet', 'go to bed, never over the carpet',
        'go to desk, never over the toys, rather not over the carpet'))
    assert {place['name']: place['probability'] for place in view['places']} == pytest.approx(
        {'kitchen': 0.0, 'sofa': 0.0, 'desk': 0.6, 'bed': 0.3, 'door': 0.0})
    carpet, toys = view['regions']
    assert carpet['manners'] == pytest.approx({'free': 0.0, 'rather not': 0.3, 'never': 0.6})
    assert toys['manners'] == pytest.approx({'free': 0.6, 'never': 0.3})
    assert carpet['states'] == room().world.appearance.regions['carpet'].tolist()


def test_a_task_is_ruled_out_when_it_is_much_less_likely_than_the_likeliest():
    assert ruled_out(np.array([0.5, 0.4, 0.076, 0.024])) == 1
    assert ruled_out(np.full(30, 1 / 30)) == 0
    assert ruled_out(np.array([])) == 0


@for_each('task', ['driver', 'random_mdp'])
def test_without_a_map_there_are_none(task):
    assert facets_of(load_task(task)) is None


def test_many_places_are_no_choice_between_regions():
    assert facets_of(load_task('puddle_world')).regions == ()


@for_each(('region', 'manner', 'message'), [
    ('attic', 'never', r"region must be one of \['carpet', 'toys'\], got 'attic'"),
    ('toys', 'always', r"manner must be one of \['free', 'rather not', 'never'\], got 'always'"),
    ('toys', 'rather not', "I know no task that says 'rather not over the toys'; point at")])
def test_what_no_task_says_cannot_be_said(region, manner, message):
    with pytest.raises(InvalidAnswerError, match=message):
        facets_of(room()).minding(region, manner)


class Said:
    """Somebody who hears what a page has done."""

    def __init__(self):
        self.heard = []

    def demonstrate(self, known_as, shown):
        self.heard.append((known_as, shown))

    def __getattr__(self, name):
        return lambda **fields: None


def known(task):
    said = Said()
    return said, commands(said, lambda: LessonSnapshot(task=task), lambda *_: None)


def test_what_is_said_unasked_arrives_as_an_answer():
    said, can = known(room())
    can['tell'].carry_out({'known_as': 'a', 'answer': GoHereAnswer((3,))})
    can['mind'].carry_out({'known_as': 'b', 'region': 'carpet', 'manner': 'free'})
    (_, place), (_, words) = said.heard
    assert place == GoHereAnswer((3,))
    assert isinstance(words, WordsAnswer)
    assert words.text == 'the carpet is fine'
    assert [room().names[task] for task in words.tasks] == [
        name for name in room().names if 'carpet' not in name]


def test_what_only_answers_a_question_is_not_said_unasked():
    said, can = known(room())
    with pytest.raises(RefusedError, match="'action' can only be said to a question"):
        can['tell'].carry_out({'known_as': 'a', 'answer': ActionAnswer(3, 1)})
    said, can = known(load_task('driver'))
    with pytest.raises(RefusedError, match='this task has no regions to drive over'):
        can['mind'].carry_out({'known_as': 'a', 'region': 'carpet', 'manner': 'free'})
    assert said.heard == []
