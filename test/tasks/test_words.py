"""Which tasks a teacher's own words fit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import InvalidWordsError
from gbs_irl_ros.core.task_answers import MAX_TEXT, WordsAnswer
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.words import tasks_that_fit

ROOM = load_task('room')
ALL_DESK = [name for name in ROOM.names if name.startswith('go to desk')]


def fitting(text, task=ROOM):
    """Return the names of the tasks that words fit."""
    return [task.names[number] for number in tasks_that_fit(text, task)]


def with_synonyms(task, **synonyms):
    """Return a task with these synonyms only."""
    looks = replace(task.world.appearance,
                    synonyms={name: tuple(words) for name, words in synonyms.items()})
    return Task(replace(task.world, appearance=looks), task.candidates, task.noise)


@for_each('text, expected', [
    ('go to desk, never over the carpet', 'go to desk, never over the carpet'),
    ('the desk, not over the carpet', 'go to desk, never over the carpet'),
    ('not over the carpet, but to the desk', 'go to desk, never over the carpet'),
    ('avoid the carpet and go to the desk', 'go to desk, never over the carpet'),
    ('without crossing the carpet to the desk', 'go to desk, never over the carpet'),
    ('keep off the carpet. Desk.', 'go to desk, never over the carpet'),
    ('stay away from the carpet? no: avoid the carpet, desk', 'go to desk, never over the carpet'),
    ('the carpet is forbidden, go to the desk', 'go to desk, never over the carpet'),
    ('carpet: never; desk', 'go to desk, never over the carpet'),
    ('go around the carpet, to the desk', 'go to desk, never over the carpet'),
    ("I'd like you to go to the desk. Don't drive over the carpet!",
     'go to desk, never over the carpet'),
    ('don’t touch the toys on the way to the Bed', 'go to bed, never over the toys'),
    ('never drive over toys, go to the door', 'go to door, never over the toys'),
    ('THE DOOR, BUT NOT THE CARPET OR THE TOYS', 'go to door, never over the carpet or the toys'),
    ('neither carpet nor toys, sofa', 'go to sofa, never over the carpet or the toys'),
    ('desk, not over the carpet, toys', 'go to desk, never over the carpet or the toys'),
    ('sofa, rather not over the carpet', 'go to sofa, rather not over the carpet'),
    ('sofa, not over the carpet if possible', 'go to sofa, rather not over the carpet'),
    ('sofa, try to avoid the carpet', 'go to sofa, rather not over the carpet'),
    ('kitchen, never over the toys, preferably not over the carpet',
     'go to kitchen, never over the toys, rather not over the carpet')])
def test_a_sentence_that_names_place_and_exclusions_fits_one_task(text, expected):
    assert fitting(text) == [expected]


@for_each('text', ['the desk', 'desk', 'Desks!', 'to the DESK please', 'go to desk',
                   'dsek', 'dest', 'deks', 'the ddesk', 'Désk', 'ＤＥＳＫ', 'de\u0301sk'])
def test_a_place_alone_fits_every_task_that_ends_there(text):
    assert fitting(text) == ALL_DESK


@for_each('text, place', [('kichen', 'kitchen'), ('kitcehn', 'kitchen'), ('soffa', 'sofa'),
                          ('dor', 'door'), ('bedd', 'bed'), ('the ktichen', 'kitchen')])
def test_misspelled_places_are_found(text, place):
    assert fitting(f'{text}, never over the toys') == [f'go to {place}, never over the toys']


def test_misspelled_exclusions_are_found():
    assert fitting('desk, nver... never over the carpte') == ['go to desk, never over the carpet']


def test_exclusions_alone_fit_the_tasks_that_have_just_them():
    assert fitting('not over the toys') == [
        f'go to {place}, never over the toys' for place in (
            'kitchen', 'sofa', 'desk', 'bed', 'door')]


def test_what_is_allowed_rules_out_the_tasks_that_exclude_it():
    for text in ('the desk, over the carpet', 'desk, the carpet does not matter',
                 'desk, I do not mind the carpet', 'desk; the carpet is fine'):
        assert fitting(text) == ['go to desk', 'go to desk, never over the toys'], text


def test_a_place_that_is_not_meant_leaves_the_others():
    found = fitting('not the desk')
    assert len(found) == 24
    assert not set(found) & set(ALL_DESK)


def test_two_places_fit_the_tasks_of_both():
    assert {name.split(',')[0] for name in fitting('desk or sofa')} == {'go to desk', 'go to sofa'}


def test_a_place_that_is_also_a_region_to_keep_off_is_not_wanted_where_it_is_excluded():
    names = ('go to desk', 'go to carpet', 'go to desk, never over the carpet')
    grown = _named(names)
    assert fitting('the desk, not over the carpet', grown) == [names[2]]
    assert fitting('the carpet', grown) == [names[1]]


@for_each('text, expected', [
    ('table', 'desk'), ('the work place', 'desk'), ('tabel', 'desk'), ('Büro', 'desk'),
    ('buro', 'desk'), ('the couch', 'sofa'), ('living room', 'sofa'), ('wohnzimmer', 'sofa')])
def test_synonyms_of_the_task_file_are_understood(text, expected):
    task = with_synonyms(ROOM, desk=['table', 'work place', 'Büro'],
                         sofa=['couch', 'living room', 'Wohnzimmer'])
    assert fitting(f'{text}, not over the carpet', task) == [
        f'go to {expected}, never over the carpet']


def test_a_synonym_may_be_excluded():
    task = with_synonyms(ROOM, carpet=['rug'])
    assert fitting('never over the rug, desk', task) == ['go to desk, never over the carpet']


def test_a_word_that_two_places_share_fits_both_and_the_whole_name_one():
    task = _named(('go to left shelf', 'go to right shelf', 'go to door'))
    assert fitting('the shelf', task) == ['go to left shelf', 'go to right shelf']
    assert fitting('shelf on the right', task) == ['go to right shelf']


def test_a_synonym_of_a_part_of_a_name_is_understood():
    task = with_synonyms(_named(('go to left shelf', 'go to right shelf')), shelf=['cupboard'])
    assert fitting('right cupboard', task) == ['go to right shelf']


def test_manners_of_driving_are_told_apart_by_how_strong_the_words_are():
    names = ('avoids crashes, dislikes the shoulder', 'avoids crashes', 'dislikes crashes',
             'likes the left lane', 'avoids the left lane')
    task = _named(names)
    assert fitting('avoid crashes, dislike the shoulder', task) == [names[0]]
    assert fitting('never crash', task) == [names[1]]
    assert fitting('the left lane', task) == [names[3]]
    assert fitting('not in the left lane', task) == [names[4]]


@for_each('text', ['18 0', '(18, 0)', '18,0', 'column 18 row 0', 'go to cell 18, 0 please'])
def test_cells_are_named_by_their_numbers(text):
    assert fitting(text, load_task('grid_world')) == ['go to (18, 0)']


def test_a_number_is_not_a_misspelled_one():
    with pytest.raises(InvalidWordsError, match="know no task about '19, 0'"):
        tasks_that_fit('19, 0', load_task('grid_world'))


def test_names_of_words_that_usually_say_nothing_are_found():
    assert fitting('stay here', _named(('stay here', 'go away'))) == ['stay here']


def test_words_of_any_script_are_compared():
    task = with_synonyms(ROOM, desk=['стол'], bed=['ベッド'])
    assert fitting('СТОЛ', task) == ALL_DESK
    assert {name.split(',')[0] for name in fitting('ベッド', task)} == {'go to bed'}


def test_what_is_found_makes_an_answer():
    text = 'the desk, not over the carpet'
    answer = WordsAnswer(text, tasks_that_fit(text, ROOM))
    assert [ROOM.names[number] for number in answer.tasks] == ['go to desk, never over the carpet']


@for_each('text', ['xyzzy', '42', '---', '🛋', 'qwertz uiop', 'the lamp'])
def test_words_that_fit_nothing_are_refused_with_what_is_known(text):
    with pytest.raises(InvalidWordsError) as refused:
        tasks_that_fit(text, ROOM)
    assert str(refused.value) == (
        f'I know no task about {text!r}; I know of: kitchen, sofa, desk, bed, door and: never '
        'over the toys, rather not over the carpet, never over the carpet')


@for_each('text', ['go', 'never', 'go to the', 'the carpet', 'over', 'go to some place'])
def test_words_that_fit_everything_are_refused(text):
    with pytest.raises(InvalidWordsError) as refused:
        tasks_that_fit(text, ROOM)
    assert str(refused.value) == (
        f'{text!r} fits all 30 tasks; name a place or what to keep off. I know of: kitchen, sofa, '
        'desk, bed, door and: never over the toys, rather not over the carpet, never over the '
        'carpet')


def test_a_long_list_of_what_is_known_is_cut():
    with pytest.raises(InvalidWordsError, match=r'\(6, 0\), \(7, 0\), \.\.\.$'):
        tasks_that_fit('xyzzy', load_task('grid_world'))


@for_each('text', ['', '  ', '\n\t'])
def test_no_words_are_refused(text):
    with pytest.raises(InvalidWordsError, match='say in a few words what I should do, got none'):
        tasks_that_fit(text, ROOM)


def test_too_many_words_are_refused_and_just_enough_are_not():
    assert fitting('desk '.ljust(MAX_TEXT, '!')) == ALL_DESK
    with pytest.raises(InvalidWordsError, match=f'at most {MAX_TEXT} characters, got 501'):
        tasks_that_fit('desk '.ljust(MAX_TEXT + 1, '!'), ROOM)


def test_control_characters_are_not_repeated():
    with pytest.raises(InvalidWordsError) as refused:
        tasks_that_fit('xyz\x1b[31mzy', ROOM)
    assert '\x1b' not in str(refused.value)


def test_the_only_task_is_found_by_its_name():
    only = _named(('go to desk',))
    assert fitting('desk', only) == ['go to desk']
    with pytest.raises(InvalidWordsError, match='fits all 1 task'):
        tasks_that_fit('go', only)


def _named(names):
    """Return a task whose hypotheses have these names, whatever they are."""
    candidates = ROOM.candidates
    few = type(candidates).of(
        candidates.mdp, candidates.rewards.rows(range(len(names))), names=names)
    return Task(replace(ROOM.world, hash=''), few, ROOM.noise)
