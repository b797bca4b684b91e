"""The page in a real browser: what a person may say of a task as a whole, asked and unasked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from browser import (
    AS_FOR_PEOPLE,
    PHONE,
    Lesson,
    chromium,  # noqa: F401
    open_page,  # noqa: F401
)
from graph import running_graph
from test_own_office import OFFICE

from gbs_irl_ros.core import SimulatedTeacher
from gbs_irl_ros.core.answers import KINDS
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.core.regret import loses_nothing
from gbs_irl_ros.learning.json_values import from_json
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.tasks import load_task, load_truth

pytestmark = pytest.mark.browser
MEANT = 'go to desk, never over the carpet'
ASKED = ('kind', 'state', 'action', 'steps', 'route', 'other_route', 'options', 'labels')
# The page's line to the node.
KEEP_LINE = 'window.WebSocket = class extends WebSocket { constructor(...given) { ' \
    'super(...given); window.line = this; } }'
MANY_GOALS = """
format: 1
name: hall
description: A goal in every corner of a hall, and between.
world:
  kind: grid
  map: |
    ......
    ......
    ......
    ......
    ......
    ......
  moves: [north, east, south, west, stay]
hypotheses:
  kind: goals
  goals: [{goals}]
start: [[0, 0]]
truth: {{hypothesis: 7}}
"""


@pytest.fixture(scope='module')
def shared(chromium, tmp_path_factory):  # noqa: F811
    with running_graph(tmp_path_factory.mktemp('whole')) as graph:
        yield Lesson(graph, learner=AS_FOR_PEOPLE)


@pytest.fixture(scope='module')
def room():
    task = load_task('room')
    task.compile()
    return task


@pytest.fixture(scope='module')
def teacher(room):
    truth = load_truth('room')
    assert truth.name == MEANT
    return replace(SimulatedTeacher.for_hypothesis(room.hypotheses, truth.index, 1.0),
                   choices=room.world.choices)


@pytest.fixture
def lesson(shared):
    """One as people have it: the kind of each question is chosen, and the last is a yes."""
    shared.begin(closing=True)
    return shared


def asked_of(view):
    return from_json(Question, 'a question', {name: view[name] for name in ASKED if name in view})


def number_of(view, answer):
    """Return which of the buttons of a question gives an answer, from 0."""
    own = [offer['answer'] for offer in view['offers'] if not offer['aside']]
    given = {name: getattr(answer, name) for name in KINDS[answer.kind].given}
    return next(number for number, each in enumerate(own) if each['kind'] == answer.kind
                and all(each[name] == (list(value) if isinstance(value, tuple) else value)
                        for name, value in given.items()))


def choose(page, view, number, by_key):
    """Press an entry of a list; tasks are found by their places."""
    groups = view.get('groups', [])
    if view['kind'] == 'task' and len(view['options']) > 6 and number < len(groups):
        places = list(dict.fromkeys(groups))
        place = places.index(groups[number])
        page.key(str(place + 1)) if by_key else page.press(f'#choices button >> nth={place}')
        number = [at for at, name in enumerate(groups) if name == groups[number]].index(number)
    if not by_key:
        page.press(f'#choices button >> nth={number}')
        return
    for _ in range(number + 1):
        page.key('ArrowDown')
    page.key('Enter')


def finish(page, lesson, teacher, by_key):
    """Answer rightly until the lesson ends."""
    view = page.wait_for_question()
    for _ in range(6):
        answer = teacher.answer(asked_of(view), np.random.default_rng(0))
        if answer.kind in ('task', 'go_here', 'none_of_these', 'compare'):
            choose(page, view, number_of(view, answer), by_key)
        else:
            page.answer(view, answer, 'key' if by_key else 'press')
        page.wait_until(f'document.getElementById("lesson").dataset.question !== "{view["id"]}"',
                        'the answer to be taken')
        answered = view['id']
        lesson.wait_for_belief(lambda now, answered=answered: now.status is Status.DONE
                               or now.question_id not in ('', answered), 'what comes next')
        if lesson.belief.status is Status.DONE:
            return
        view = page.wait_for_question(other_than=view['id'])
    raise AssertionError('six answers were not enough')


def assert_taught(page, lesson, room):
    belief = lesson.wait_until_done()
    assert room.names[belief.map_hypothesis] == MEANT
    page.wait_for_text('#sentence', f'Got it: {MEANT}.')


def say(page, text):
    page.key('/')
    page.wait_until('document.activeElement.id === "words-text"', 'the field')
    page.tab.fill('#words-text', text)
    page.key('Enter')


def point(page, manner, world, region):
    """Point at a region by two of its corners."""
    cells = world.appearance.cells[world.appearance.regions[region]]
    page.press(f'#place-{manner}')
    known = world.appearance.cells.tolist()
    corners = [cells.min(axis=0).tolist(), cells.max(axis=0).tolist()]
    for cell in corners:
        page.press_state(known.index(cell))
    page.wait_until(f'document.querySelector("#place-last-column").value === "{corners[1][0]}"',
                    'the last corner')
    page.press('#place-send')


# ---- a whole lesson -----------------------------------------------------------------------------


def test_a_task_is_taught_by_words_alone(lesson, room, open_page):  # noqa: F811
    page = open_page(lesson)
    first = page.wait_for_question()
    for text, told in (('xyzzy', 'I know no task about ‘xyzzy’'), ('go', 'fits all 30 tasks')):
        say(page, text)
        page.wait_for_text('#message', told.replace('‘', "'").replace('’', "'"))
        assert page.find('#words-text').input_value() == text       # to be corrected
        page.key('Escape')
    assert lesson.belief.answers == 0
    say(page, 'the desk, never over the carpet')
    page.wait_for_text('#message', f'I understood: {MEANT}.')
    page.wait_until('document.getElementById("words-text").value === ""', 'an empty field')
    page.key('Escape')
    view = page.wait_for_question(other_than=first['id'])
    assert view['kind'] == 'confirm'
    say(page, 'yes')
    page.key('Escape')
    assert_taught(page, lesson, room)
    say(page, 'the kitchen')                    # nothing is asked now, and it still counts
    page.wait_for_text('#entries', 'You said in your own words.')
    page.wait_for_text('#entries', '"the kitchen"')
    page.key('Escape')
    page.key('u')
    page.wait_until('!document.getElementById("entries").textContent.includes("kitchen")',
                    'the history without it')
    assert_taught(page, lesson, room)


def test_a_task_is_taught_by_keys_alone(lesson, room, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    assert page.wait_for_question()['kind'] == 'task'
    finish(page, lesson, teacher, by_key=True)
    assert_taught(page, lesson, room)


def test_a_task_is_taught_by_places_and_a_finger(
        lesson, room, teacher, open_page):  # noqa: F811
    """Where to, what never, and what is on the way: what is asked then hardly matters."""
    page = open_page(lesson, script=KEEP_LINE, **PHONE)
    first = page.wait_for_question()
    said = (('go', 'desk', 'go to desk'), ('never', 'carpet', 'never over the carpet'),
            ('way', 'toys', 'on the way: the toys'))
    for count, (manner, region, words) in enumerate(said, start=1):
        point(page, manner, room.world, region)
        page.wait_for_text('#message', 'Thank you: ')
        page.wait_for_text('#entries', words)
        lesson.wait_for_answers(count)
    finish(page, lesson, teacher, by_key=False)
    assert_taught(page, lesson, room)
    # Some question once more, sent again before its answer came: it is not asked any more.
    page.tab.evaluate('(now) => window.line.onmessage({ data: JSON.stringify({ now }) })',
                      {'question': {**first, 'session': lesson.belief.session}})
    assert_taught(page, lesson, room)


def test_three_presses_on_what_is_meant_are_enough_to_start(
        lesson, room, open_page):  # noqa: F811
    """The place on the map, the region in the belief; then the robot could be started."""
    page = open_page(lesson)
    page.wait_for_question()
    for place in range(5):      # a double click is one press, not also one of what it shows
        page.find(f'#choices button >> nth={place}').dblclick()
        page.press('#choices >> text=Fewer')
    page.press_name('desk')
    page.wait_for_text('#message', 'You said: go to desk')
    lesson.wait_for_answers(1)
    page.wait_for_text('#sentence', 'May I drive over the carpet?')     # not: which task?
    assert page.find('#choices .big').all_inner_texts() == ['1\nYes', '2\nRather not', '3\nNever']
    assert page.find('#choices .quiet').all_inner_texts() == ['All tasks']
    page.press('#open-regions >> text=carpet')
    lesson.wait_for_answers(2)
    page.wait_for_text('#favourite', 'desk')
    page.wait_for_text('#favourite', 'carpet')
    belief = lesson.belief
    assert room.names[belief.map_hypothesis].startswith(MEANT)
    page.press('#favourite .drop')              # it may be driven over after all
    lesson.wait_for_answers(3)
    page.wait_for_text('#entries', 'the carpet is fine')
    page.press('#toast-undo')
    lesson.wait_for_answers(2)
    page.press('#likely .task >> nth=0')        # a task itself is pressed, too
    lesson.wait_for_answers(3)
    said = lesson.history.entries[-1]
    assert said.answer.answer.tasks == (belief.map_hypothesis,)


def test_an_own_office_is_taught_in_at_most_six_answers(graph, tmp_path, open_page):  # noqa: F811
    file = tmp_path / 'office.yaml'
    file.write_text(OFFICE)
    office = load_task(file)
    office.compile()
    meant = office.names.index('go to printer, never over the rug, rather not over the cables')
    lesson = Lesson(graph, file, learner={**AS_FOR_PEOPLE, 'closing_question': True})
    page = open_page(lesson)
    finish(page, lesson, replace(SimulatedTeacher.for_hypothesis(office.hypotheses, meant, 1.0),
                                 choices=office.world.choices), by_key=False)
    belief = lesson.wait_until_done()
    assert belief.answers <= 6
    page.wait_for_text('#sentence', f'Got it: {office.names[belief.map_hypothesis]}.')
    policies = office.hypotheses.policy_of_reward
    assert loses_nothing(office.hypotheses, office.start, policies[belief.map_hypothesis],
                         policies[[meant]]).all()


def test_a_cell_and_a_region_that_are_pressed_ask_what_of_them(
        lesson, room, open_page):  # noqa: F811
    page = open_page(lesson)
    page.wait_for_question()
    page.press_name('carpet')
    page.wait_for_text('#sentence', 'What about the carpet?')
    page.press('#region >> text=Rather not')
    lesson.wait_for_answers(1)
    page.wait_for_text('#entries', 'rather not over the carpet')
    cell = room.world.appearance.cells.tolist().index([12, 8])
    page.press_state(cell)
    page.wait_until('!document.getElementById("region").hidden', 'what can be said of it')
    page.press('#region >> text=Never drive over it')
    lesson.wait_for_answers(2)
    assert lesson.history.entries[-1].answer.answer.states == (cell,)
    page.wait_for_text('#zones', 'never: ')             # it is a chip, drawn on the map,
    page.wait_until('document.querySelector(".overlay .zone.never_here")', 'the zone')
    page.press('#zones .drop')                          # and can be removed
    page.wait_until('document.getElementById("zones").hidden', 'no zone')
    page.wait_for_frame()
    assert not page.find('.overlay .zone').count()
    other = room.world.appearance.cells.tolist().index([13, 4])
    page.press_state(other)
    page.press('#region >> text=Give it a name')
    page.tab.fill('#place-name', 'printer')
    page.key('Enter')
    page.wait_for_text('#message', 'This place is called printer now.')
    page.wait_for_text('.overlay', 'printer')
    page.press_name('printer')
    page.wait_for_text('#sentence', 'What about the printer?')
    page.press('#region >> text=Cancel')
    page.wait_for_question()
    page.tab.reload()
    page.wait_for_question()
    page.wait_for_text('.overlay', 'printer')           # it is kept
    assert lesson.sections['named'] == [{'name': 'printer', 'states': [other]}]
    page.press_name('printer')
    page.press('#region >> text=Give it a name')
    page.tab.fill('#place-name', '')
    page.key('Enter')
    page.wait_for_text('#message', 'This place has no name any more.')
    assert lesson.sections['named'] == []


def test_several_moves_may_be_fine(shared, open_page):  # noqa: F811
    shared.begin(kinds='action', certainty=0.0)
    page = open_page(shared)
    view = page.wait_for_question()
    moves = [offer['action'] for offer in view['offers'] if offer['action'] is not None][:2]
    page.press('#either')
    send = page.find('#choices .main')
    assert send.is_disabled()
    for action in moves:
        page.press(f'#spot button >> nth={action}')
    send.click()
    page.wait_for_question(other_than=view['id'])
    assert shared.history.entries[-1].answer.answer.actions == tuple(moves)
    assert page.find('#spot [aria-pressed]').count() == 0       # nothing stays pressed


def test_what_is_typed_and_pointed_at_stays_when_news_arrive(
        lesson, room, open_page):  # noqa: F811
    page = open_page(lesson)
    other = open_page(lesson)
    asked = page.wait_for_question()
    page.press('#place-never')
    cell = room.world.appearance.cells.tolist().index([12, 8])
    page.press_state(cell)
    page.key('/')
    page.tab.fill('#words-text', 'the desk')
    other.wait_for_question()
    other.press('#notes button >> nth=0')
    page.wait_for_question(other_than=asked['id'])
    page.wait_until('!document.getElementById("place-send").disabled', 'the place')
    assert page.find('#words-text').input_value() == 'the desk'
    assert page.tab.evaluate('() => document.activeElement.id') == 'words-text'
    assert page.find('#place-column').input_value() == '12'
    page.wait_for_frame()
    assert page.find('.overlay .shown.never').count() == 1


# ---- each kind of question ----------------------------------------------------------------------


def test_of_two_ways_one_is_chosen(shared, open_page):  # noqa: F811
    shared.begin(kinds='compare', certainty=0.0)
    page = open_page(shared)
    for better, answer in enumerate(('1', '#choices button >> nth=1', '=')):
        view = page.wait_for_question()
        page.wait_until('document.querySelectorAll(".overlay .badge").length === 2', 'both ways')
        looks = page.tab.evaluate(
            '() => ["first", "second"].map((way) => { const style = getComputedStyle('
            'document.querySelector(`.overlay .way.${way}:not(.under)`)); '
            'return [style.stroke, style.strokeDasharray, style.strokeWidth]; })')
        assert all(one != other for one, other in zip(*looks, strict=True))
        assert page.find('.overlay .badge-text').all_text_contents() == ['1', '2']
        assert page.find('#around').text_content() == view['sentence']      # cannot see them
        assert 'or that (' in view['sentence']
        assert page.find('#choices button').all_inner_texts()[0].startswith('The first way')
        page.key(answer) if len(answer) == 1 else page.press(answer)
        shared.wait_for_answers(better + 1)
        assert shared.history.entries[-1].answer.answer.better == better
        page.wait_for_question(other_than=view['id'])


def test_a_place_is_chosen_in_the_list_on_the_map_or_by_key(shared, room, open_page):  # noqa: F811
    shared.begin(kinds='place', certainty=0.0)
    page = open_page(shared)
    regions = room.world.appearance.regions
    desk, carpet = (int(regions[name][0]) for name in ('desk', 'carpet'))
    view = page.wait_for_question()
    names = [label.capitalize() for label in view['labels']]
    assert [text.split('\n')[-1] for text in page.find('#choices button').all_inner_texts()] \
        == [*names, 'None of these']
    page.wait_until(f'document.querySelectorAll(".overlay .offered").length === {len(names)}',
                    'the places on the map')
    page.press_state(carpet)
    page.wait_for_text('#sentence', 'What about the carpet?')      # it is not one of these places
    page.press('#region >> text=Cancel')
    for count, give in enumerate((
            lambda: page.press_state(desk), lambda: page.key(str(names.index('Desk') + 1)),
            lambda: page.press(f'#choices button >> nth={names.index("Desk")}')), start=1):
        give()
        shared.wait_for_answers(count)
        said = shared.history.entries[-1]
        assert said.said == 'go to desk' or said.answer.answer.states[0] in regions['desk']
        view = page.wait_for_question(other_than=view['id'])
    page.key('0')
    shared.wait_for_answers(4)
    assert shared.history.entries[-1].answer.answer.kind == 'none_of_these'


def test_where_there_are_too_many_places_for_a_list_any_cell_is_clicked(
        graph, tmp_path, open_page):  # noqa: F811
    file = tmp_path / 'hall.yaml'
    file.write_text(MANY_GOALS.format(goals=', '.join(
        f'[{column}, {row}]' for row in range(6) for column in range(6))))
    lesson = Lesson(graph, file, learner={'question_kinds': 'place', 'certainty': 0.0})
    page = open_page(lesson)
    view = page.wait_for_question()
    assert 'options' not in view
    page.wait_for_text('#hint', 'Press the place on the map.')
    page.press_state(14)
    lesson.wait_for_answers(1)
    assert lesson.history.entries[0].answer.answer.states == (14,)


def test_a_list_of_30_is_used_on_a_phone(lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson, **PHONE)
    view = page.wait_for_question()
    assert len(view['options']) == 30
    page.press('#choices >> text=All tasks')
    buttons = page.find('#choices button')
    assert buttons.count() == 32                # also none of these, and back
    assert page.tab.evaluate('() => document.scrollingElement.scrollWidth') == 360
    assert min(button.bounding_box()['height'] for button in buttons.all()) >= 44
    page.press('#choices button >> nth=29')
    lesson.wait_for_answers(1)
    assert lesson.history.entries[0].answer.answer.task == view['options'][29]
    page.press('#undo')
    lesson.wait_for_answers(0)
