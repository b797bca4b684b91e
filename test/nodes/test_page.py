"""The page in a real browser: a person teaches, with faults on the way, without a robot."""

from __future__ import annotations

import json
import re
import signal

import numpy as np
import pytest
from browser import (
    ALL_KINDS,
    NO_CONNECTION,
    PHONE,
    SEEN_FROM,
    Lesson,
    Line,
    Teacher,
    chromium,  # noqa: F401
    open_page,  # noqa: F401
)
from graph import PAPER, running_graph
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
)
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.web.server import PAGE

pytestmark = pytest.mark.browser
SOON_S = 10.0       # longer than this nobody waits to be told that the line is dead


@pytest.fixture(scope='module')
def shared(chromium, tmp_path_factory):  # noqa: F811
    with running_graph(tmp_path_factory.mktemp('room')) as graph:
        yield Lesson(graph, gui={'hosts': SEEN_FROM}, learner={'ask_again': 0.3})


@pytest.fixture(scope='module')
def teacher():
    return Teacher('room')


@pytest.fixture
def lesson(shared):
    shared.begin()
    return shared


@pytest.fixture
def long_lesson(shared):
    """One that asks on and on."""
    shared.begin(certainty=0.0)
    return shared


@pytest.fixture
def closing_lesson(shared):
    """One that ends with a yes to what the robot would do."""
    shared.begin(closing=True)
    return shared


@pytest.fixture
def mixed_lesson(shared):
    shared.begin(kinds=ALL_KINDS, certainty=0.0)
    return shared


@pytest.fixture
def line(shared):
    made = Line(shared)
    yield made
    made.close()


@pytest.fixture
def own_lesson(graph):
    return Lesson(graph, learner={'certainty': 0.0, 'ask_again': 0.3})


def said(lesson):
    return [entry.answer.answer for entry in lesson.history.entries]


def assert_taught_rightly(lesson, teacher):
    belief = lesson.wait_until_done()
    assert teacher.task.names[belief.map_hypothesis] == teacher.truth.name
    assert belief.map_probability >= 0.95
    policy = wait_for(lambda: lesson.policy.sequence == belief.sequence and lesson.policy,
                      'the policy')
    assert conversions.policy_from_msg(policy, 5).final


# ---- teaching -----------------------------------------------------------------------------------


# How many names of regions there are, and those that do not fit between icon and edge.
CRAMPED_NAMES = """() => {
  const tags = [...document.querySelectorAll('.overlay .tag')];
  return [tags.length, ...tags.filter((tag) => {
    const icon = tag.nextSibling.matches('.icon') ? tag.nextSibling : null;
    const name = (icon ?? tag).nextSibling.getBoundingClientRect();
    const box = tag.getBoundingClientRect();
    const left = icon ? icon.getBoundingClientRect().right : box.left + 3;
    return name.left < left || name.right > box.right - 3;
  }).map((tag) => tag.nextSibling.textContent || tag.nextSibling.nextSibling.textContent)];
}"""


@pytest.mark.parametrize('hand', ['mouse', 'finger'])
def test_a_task_is_taught_by_pressing_what_is_seen(lesson, teacher, open_page, hand):  # noqa: F811
    page = open_page(lesson, **(PHONE if hand == 'finger' else {}))
    page.wait_for_question()
    cramped = page.tab.evaluate(CRAMPED_NAMES)
    assert cramped[0] >= 5
    assert cramped[1:] == []
    count = page.teach(teacher)
    assert_taught_rightly(lesson, teacher)
    assert lesson.belief.answers == count
    assert page.text('#sentence') == f'Got it: {teacher.truth.name}.'
    assert page.text('#left') == \
        'No more questions. With probability 95% this is the task that you mean.'


def test_a_task_is_taught_by_keys_alone(lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    page.teach(teacher, by='key')
    assert_taught_rightly(lesson, teacher)


def until_it_is_shown(page, teacher, by='press'):
    """Answer rightly until the robot asks whether what it would do is meant; return that."""
    view = page.wait_for_question()
    while view['kind'] != 'confirm':
        page.answer(view, teacher.answer(view), by)
        view = page.wait_for_question(other_than=view['id'])
    return view


@pytest.mark.parametrize('by', ['press', 'key'])
def test_what_the_robot_would_do_is_shown_and_confirmed(
        closing_lesson, teacher, open_page, by):  # noqa: F811
    page = open_page(closing_lesson)
    view = until_it_is_shown(page, teacher, by)
    page.wait_for_text('#sentence', 'This is what I would do. Is it what you mean?')
    page.wait_for_frame()
    assert page.find('.overlay .way.rehearsal:not(.under)').count() == 1
    assert closing_lesson.belief.status is Status.ASKING
    page.answer(view, teacher.answer(view), by)
    another = page.wait_for_question(other_than=view['id'])
    assert another['kind'] == 'confirm'
    assert another['route'] != view['route']
    page.answer(another, teacher.answer(another), by)
    assert_taught_rightly(closing_lesson, teacher)
    assert [answer.yes for answer in said(closing_lesson)[-2:]] == [True, True]
    page.wait_for_text('#entries', 'yes, that is it')


@pytest.mark.parametrize('by', ['click', 'key'])
def test_almost_is_said_by_pointing_at_the_place(
        closing_lesson, teacher, open_page, by):  # noqa: F811
    page = open_page(closing_lesson)
    view = until_it_is_shown(page, teacher)
    place, action = view['route'][1]
    assert page.find('#choices >> text=Not through here').is_disabled()
    if by == 'click':
        page.press_state(place)
    else:
        page.key('ArrowRight')
        page.key('ArrowRight')
    name = teacher.task.world.appearance.action_names[action]
    page.wait_for_text('#choices', f'I would go {name}')
    page.wait_for_frame()
    assert page.find('.overlay .way-end.looked').count() == 1
    page.press('#choices >> text=Not through here') if by == 'click' else page.key('Enter')
    page.wait_for_question(other_than=view['id'])
    assert said(closing_lesson)[-1].place == place
    page.wait_for_text('#entries', 'almost: not ')
    assert closing_lesson.belief.status is Status.ASKING


def test_the_tab_key_reaches_every_control_from_top_to_bottom(
        mixed_lesson, open_page):  # noqa: F811
    page = open_page(mixed_lesson)
    page.wait_for_kind('action')
    page.wait_for_text('#entries', 'Change') if page.find('#entries li').count() else None
    seen = []
    for _ in range(60):
        page.key('Tab')
        found = page.tab.evaluate(
            '() => { const at = document.activeElement; return at === document.body ? "" : '
            '(at.id || at.getAttribute("aria-label") || at.textContent); }')
        if not found or found in seen:
            break
        seen.append(found)
    buttons = page.tab.evaluate(
        '() => [...document.querySelectorAll("button, input, summary")].filter((each) => '
        'each.checkVisibility() && !each.disabled).map((each) => each.id '
        '|| each.getAttribute("aria-label") '
        '|| each.textContent)')
    assert set(buttons) == set(seen)
    order = [seen.index(each) for each in (
        'place-go', 'path', 'rehearse', 'closer', 'pause', 'help')]
    assert order == sorted(order)
    arrows = [place for place, each in enumerate(seen) if '(key ' in each]
    notes = seen.index('I don’t knowi')
    assert max(arrows) < notes < seen.index('place-go')        # the question comes first


def test_an_answer_given_with_tab_and_enter_keeps_the_focus_at_the_question(
        long_lesson, open_page):  # noqa: F811
    """A person who cannot use a mouse would otherwise begin at the top of the page each time."""
    page = open_page(long_lesson)
    for selector in ('#spot button >> nth=0', '#notes button >> nth=0'):
        view = page.wait_for_question()
        page.find(selector).focus()
        page.key('Enter')
        page.wait_for_question(other_than=view['id'])
        page.wait_for_frame()
        assert page.tab.evaluate(
            '() => document.getElementById("lesson").contains(document.activeElement)'), selector


def test_the_question_is_announced_with_its_place(mixed_lesson, open_page):  # noqa: F811
    page = open_page(mixed_lesson)
    for kind, words in (('action', 'which way should I go?'), ('yes_no', 'Should I '),
                        ('reward', 'How good is it'), ('demonstration', 'Show me 3 steps')):
        view = page.wait_for_kind(kind)
        told = page.tab.evaluate('() => document.querySelector("[aria-live]").textContent')
        assert words in told
        regions = [region['name'] for region in mixed_lesson.sections['world']['regions']
                   if view['state'] in region['states']]
        assert all(name in told for name in regions)
        assert re.search(r'Around it: north: \w+; east: \w+; south: \w+; west: \w+; the \w+ is '
                         r'\d+ cells? (north|east|south|west)', told)
        assert '(' not in told                  # no coordinates
        assert page.find('#asking').get_attribute('aria-live') == 'polite'


# ---- every kind of answer -----------------------------------------------------------------------


@pytest.mark.parametrize('by', ['press', 'key'])
def test_questions_of_every_kind_are_answered(mixed_lesson, teacher, open_page, by):  # noqa: F811
    page = open_page(mixed_lesson)
    view, right = page.wait_for_question(), []
    for _ in range(4):
        right.append(teacher.answer(view))
        page.answer(view, right[-1], by)
        view = page.wait_for_question(other_than=view['id'])
    assert {type(each) for each in right} >= {ActionAnswer, RewardAnswer, DemonstrationAnswer}
    mixed_lesson.wait_for_answers(4)
    assert said(mixed_lesson) == right


@pytest.mark.parametrize('by', ['press', 'key'])
def test_i_do_not_know_all_the_same_and_later_are_answers(
        long_lesson, open_page, by):  # noqa: F811
    page = open_page(long_lesson)
    view = page.wait_for_question()
    for text, key in (('I don’t know', 'i'), ('Any direction is fine', '='),
                      ('Ask me later', 'l')):
        page.key(key) if by == 'key' else page.press(f'#notes >> text={text}')
        view = page.wait_for_question(other_than=view['id'])
    kinds = [type(each) for each in said(long_lesson)]
    assert kinds == [DontKnowAnswer, AllTheSameAnswer, LaterAnswer]


def test_a_number_is_typed_and_nonsense_is_refused_in_words(
        mixed_lesson, open_page):  # noqa: F811
    page = open_page(mixed_lesson)
    view = page.wait_for_kind('reward')
    known = len(said(mixed_lesson))
    for nonsense in ('', 'very', '1e999', '1.2.3'):
        page.find('#reward').fill(nonsense)
        page.press('#choices form button')
        page.wait_for_text('#message', f'“{nonsense}” is not a number')
    assert page.find('#lesson').get_attribute('data-question') == view['id']
    page.find('#reward').fill('-0,25')
    page.key('Enter')
    page.wait_for_question(other_than=view['id'])
    mixed_lesson.wait_for_answers(known + 1)
    assert said(mixed_lesson)[-1] == RewardAnswer(view['state'], -0.25, view['action'])


def test_a_number_being_typed_stays_while_other_things_change(
        mixed_lesson, open_page):  # noqa: F811
    page = open_page(mixed_lesson)
    page.wait_for_kind('reward')
    page.find('#reward').fill('0.5')
    show_from_elsewhere(mixed_lesson, page)
    assert page.find('#reward').input_value() == '0.5'


def test_the_buttons_of_steps_stay_while_other_things_change(
        mixed_lesson, open_page):  # noqa: F811
    """A press must not meet a button that was just replaced."""
    page = open_page(mixed_lesson)
    page.wait_for_kind('demonstration')
    page.key('ArrowUp')
    page.wait_for_text('#choices p', '1 of 3')
    button = page.find('#choices button >> nth=0').element_handle()
    show_from_elsewhere(mixed_lesson, page)
    assert button.evaluate('(element) => element.isConnected')


def show_from_elsewhere(lesson, page):
    """Have a demonstration come from another node."""
    shown = lesson.graph.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(shown.get_subscription_count, 'the learner')
    count = lesson.belief.answers + 1
    shown.publish(msg.Demonstration(id=f'aside-{count}', demonstrated_by='test',
                                    steps=[msg.Step(state=0, action=4)]))
    page.wait_until(f'document.querySelectorAll("#entries > li").length === {count}',
                    'it to be in the list')


def test_a_double_click_sends_one_answer(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    view = page.wait_for_question()
    page.find('#notes button >> nth=0').dblclick()
    page.wait_for_question(other_than=view['id'])
    page.press('#pause')
    long_lesson.wait_for_belief(lambda now: now.status is Status.PAUSED, 'the pause')
    assert long_lesson.belief.answers == 1


def test_the_space_bar_raises_no_alarm_where_there_is_no_robot(
        long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    page.wait_for_question()
    page.key('Space')
    show_from_elsewhere(long_lesson, page)      # by then it has come, if it comes
    assert page.text('#alarm') == ''


# ---- taking back --------------------------------------------------------------------------------


def test_undo_by_button_and_key_again_and_again(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    wait_for(page.find('#undo').is_disabled, 'nothing to be taken back')
    for count in range(1, 5):
        view = page.wait_for_question()
        page.key('x')
        page.wait_for_question(other_than=view['id'])
        long_lesson.wait_for_answers(count)
    for count, undo in ((3, lambda: page.press('#undo')), (2, lambda: page.key('u')),
                        (1, lambda: page.key('u')), (0, lambda: page.press('#undo'))):
        undo()
        long_lesson.wait_for_answers(count)
        page.wait_until(f'document.querySelectorAll("#entries li").length === {count}', 'the list')
    wait_for(page.find('#undo').is_disabled, 'nothing to be taken back')
    page.key('u')
    page.wait_for_text('#message', 'There is no answer to take back.')


def test_an_answer_in_the_middle_is_changed_as_if_it_had_been_given_so(
        long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    for count in range(1, 4):
        view = page.wait_for_question()
        page.key('x')
        page.wait_for_question(other_than=view['id'])
        long_lesson.wait_for_answers(count)
    before = long_lesson.belief
    page.change(2)
    page.press('#edit >> text=south')
    after = long_lesson.wait_for_belief(lambda now: now.sequence > before.sequence, 'the change')
    answers = said(long_lesson)
    assert [each.action for each in answers] == [4, 2, 4]       # stay, south, stay
    fresh = LearnerParameters(**PAPER, certainty=0.0).make_learner(load_task('room'))
    for answer in answers:
        fresh = fresh.tell(answer)
    np.testing.assert_allclose(after.probabilities, fresh.posterior.probabilities, rtol=1e-12)
    assert not np.allclose(after.probabilities, before.probabilities)
    page.wait_for_text('#entries', 'south')


def test_answers_that_no_task_explains_are_marked_until_they_are_changed(
        lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    lesson.set_parameters('learner', none_of_these=0.1)
    try:
        for count in range(1, 4):       # to stay is what no task wants where it asks
            view = page.wait_for_question()
            page.key('x')
            lesson.wait_for_answers(count)
            if count < 3:
                page.wait_for_question(other_than=view['id'])
        page.wait_for_text(
            '#misfit', 'None of the 30 tasks I know explains your answers 1, 2 and 3.')
        page.wait_for_text('#sentence', 'I do not know what you mean')
        assert page.text('#favourite') == 'None of the tasks I know.'
        assert page.find('#enough').is_hidden()
        marks = page.find('#entries em >> text=does not fit')
        wait_for(lambda: marks.count() == 3, 'the marks')
        page.press('#invent')
        lesson.wait_for_belief(lambda now: len(now.places) == 1, 'tasks of its own')
        page.wait_for_text('#message', 'I know more tasks now')
        page.wait_for_text('#entries', 'think of other tasks')
        page.press('#undo')
        lesson.wait_for_belief(lambda now: not now.places, 'the list as it was')
        wait_for(lambda: marks.count() == 3, 'the marks')
        for number in (3, 2):
            page.change(number)
            page.press('#edit >> text=I don’t know')
            wait_for(lambda number=number: page.find('#edit').is_hidden()
                     and marks.count() < number, 'fewer marks')
        wait_for(page.find('#misfit').is_hidden, 'a task that fits')
        page.wait_for_question()
        assert marks.count() == 0
    finally:
        lesson.set_parameters('learner', none_of_these=0.0)


def test_a_place_that_is_not_listed_is_shown_on_the_map_or_typed(
        lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    lesson.set_parameters('learner', none_of_these=0.1)
    try:
        asked = page.wait_for_question()
        cells = load_task('room').world.appearance.cells.tolist()
        page.press('#place-go')
        page.press_state(cells.index([12, 8]))
        page.wait_until('document.querySelector("#place-column").value === "12"', 'the cell')
        page.press_state(cells.index([11, 8]))      # and the one beside it
        page.wait_until('document.querySelector("#place-column").value === "11"', 'both cells')
        page.wait_until('document.querySelector(".overlay .shown") !== null', 'the rectangle')
        page.press('#place-send')
        lesson.wait_for_belief(lambda now: len(now.places) == 1, 'the place')
        page.wait_for_text('#entries', 'go to (11, 8) to (12, 8)')
        page.wait_for_text('#message', 'Go to (11, 8) to (12, 8): that may be meant now')
        assert lesson.belief.question_id == asked['id']         # which can still be answered
        assert page.find('#entries button').count() == 0        # it is taken back, not changed
        page.key('h')
        page.wait_until('document.activeElement.id === "place-column"', 'the fields')
        page.tab.focus('#place-never')
        page.key('Enter')
        for field, value in (('column', 1), ('row', 1), ('last-column', 14), ('last-row', 10)):
            page.tab.fill(f'#place-{field}', str(value))
        page.key('Enter')
        page.wait_for_text('#message', '(1, 1) to (14, 10) covers everything')
        page.press('#place-cancel')
        page.press('#undo')
        lesson.wait_for_belief(lambda now: not now.places, 'the list as it was')
        page.wait_until('document.querySelectorAll("#entries li").length === 0', 'the history')
    finally:
        lesson.set_parameters('learner', none_of_these=0.0)


def test_cells_that_are_being_typed_stay_whatever_comes(lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    lesson.set_parameters('learner', none_of_these=0.1)
    try:
        page.wait_for_question()
        page.key('h')
        page.press('#place-never')
        page.tab.fill('#place-column', '3')
        page.tab.fill('#place-row', '4')        # the cell is not whole yet
        show_from_elsewhere(lesson, page)
        assert page.find('#place-column').input_value() == '3'
        assert page.find('#place-row').input_value() == '4'
        page.press('#place-cancel')
        page.press('#place-never')
        assert page.find('#place-column').input_value() == ''
        page.press('#place-cancel')
        page.press('#undo')
        lesson.wait_for_belief(lambda now: not now.answers, 'the list as it was')
    finally:
        lesson.set_parameters('learner', none_of_these=0.0)


def test_a_number_is_changed_only_into_a_number(mixed_lesson, open_page):  # noqa: F811
    page = open_page(mixed_lesson)
    view = page.wait_for_kind('reward')
    page.press('#choices .mark >> nth=0')
    page.wait_for_question(other_than=view['id'])
    before = said(mixed_lesson)
    page.wait_until(f'document.querySelectorAll("#entries > li").length === {len(before)}',
                    'the whole history')
    page.change(len(before))
    page.find('#edit input').fill('')
    page.press('#edit >> text=Use this number')
    page.wait_until('document.getElementById("message").textContent', 'what came of it')
    assert 'is not a number' in page.text('#message')
    assert said(mixed_lesson) == before


def test_a_pin_is_changed_in_place_by_keys_and_the_change_undone(
        long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    view = page.wait_for_question()
    page.key('x')
    page.wait_for_question(other_than=view['id'])
    page.find('.pin').focus()
    page.key('Enter')
    page.wait_until('document.getElementById("edit").contains(document.activeElement)',
                    'the other answers')
    page.wait_until('document.querySelector(".overlay .way-end.looked")', 'its place, marked')
    page.find('#edit >> text=south').focus()
    page.key('Enter')
    page.wait_for_text('#entries strong', 'south')
    page.wait_for_frame()
    assert page.tab.evaluate(
        '() => document.getElementById("lesson").contains(document.activeElement)')
    # What is undone now is the change, not the answer.
    assert page.find('#undo').get_attribute('aria-label') == 'Undo the change'
    page.press('#toast-undo')
    page.wait_for_text('#entries strong', 'stay')
    assert len(said(long_lesson)) == 1


def teach_path(page, lesson):
    """Show a path from state 0 to 3 on the map, and return what the learner is told."""
    page.press('#path')
    for state in (0, 3):
        page.press_state(state)
    page.wait_for_text('#pathing-text', 'Is every step as you want it?')
    page.press('#path-send')
    lesson.wait_for_answers(1)
    shown, = said(lesson)
    return shown


def test_a_path_taught_on_the_map_can_be_taken_out_again(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    page.wait_for_question()
    uniform = long_lesson.belief.probabilities
    shown = teach_path(page, long_lesson)
    assert isinstance(shown, DemonstrationAnswer)
    assert shown.steps[0][0] == 0
    page.change(1)
    page.press('#edit >> text=Do not use it')
    long_lesson.wait_for_belief(
        lambda now: np.allclose(now.probabilities, uniform), 'the belief as before')


def test_a_path_may_be_clicked_faster_than_its_way_is_known(
        long_lesson, line, open_page):  # noqa: F811
    page = open_page(long_lesson, url=line.url)
    page.wait_for_question()
    line.delay_s = 0.3
    assert teach_path(page, long_lesson).steps[0][0] == 0


# ---- scripts ------------------------------------------------------------------------------------


def test_every_script_is_loaded_and_says_nothing_on_the_console(lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    page.wait_for_question()
    loaded = page.tab.evaluate('() => performance.getEntriesByType("resource").map('
                               '(each) => new URL(each.name).pathname)')
    scripts = {file.relative_to(PAGE).as_posix() for file in PAGE.rglob('*.js')}
    assert len(scripts) > 20
    assert scripts - {path.partition('/')[2].partition('/')[2] for path in loaded} == set()


def test_a_fault_in_one_panel_does_not_stop_the_others(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson, expected=('fault: ',))
    view = page.wait_for_question()
    page.tab.evaluate('() => { addEventListener("error", () => { window.faults = 1; }); '
                      'document.getElementById("why").remove(); }')
    page.key('x')
    page.wait_for_question(other_than=view['id'])
    page.wait_until('window.faults', 'the fault')
    page.wait_for_text('#entries', 'Change')
    page.press('#undo')
    long_lesson.wait_for_answers(0)


# ---- several pages ------------------------------------------------------------------------------


def test_an_answer_on_one_page_moves_all_on(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    others = [open_page(long_lesson, beside=page), open_page(long_lesson, **PHONE)]
    view = page.wait_for_question()
    for other in others:
        assert other.wait_for_question()['id'] == view['id']
    page.press('#notes button >> nth=0')
    after = page.wait_for_question(other_than=view['id'])
    for other in others:
        assert other.wait_for_question(other_than=view['id'])['id'] == after['id']
        other.wait_until('document.querySelectorAll("#entries li").length === 1', 'the list')
    others[1].press('#undo')
    page.wait_until('document.querySelectorAll("#entries li").length === 0', 'the list')


def test_of_two_answers_to_one_question_one_counts_and_the_other_person_is_told(
        long_lesson, line, open_page):  # noqa: F811
    desk = open_page(long_lesson)
    phone = open_page(long_lesson, url=line.url, **PHONE)
    view = desk.wait_for_question()
    assert phone.wait_for_question()['id'] == view['id']
    line.die()                              # the phone learns late of what happens at the desk
    phone.press('#spot button >> nth=0')
    desk.press('#spot button >> nth=2')
    desk.wait_for_question(other_than=view['id'])
    line.repair()
    phone.wait_for_question(other_than=view['id'])
    assert [each.action for each in said(long_lesson)] == [2]
    phone.wait_for_text('#message', 'was not used', SOON_S)


def test_a_reload_in_the_middle_loses_nothing(long_lesson, open_page):  # noqa: F811
    page = open_page(long_lesson)
    for count in range(1, 3):
        view = page.wait_for_question()
        page.key('x')
        page.wait_for_question(other_than=view['id'])
        long_lesson.wait_for_answers(count)
    view = page.wait_for_question()
    page.tab.reload()
    assert page.wait_for_question()['id'] == view['id']
    page.wait_until('document.querySelectorAll("#entries li").length === 2', 'the list')
    assert page.find('#task-name').inner_text() == 'room'


# ---- lines with faults --------------------------------------------------------------------------


def test_the_page_reconnects_after_a_line_was_cut(long_lesson, line, open_page):  # noqa: F811
    page = open_page(long_lesson, url=line.url, expected=NO_CONNECTION)
    view = page.wait_for_question()
    line.cut()
    page.wait_for_text('#link', 'Connection lost')
    page.press('#spot button >> nth=2')
    page.wait_for_text('#saved', '1 not confirmed yet')
    line.repair()
    page.wait_for_question(other_than=view['id'])
    assert page.text('#link') == 'Connected'
    assert [each.action for each in said(long_lesson)] == [2]


def test_a_line_that_is_dead_is_noticed(long_lesson, line, open_page):  # noqa: F811
    """No end of a connection is told: a phone out of reach, a cable pulled out."""
    page = open_page(long_lesson, url=line.url, expected=NO_CONNECTION)
    page.wait_for_question()
    line.die()
    page.wait_for_text('#link', 'Connection lost', SOON_S)


def test_an_answer_into_a_dead_line_is_not_lost(long_lesson, line, open_page):  # noqa: F811
    page = open_page(long_lesson, url=line.url, expected=NO_CONNECTION)
    view = page.wait_for_question()
    line.die()
    page.press('#spot button >> nth=2')
    page.wait_for_text('#saved', '1 not confirmed yet')
    line.cut()
    line.repair()
    page.wait_for_question(other_than=view['id'])
    assert [each.action for each in said(long_lesson)] == [2]


def test_a_slow_line_takes_each_answer_once(mixed_lesson, teacher, line, open_page):  # noqa: F811
    page = open_page(mixed_lesson, url=line.url)
    view, right = page.wait_for_question(), []
    line.delay_s = 0.4
    devtools = page.tab.context.new_cdp_session(page.tab)
    devtools.send('Network.enable')
    devtools.send('Network.emulateNetworkConditions', {
        'offline': False, 'latency': 400, 'downloadThroughput': 20_000,
        'uploadThroughput': 10_000})
    for _ in range(3):
        right.append(teacher.answer(view))
        page.answer(view, right[-1])
        view = page.wait_for_question(other_than=view['id'])
    assert said(mixed_lesson) == right
    devtools.detach()       # the line of the next test is fast again


def test_steps_pressed_faster_than_the_line_are_all_sent(
        mixed_lesson, line, open_page):  # noqa: F811
    page = open_page(mixed_lesson, url=line.url)
    view = page.wait_for_kind('demonstration')
    count = len(said(mixed_lesson))
    line.delay_s = 0.4
    for key in ('ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter'):
        page.key(key)
    page.wait_until(f'document.getElementById("lesson").dataset.question !== "{view["id"]}"',
                    'the answer to be on its way', SOON_S)
    mixed_lesson.wait_for_answers(count + 1)
    assert [action for _, action in said(mixed_lesson)[-1].steps] == [0, 0, 0]


# ---- the key ------------------------------------------------------------------------------------


@pytest.mark.parametrize('given', ['', '#key=wrong-key'])
def test_without_the_right_key_the_page_explains_and_takes_it(
        lesson, open_page, given):  # noqa: F811
    page = open_page(lesson, url=f'{lesson.base}/{given}')
    page.wait_until('document.getElementById("key-box").open', 'the box')
    assert re.search('printed', page.text('#key-text'))
    assert page.text('#key-title') == (
        'This key is not the right one' if given else 'This page needs a key')
    assert 'room' not in page.text('body')
    page.find('#key-input').fill(lesson.url)
    page.key('Enter')
    page.wait_for_question()
    assert not page.find('#key-box').is_visible()


def test_the_key_alone_can_be_pasted_too(lesson, open_page):  # noqa: F811
    page = open_page(lesson, url=f'{lesson.base}/')
    page.find('#key-input').fill(f'  {lesson.key} ')
    page.press('#key-form button')
    page.wait_for_question()


def test_the_box_for_the_key_stays_until_there_is_one(lesson, open_page):  # noqa: F811
    page = open_page(lesson, url=f'{lesson.base}/')
    page.wait_until('document.getElementById("key-box").open', 'the box')
    for _ in range(3):
        page.key('Escape')
        page.wait_for_frame()
    assert page.find('#key-input').is_visible()


# ---- nodes that die, in graphs of their own -----------------------------------------------------
# Behind all tests of the shared graph: when another one of this process was closed, calls in it
# may stay without an answer for a minute.


def kept(page):
    return json.loads(page.tab.evaluate('() => localStorage.getItem("gbs-irl-outbox") || "[]"'))


def test_an_answer_given_while_the_gui_node_is_dead_counts_once_when_it_is_back(
        own_lesson, open_page):  # noqa: F811
    page = open_page(own_lesson, expected=NO_CONNECTION)
    view, url = page.wait_for_question(), own_lesson.url
    page.wait_for_text('#ruled-text', '30 tasks are possible.')
    own_lesson.gui.kill()
    page.wait_for_text('#link', 'Connection lost')
    page.press('#spot button >> nth=2')
    page.wait_for_text('#saved', '1 not confirmed yet')
    page.wait_for_text('#hint', 'kept here until the connection is back')
    assert [item['id'] for item in kept(page)] == [view['id']]
    own_lesson.mdp.send(signal.SIGSTOP)     # so that the page is back before the task is known
    own_lesson.start_gui()
    assert own_lesson.url == url
    page.wait_for_text('#link', 'Connected')
    own_lesson.mdp.send(signal.SIGCONT)
    own_lesson.wait_for_answers(1)
    view = page.wait_for_question(other_than=view['id'])
    assert said(own_lesson)[0].action == 2
    wait_for(lambda: kept(page) == [], 'the answer to be confirmed')

    # Now the page is closed too, and opened when all is well again.
    own_lesson.gui.kill()
    page.wait_for_text('#link', 'Connection lost')
    page.press('#spot button >> nth=1')
    page.wait_for_text('#saved', '1 not confirmed yet')
    page.tab.goto('about:blank')
    own_lesson.start_gui()
    assert own_lesson.belief.answers == 1
    page.tab.goto(url)
    own_lesson.wait_for_answers(2)
    page.wait_for_question(other_than=view['id'])
    assert [each.action for each in said(own_lesson)] == [2, 1]
    wait_for(lambda: kept(page) == [], 'the answer to be confirmed')


def test_an_answer_given_while_the_learner_is_dead_counts_once_when_it_is_back(
        own_lesson, open_page):  # noqa: F811
    page = open_page(own_lesson)
    view = page.wait_for_question()
    own_lesson.learner.kill()
    page.press('#spot button >> nth=2')
    page.wait_for_text('#saved', '1 not confirmed yet')
    page.wait_for_text('#hint', 'learner')
    own_lesson.start_learner()
    own_lesson.wait_for_answers(1)
    page.wait_for_question(other_than=view['id'])
    assert [each.action for each in said(own_lesson)] == [2]
    wait_for(lambda: kept(page) == [], 'the answer to be confirmed')


def test_the_page_says_what_it_waits_for(graph, open_page):  # noqa: F811
    lesson = Lesson(graph, parts=())
    page = open_page(lesson)
    page.wait_for_text('#link', 'Connected')
    page.wait_for_text('#asking', 'task', SOON_S)
    assert page.find('#notes button:visible').count() == 0
    assert not page.find('#enough').is_visible()
    broken = graph.folder / 'broken.yaml'
    broken.write_text('format: 1\nworld: {kind: gird}\n')
    lesson.mdp = graph.start('mdp', task=broken)
    page.wait_for_text('#sentence', 'There is no task to teach.')
    page.wait_for_text('#hint', 'The task cannot be served: ')
    page.wait_for_text('#hint', "world.kind: is not known, got 'gird'")
    page.wait_for_text('#hint', 'Correct its file and start again; “gbs-irl check FILE” says all '
                                'that is wrong with it.')
    lesson.set_parameters('mdp', task='room')
    page.wait_for_text('#hint', 'I am waiting for the learner.')
    assert page.find('#notes button:visible').count() == 0
    lesson.start_learner()
    page.wait_for_question()


# ---- names that are not harmless ----------------------------------------------------------------

BAD = '<img src=x onerror=window.__hacked=1>'
SCRIPT = '<script>window.__hacked=2</script>'
QUOTED = '\'"><b>&amp;'
LONG = 'Donaudampfschifffahrtsgesellschaft' * 4
HEBREW = '\u05d0\u05d1 evil \u05d2'
FACE = '🤖👩\u200d🚀'
LISTED = {
    'format': 1, 'name': BAD, 'description': f'{SCRIPT} {LONG} {HEBREW}',
    'world': {
        'kind': 'mdp', 'states': [BAD, LONG, HEBREW, FACE],
        'actions': [{'name': f'go {BAD}', 'key': 'f'}, {'name': LONG, 'key': 'w'},
                    {'name': f'{FACE}{QUOTED}', 'key': '<'}],
        'transitions': [
            {'from': source, 'action': action, 'to': {target: 1}}
            for source, targets in ((BAD, (LONG, BAD, FACE)), (LONG, (HEBREW, LONG, BAD)),
                                    (HEBREW, (FACE, HEBREW, LONG)), (FACE, (BAD, FACE, HEBREW)))
            for action, target in zip((f'go {BAD}', LONG, f'{FACE}{QUOTED}'), targets,
                                      strict=True)]},
    'hypotheses': {'kind': 'explicit', 'rewards': [
        {'name': name, 'at': [{'place': place, 'value': 1}], 'goals': [place]}
        for name, place in ((f'{BAD} {QUOTED}', BAD), (LONG, LONG), (HEBREW, HEBREW),
                            (SCRIPT, FACE))]}}
DRAWN = {
    'format': 1, 'name': BAD, 'description': LONG,
    'world': {'kind': 'grid', 'map': 'a..b\n....\nc..d\n', 'legend': {
        'a': BAD, 'b': LONG, 'c': HEBREW, 'd': f'{SCRIPT}{FACE}'}},
    'hypotheses': {'kind': 'goals', 'goals': 'regions'}}


@pytest.fixture(scope='module')
def named_lesson(chromium, tmp_path_factory, request):  # noqa: F811
    """A lesson of a task with names that are not harmless."""
    folder = tmp_path_factory.mktemp('names')
    file = folder / 'names.yaml'
    file.write_text(json.dumps(request.param, ensure_ascii=False))
    with running_graph(folder) as graph:
        yield Lesson(graph, file)


@pytest.fixture
def named_page(named_lesson, open_page):  # noqa: F811
    """The page of such a lesson, with an answer being changed."""
    named_lesson.begin(certainty=0.0)
    page = open_page(named_lesson, viewport={'width': 360, 'height': 740})
    page.wait_for_question()
    page.key('i')
    page.wait_until('document.querySelectorAll("#entries > li").length === 1', 'the list')
    page.change(1)
    return page


@pytest.mark.parametrize('named_lesson', [LISTED, DRAWN], ids=['listed', 'drawn'], indirect=True)
def test_names_are_shown_literally_and_never_run(named_page):
    page = named_page
    assert page.text('#task-name') == BAD
    shown = page.tab.evaluate('() => document.body.textContent')
    for name in (BAD, LONG, HEBREW):
        assert name in shown
    assert page.find('main img:not([src$="/icon.svg"]), main script, main b').count() == 0
    assert page.tab.evaluate('() => window.__hacked') is None


@pytest.mark.parametrize('named_lesson', [LISTED], ids=['listed'], indirect=True)
def test_a_world_without_places_is_shown_as_a_list_and_rehearsed_in_words(named_page):
    page = named_page
    assert page.find('#picture tbody tr').count() == 4
    assert page.find('#picture tr.asked').inner_text().startswith('? ')
    page.key('r')
    page.wait_until('document.querySelectorAll("#picture ol li").length', 'the steps')
    assert page.text('#rehearsing-text').split()[1].startswith('step')
    page.key('r')
    page.wait_until('document.querySelector("#picture tr.asked")', 'the list')


@pytest.mark.parametrize('named_lesson', [LISTED, DRAWN], ids=['listed', 'drawn'], indirect=True)
def test_long_names_do_not_make_the_page_wider(named_page):
    for width in (360, 1280):
        named_page.tab.set_viewport_size({'width': width, 'height': 740})
        named_page.wait_for_frame()
        assert named_page.tab.evaluate('() => document.scrollingElement.scrollWidth') <= width
