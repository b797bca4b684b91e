"""The page in a real browser, with a simulated robot: go, stop, drive, show, correct."""

from __future__ import annotations

import re
import signal
import time

import pytest
from browser import (
    AS_FOR_PEOPLE,
    NO_CONNECTION,
    PHONE,
    SEEN_FROM,
    Lesson,
    Line,
    Teacher,
    chromium,  # noqa: F401
    open_page,  # noqa: F401
)
from geometry_msgs.msg import Twist
from graph import PAPER, running_graph
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import srv
from gbs_irl_ros.driving.drive_decision import INSISTENT_S
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.links.person_drive import LET_GO_S
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.browser
CUT_OFF = """
format: 1
world:
  kind: grid
  map: |
    s..cd.
    ...c..
    p..c..
  legend: {s: start, c: carpet, d: desk, p: plant}
  cell_size: 1.0
hypotheses: {kind: places, places: [desk, plant], over: {carpet: never}}
start: [start]
"""
WORST_S = 1.0       # within this a robot has been told to stop
TOLD_WITHIN_S = 3.0     # that a robot was not told
SLOW, FAST = 0.05, 1.0      # slow enough not to be there before all has been tried
# Whether nothing lies over an element.
ON_TOP = """(id) => { const box = document.getElementById(id).getBoundingClientRect();
  return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)?.id === id;
}"""
COUNT_PRESSES = "() => addEventListener('pointerdown', () => { window.presses += 1; }, true)"
BY_HAND = 0.4       # a robot that is not told to stop for half a second stays in its cell


@pytest.fixture(scope='module')
def teacher():
    return Teacher('room')


@pytest.fixture(scope='module')
def shared(chromium, tmp_path_factory):  # noqa: F811
    with running_graph(tmp_path_factory.mktemp('robot')) as graph:
        lesson = Lesson(graph, gui={
            'max_speed': BY_HAND, 'max_turn': 4.0, 'odometry_timeout': 5.0, 'hosts': SEEN_FROM})
        lesson.start_robot(speed=FAST)
        lesson.commands = graph.listen(Twist, names.CMD_VEL, qos.COMMANDS)
        yield lesson


@pytest.fixture
def lesson(shared):
    """A lesson at its beginning, and a robot that is wherever the last one left it."""
    assert shared.graph.call(Trigger, names.CONTROLLER_STOP).success
    shared.stopped_at = time.monotonic()
    shared.set_parameters('controller', max_speed=FAST, confidence=0.7)
    shared.begin()
    wait_for(lambda: shared.sections['robot']['pose'], 'a robot')
    wait_for(lambda: shared.sections['robot']['status'] == 'stopped', 'it to stop')
    return shared


def wait_for_status(lesson, *wanted):
    return wait_for(lambda: (now := lesson.sections['robot']['status']) in wanted and now,
                    lambda: f'a robot that is {wanted}; it is {lesson.sections["robot"]}', 40.0)


def wait_until_moving(lesson):
    wait_for_status(lesson, 'driving')
    wait_for(lambda: lesson.commands and is_motion(lesson.commands[-1]), 'a command')


def let_go(page):
    """Press Go, again if the controller does not answer in time or has just been stopped."""
    def replied():
        page.tab.evaluate('document.getElementById("message").textContent = "no reply"')
        page.press('#go')
        page.wait_until('document.getElementById("message").textContent !== "no reply"', 'a reply')
        said = page.find('#message').inner_text()
        if wait := re.search(r'has just been stopped.* after (\d) s', said):
            over = time.monotonic() + int(wait.group(1)) + 0.1
            wait_for(lambda: time.monotonic() > over, 'the moment to pass')
            return False
        return 'did not answer' not in said
    wait_for(replied, 'the controller to answer')


def is_motion(command):
    return command.linear.x != 0.0 or command.angular.z != 0.0


def test_what_is_on_no_list_is_taught_by_showing_the_place_and_then_done(
        lesson, teacher, open_page):  # noqa: F811
    lesson.set_parameters('learner', none_of_these=0.1)
    try:
        lesson.begin(closing=True)
        page = open_page(lesson)
        state = teacher.task.world.appearance.cells.tolist().index([12, 8])
        meant, view = Teacher('room', state), page.wait_for_question()
        while page.find('#misfit').is_hidden():
            page.answer(view, meant.answer(view))
            page.wait_until(
                f'document.getElementById("lesson").dataset.question !== "{view["id"]}" && '
                '(document.getElementById("lesson").dataset.question || '
                '!document.getElementById("misfit").hidden)', 'what comes next')
            if page.find('#misfit').is_hidden():
                view = page.wait_for_question(other_than=view['id'])
        assert page.text('#doing') == 'The robot stands still until it knows what you mean.'
        page.press('#place-go')
        page.press_state(state)
        page.press('#place-send')
        lesson.wait_for_belief(lambda now: now.places, 'the place')
        page.teach(meant)
        assert page.text('#sentence') == 'Got it: go to (12, 8).'
        let_go(page)
        wait_for_status(lesson, 'goal')
        assert lesson.sections['robot']['state'] == state
    finally:
        lesson.begin()          # without the place, which needs what is taken away now
        lesson.set_parameters('learner', none_of_these=0.0)


def time_to_stop(lesson):
    began = time.monotonic()
    wait_for(lambda: not is_motion(lesson.commands[-1]), 'the robot to be stopped', 10.0)
    return time.monotonic() - began


def ways_out(lesson, teacher):
    """Return the state of the robot, and two actions: to another cell and back from there."""
    targets = teacher.task.world.targets
    wait_for(lambda: lesson.sections['robot']['state'] is not None, 'the place of the robot')
    state = lesson.sections['robot']['state']
    for action in range(4):
        there = int(targets[state, action])
        if there != state and int(targets[there, (action + 2) % 4]) == state:
            return state, action, (action + 2) % 4
    raise AssertionError(f'no way out of {state}')


def wait_until_free(lesson):
    """Leave the robot alone until no STOP is held any more against whoever drives."""
    wait_for(lambda: lesson.sections['robot']['reason'] != 'held', 'the STOP to end')
    over = time.monotonic() + LET_GO_S + 0.1
    wait_for(lambda: time.monotonic() > over, 'the moment to pass')


def drive(page, lesson, teacher, action, by='press', anywhere=False):
    """
    Have the page drive to the next cell, and wait until the robot is there.

    On a machine that is too busy, the robot may be stopped on its way, and the page says so: then
    a person presses again, and so does this.

    :param anywhere: whether the robot need not be where it seems to be, and any other cell will
        do: on such a machine it may drive on for a moment.
    """
    world = teacher.task.world
    state = lesson.sections['robot']['state']
    target = int(world.targets[state, action])

    def is_there(robot):
        return robot['state'] != state if anywhere else robot['state'] == target

    def ended():
        robot = lesson.sections['robot']    # it may not show the beginning yet
        return not robot['driving'] and (is_there(robot) or robot['gave_up']) and robot

    for _ in range(10):
        page.tab.evaluate('document.getElementById("message").textContent = "no reply"')
        if by == 'key':
            page.key(['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'][action])
        else:
            page.press(f'#pad [aria-label="drive {world.appearance.action_names[action]}"]')
        page.wait_until('document.getElementById("message").textContent !== "no reply"', 'a reply')
        if refusal := page.find('#message').inner_text():
            if anywhere and 'no way in that direction' in refusal:
                return
            if 'let go for a second' in refusal:    # a STOP of the test before is still held
                wait_until_free(lesson)
            else:
                assert 'does not say where it is' in refusal
            continue
        robot = wait_for(ended, lambda: f'the robot to be in {target}: {lesson.sections["robot"]}')
        if is_there(robot):
            return
        page.wait_for_text('#message', 'The robot was stopped on its way')
    raise AssertionError(f'the robot never came to {target}; it is at {lesson.sections["robot"]}')


def leave_goal(page, lesson, teacher):
    """Drive a few cells, so that there is something left to be done; stay in the drive mode."""
    page.press('#drive')
    for _ in range(4):
        state = lesson.sections['robot']['state']
        for action in range(4):
            if int(teacher.task.world.targets[state, action]) != state:
                drive(page, lesson, teacher, action, anywhere=True)
                break


def test_a_taught_robot_goes_can_be_stopped_in_every_way_and_reaches_its_goal(
        lesson, teacher, open_page, tmp_path):  # noqa: F811
    page = open_page(lesson)
    page.teach(teacher)
    leave_goal(page, lesson, teacher)
    page.press('#drive')
    lesson.set_parameters('controller', max_speed=SLOW)
    let_go(page)
    wait_until_moving(lesson)
    page.wait_until('document.querySelector(".way.ahead:not(.under)")', 'the way ahead')
    assert page.text('#saved') == 'All saved. If you close this page, the robot drives on.'

    def with_help_open():
        page.press('#help')
        page.wait_until('document.getElementById("help-box").open', 'the help')
        page.find('#keys-on').focus()

    ways = {
        'the button': (lambda: None, lambda: page.press('#stop')),
        'space': (lambda: page.find('#sentence').focus(), lambda: page.key('Space')),
        'escape': (lambda: page.find('#rehearse').focus(), lambda: page.key('Escape')),
        'space on another button': (lambda: page.find('#undo').focus(), lambda: page.key('Space')),
        'space in the help': (with_help_open, lambda: page.key('Space')),
        'the button beside the help': (with_help_open, lambda: page.press('#stop')),
        'escape in the help': (with_help_open, lambda: page.key('Escape'))}
    answers = lesson.belief.answers
    for name, (prepare, stop) in ways.items():
        if not page.find('#go').is_disabled():
            let_go(page)
        wait_until_moving(lesson)
        page.wait_until('document.getElementById("go").disabled', 'the page to see it move')
        prepare()
        stop()
        assert time_to_stop(lesson) <= patience(WORST_S), name
        wait_for_status(lesson, 'stopped')
        page.wait_until('!document.getElementById("go").disabled', 'the page to see it stopped')
        if page.find('#help-box').is_visible():
            page.find('#keys-on').focus()
            page.key('Escape')
            assert not page.find('#help-box').is_visible()
    assert lesson.belief.answers == answers         # nothing else was pressed by that

    lesson.set_parameters('controller', max_speed=FAST)
    let_go(page)
    wait_for_status(lesson, 'goal')
    page.wait_for_text('#sentence', 'I have arrived. Was that right?')
    page.wait_for_text('#doing', 'Done: the robot is at its goal.')
    page.tab.screenshot(path=tmp_path / 'there.png')
    desk = teacher.task.world.appearance.regions['desk']
    assert lesson.sections['robot']['state'] in desk


def stop_by_escape(page):
    """Press Escape; the page may say meanwhile that the controller has not answered yet."""
    page.key('Escape')
    page.wait_for_text('#message', 'Stopped.')


def test_a_robot_that_only_waits_for_a_moment_is_stopped_too(
        lesson, teacher, open_page):  # noqa: F811
    """It waits for the learner, and would drive on by itself."""
    page = open_page(lesson)
    page.teach(teacher)
    leave_goal(page, lesson, teacher)
    lesson.set_parameters('controller', max_speed=SLOW)
    let_go(page)
    wait_until_moving(lesson)
    page.press('#help')
    page.find('#keys-on').focus()
    lesson.learner.send(signal.SIGSTOP)
    try:
        page.wait_until('document.getElementById("doing").textContent.includes("Reason:")',
                        'the page to see it stopped')
        stop_by_escape(page)
    finally:
        lesson.learner.send(signal.SIGCONT)
    page.wait_for_text('#doing', 'You have stopped the robot. Start lets it go on from here; '
                                 'Drive moves it by hand.')
    wait_for_status(lesson, 'stopped')


def test_a_stop_that_nobody_hears_is_told_soon(lesson, open_page):  # noqa: F811
    """So that the person runs to the switch on the robot."""
    line = Line(lesson)
    try:
        page = open_page(lesson, url=line.url, expected=NO_CONNECTION, **PHONE)
        page.wait_for_question()
        page.wait_until('!document.getElementById("stop").hidden', 'the stop button')
        line.die()
        page.wait_until('(document.getElementById("stop").click(), document.getElementById('
                        '"alarm").textContent === "Stopping …")', 'STOP to be shown at once')
        page.wait_for_text('#alarm', 'could not be told to stop', TOLD_WITHIN_S)
    finally:
        line.close()


def test_a_stop_that_nobody_heard_is_sent_as_soon_as_the_line_is_there(
        lesson, open_page):  # noqa: F811
    line = Line(lesson)
    try:
        page = open_page(lesson, url=line.url, expected=NO_CONNECTION, **PHONE)
        page.wait_for_question()
        # A STOP of the test before may still be on its way, so Go is pressed until it counts.
        wait_for(lambda: lesson.sections['robot']['reason'] != 'not_allowed' or let_go(page),
                 lambda: f'a robot that may move; it is {lesson.sections["robot"]}')
        line.cut()
        page.wait_for_text('#link', 'Connection lost')
        page.press('#stop')
        page.wait_for_text('#alarm', 'could not be told to stop')
        page.wait_for_text('#alarm', 'STOP is sent again as soon as there is a connection')
        assert page.tab.evaluate(ON_TOP, 'alarm')
        line.repair()
        wait_for(lambda: lesson.sections['robot']['reason'] == 'not_allowed', 'the robot to stop')
        page.wait_for_text('#message', 'Stopped')
        assert page.text('#alarm') == ''
    finally:
        line.close()


@pytest.mark.parametrize('how', ['closed', 'dead'])
def test_driving_by_hand_ends_when_the_page_is_gone(
        lesson, teacher, open_page, how):  # noqa: F811
    line = Line(lesson)
    page = open_page(lesson, url=line.url, expected=NO_CONNECTION, **PHONE)
    page.wait_for_question()
    page.press('#drive')
    _, there, _ = ways_out(lesson, teacher)
    name = teacher.task.world.appearance.action_names[there]
    wait_until_free(lesson)
    lesson.set_parameters('gui', max_speed=0.02, presence_timeout=0.5)
    try:
        again_at = [time.monotonic()]

        def is_driven():
            if time.monotonic() > again_at[0]:      # held by an earlier STOP: it wants a second
                page.press(f'#pad [aria-label="drive {name}"]')
                again_at[0] = time.monotonic() + 1.5
            robot = lesson.sections['robot']
            return robot['driving'] and robot['status'] == 'manual'
        wait_for(is_driven, lambda: f'the robot to be driven; it is {lesson.sections["robot"]}')
        if how == 'closed':
            page.tab.close()
        else:
            line.die()
        wait_for(lambda: 'the page was not heard for 0.5 s' in lesson.sections['robot']['gave_up'],
                 lambda: f'the robot to be stopped; it is {lesson.sections["robot"]}')
        wait_for(lambda: not is_motion(lesson.commands[-1]), 'the last command to be heard')
    finally:
        lesson.set_parameters('gui', max_speed=BY_HAND, presence_timeout=5.0)
        line.close()


def test_driving_is_recorded_and_becomes_a_demonstration(
        lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson, **PHONE)
    page.wait_for_question()
    state, out, back = ways_out(lesson, teacher)
    page.press('#drive')
    page.press('#record')
    page.wait_for_text('#driving-text', 'Recording: 0 steps')
    drive(page, lesson, teacher, out)
    page.wait_for_text('#driving-text', 'Recording: 1 step.')
    page.press('#discard')
    page.wait_for_text('#message', 'Discarded.')
    page.press('#record')
    page.wait_for_text('#driving-text', 'Recording: 0 steps')
    drive(page, lesson, teacher, back)
    drive(page, lesson, teacher, out)
    page.wait_for_text('#driving-text', 'Recording: 2 steps')
    page.press('#recorded')
    lesson.wait_for_answers(1)
    entry, = lesson.history.entries
    there = int(teacher.task.world.targets[state, out])
    assert entry.answer.answer.steps == ((there, back), (state, out))
    assert (entry.question, entry.correction) == (None, False)
    page.wait_for_text('#entries', 'You showed me.')


def test_in_the_drive_mode_arrow_keys_drive_and_do_not_answer(
        lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    view = page.wait_for_question()
    _, out, back = ways_out(lesson, teacher)
    page.key('m')
    page.wait_until('!document.getElementById("driving").hidden', 'the drive mode')
    page.wait_for_text('#sentence', 'You are driving.')
    page.wait_for_text('#hint', 'they do not answer')
    drive(page, lesson, teacher, out, by='key')
    there = lesson.sections['robot']['state']
    for action in (back, out, back, out):       # faster than it drives: none is dropped
        page.key(['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'][action])
    page.wait_for_text('#driving-text', 'presses to go')
    page.wait_until('!document.getElementById("driving-text").textContent.includes("to go")',
                    'all of them', 60.0)
    wait_for(lambda: not (now := lesson.sections['robot'])['driving'] and now['state'] == there,
             lambda: f'the robot to be back in {there}: {lesson.sections["robot"]}', 40.0)
    assert page.wait_for_question()['id'] == view['id']
    assert lesson.belief.answers == 0
    page.press('#driven')
    page.wait_for_text('#sentence', 'which way should I go?')


def test_taking_over_is_one_correction(lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    page.teach(teacher)
    count = lesson.belief.answers
    leave_goal(page, lesson, teacher)
    lesson.set_parameters('controller', max_speed=SLOW)
    let_go(page)
    wait_until_moving(lesson)
    page.wait_for_text('#driving-text', 'take over')
    assert not page.find('#record').is_visible()
    _, out, _ = ways_out(lesson, teacher)
    name = teacher.task.world.appearance.action_names[out]
    page.press(f'#pad [aria-label="drive {name}"]')
    wait_for_status(lesson, 'manual')
    page.wait_for_text('#doing', 'You are driving.')
    lesson.wait_for_answers(count + 1)
    page.wait_for_text('#entries', 'You corrected me.')
    wait_for_status(lesson, 'driving', 'unsure', 'goal', 'staying')
    page.press('#stop')
    wait_for_status(lesson, 'stopped')
    corrections = [entry for entry in lesson.history.entries if entry.question is None]
    assert [entry.correction for entry in corrections] == [True]
    assert corrections[0].answer.by == 'controller'


def test_a_path_is_clicked_over_everything_that_is_drawn_on_the_map(
        lesson, teacher, open_page):  # noqa: F811
    """The robot's own place and the star of a goal are where paths begin and end."""
    page = open_page(lesson)
    page.wait_for_question()
    page.press('#path')
    robot = lesson.sections['robot']['state']
    page.press_state(robot)
    page.wait_for_text('#pathing-text', 'Now press where the route continues.')
    star = lesson.sections['policy']['goals'][0]
    if star == robot:
        _, action, _ = ways_out(lesson, teacher)
        star = int(teacher.task.world.targets[robot, action])
    page.press_state(star)
    page.wait_for_text('#pathing-text', 'Is every step as you want it?')
    before = page.text('#likely')
    page.press('#path-send')
    lesson.wait_for_answers(1)
    steps = lesson.history.entries[0].answer.answer.steps
    assert steps[0][0] == robot
    # What is shown then is of after the path: how likely each task is, and a question to answer.
    view = page.wait_for_question()
    assert view['state'] not in [state for state, _ in steps]
    page.wait_for_frame()
    assert page.text('#likely') != before
    for task in lesson.sections['belief']['likely'][:2]:
        assert f'{task["name"]}\n{task["probability"]:.0%}'.replace('%', ' %') \
            in page.text('#likely')
    assert page.find('#spot button:visible').count() >= 2


def test_while_a_path_is_shown_no_arrow_answers_the_question(lesson, open_page):  # noqa: F811
    """The arrows lie over cells that the path may lead through."""
    page = open_page(lesson)
    view = page.wait_for_question()
    page.press('#path')
    page.wait_for_frame()
    asked = view['state']
    page.press_state(asked)
    page.wait_for_text('#pathing-text', 'Now press where the route continues.')
    assert page.find('#spot button:visible').count() == 0


def test_the_page_shows_what_the_robot_would_do(lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    page.teach(teacher)         # it shows its route by itself, once
    page.wait_for_text('#rehearsing-text', 'then: the goal')
    expected = lesson.sections['robot']['state']
    count = int(page.text('#rehearsing-text').split()[0])
    page.wait_until(
        'document.querySelector(".way.rehearsal")?.getAttribute("points").split(" ").length '
        f'=== {count + 1}', 'the whole way')
    assert lesson.sections['robot']['state'] == expected        # it is only shown
    wide = page.tab.viewport_size
    page.tab.set_viewport_size(PHONE['viewport'])
    page.wait_for_frame()
    starts = [page.find(f'#{name}').is_visible() for name in ('go', 'done-start')]
    assert starts == [False, True]              # one is enough on so small a screen
    page.tab.set_viewport_size(wide)
    page.press('#rehearsed')
    page.wait_until('!document.querySelector(".way.rehearsal")', 'the end of it')
    page.press('#rehearse')
    page.wait_until('document.querySelector(".way.rehearsal")', 'the way again')
    page.press('#undo')         # it may be another way by now
    page.wait_until('!document.querySelector(".way.rehearsal")', 'the end of it')
    assert page.find('.chip.known').count() < 2


# ---- start now, ask on the way --------------------------------------------------------------


def by_task(page, teacher):
    page.press('#choices button:has-text("Kitchen")')
    page.press('#choices button >> nth=0')


def by_places(page, teacher):
    page.press_name('sofa')
    page.lesson.wait_for_answers(1)
    page.wait_for_text('#favourite', 'sofa')        # what is pressed next is in its place
    page.press('#open-regions >> text=carpet')


def by_arrows(page, teacher):
    view = page.wait_for_question()
    for _ in range(2):
        page.answer(view, teacher.answer(view))
        view = page.wait_for_question(other_than=view['id'])


def test_three_presses_lead_from_the_question_to_start_and_the_rest_is_asked_on_the_way(
        lesson, teacher, open_page):  # noqa: F811
    """By the task, by places on the map, by arrows; what is open is asked where it matters."""
    world = teacher.task.world
    page = open_page(lesson)
    page.tab.evaluate(COUNT_PRESSES)
    lesson.set_parameters('learner', **AS_FOR_PEOPLE)
    # One who has just been stopped is not let go at once.
    wait_for(lambda: time.monotonic() > lesson.stopped_at + INSISTENT_S, 'the moment to pass')
    try:
        for way, kinds, goal in ((by_task, '', 'kitchen'), (by_places, '', 'sofa'),
                                 (by_arrows, 'action', 'desk')):
            lesson.begin(kinds=kinds, closing=True)
            page.wait_for_question()
            page.tab.evaluate('() => { window.presses = 0; }')
            way(page, teacher)
            page.wait_until('document.getElementById("entries").children.length > 0', 'the last')
            assert page.text('#go') == 'Start now, ask on the way'
            sure = lesson.belief.sure >= 0.9        # only then it is recommended
            assert ('main' in (page.find('#go').get_attribute('class') or '')) == sure, goal
            page.press('#go')
            assert page.tab.evaluate('() => window.presses') == 3, goal
            asked = answers_on_the_way(page, lesson, teacher)
            assert lesson.sections['robot']['state'] in world.appearance.regions[goal]
            page.wait_for_text('#sentence', 'I have arrived. Was that right?')
        assert asked                            # by arrows alone it cannot know enough
        assert page.find('#go').is_visible()
        answers = lesson.belief.answers
        page.press('#arrived-yes')
        lesson.wait_for_answers(answers + 1)
        assert lesson.history.entries[-1].said == 'go to desk'
    finally:
        lesson.set_parameters('learner', **PAPER)


def answers_on_the_way(page, lesson, teacher):
    """Answer whatever the robot asks on its way to the goal; return how often it did."""
    asked = set()

    def has_arrived():
        robot, view = lesson.sections['robot'], lesson.sections['question']
        if view and view['id'] not in asked and robot['status'] == 'unsure':
            assert view['state'] == robot['state']      # it asks where it stands
            page.wait_until(f'document.getElementById("lesson").dataset.question === '
                            f'"{view["id"]}"', 'the question on the page')
            assert 'moves' in page.find('#stop').get_attribute('class')     # it will, at once
            assert page.find('#go').is_hidden()
            asked.add(view['id'])
            page.answer(view, teacher.answer(view))
        return robot['status'] == 'goal'
    wait_for(has_arrived, lambda: f'a robot at its goal: {lesson.sections["robot"]}', 60.0)
    return len(asked)


def test_a_robot_that_was_told_that_it_is_enough_asks_more_if_told_to(
        lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    view = page.wait_for_question()
    page.key('ArrowRight')
    page.wait_for_question(other_than=view['id'])
    lesson.set_parameters('controller', max_speed=SLOW, confidence=0.0)     # asks nothing itself
    page.key('e')
    page.wait_for_text('#enough', 'Ask me more')
    page.press('#enough')
    page.wait_for_question()


def test_a_robot_that_knows_enough_does_not_offer_to_ask_more(
        lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    page.teach(teacher)
    page.wait_for_text('#left', 'No more questions')
    assert not page.find('#enough').is_visible()


def test_a_lesson_is_paused_and_resumed(lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    view = page.wait_for_question()
    page.press('#pause')
    page.wait_for_text('#sentence', 'Paused.')
    assert lesson.belief.status is Status.PAUSED
    assert page.find('#notes button:visible').count() == 0
    page.key('p')
    assert page.wait_for_question()['state'] == view['state']
    page.key('p')
    page.wait_for_text('#sentence', 'Paused.')
    assert page.text('#pause').startswith('Resume')
    page.press('#pause')
    page.wait_for_question()


def test_starting_over_keeps_the_old_lesson_on_disk(lesson, teacher, open_page):  # noqa: F811
    page = open_page(lesson)
    view = page.wait_for_question()
    page.answer(view, teacher.answer(view))
    page.wait_for_question(other_than=view['id'])
    page.wait_for_text('#entries', 'Change')    # the last that moves the buttons below it
    journals = set((lesson.graph.folder / 'journals').glob('*.jsonl'))
    session = lesson.belief.session
    page.unfold('about')
    page.press('#reset')
    page.press('#reset-no')
    assert not page.find('#reset-box').is_visible()
    assert lesson.belief.session == session
    page.press('#reset')
    page.press('#reset-yes')
    lesson.wait_for_belief(lambda now: now.session not in ('', 'none', session)
                           and now.question_id, 'a new lesson')
    page.wait_until('document.querySelectorAll("#entries li").length === 0', 'an empty list')
    # The bar below says what a person wants to know, in one line.
    page.wait_for_text('#doing', 'Ready.')
    assert 'enable' not in page.text('#controls')
    page.tab.set_viewport_size(PHONE['viewport'])
    page.wait_for_frame()
    assert page.find('#controls').bounding_box()['height'] < 0.2 * PHONE['viewport']['height']
    after = set((lesson.graph.folder / 'journals').glob('*.jsonl'))
    assert len(after) == len(journals) + 1
    assert any(session in file.read_text() for file in after)


def test_never_means_never_unless_it_is_allowed_for_this_once(
        graph, tmp_path, open_page):  # noqa: F811
    file = tmp_path / 'cut_off.yaml'
    file.write_text(CUT_OFF)
    lesson = Lesson(graph, file, learner=AS_FOR_PEOPLE)
    lesson.start_robot(speed=FAST)
    commands = graph.listen(Twist, names.CMD_VEL, qos.COMMANDS)
    page = open_page(lesson)
    page.wait_for_question()
    page.press_name('desk')
    lesson.wait_for_answers(1)
    wait_for(lambda: (lesson.sections['robot'] or {}).get('forbidden'), 'what is in the way')
    page.press('#go')
    page.wait_for_text('#sentence', 'There is no way to the desk that keeps off the carpet. '
                                    'May I drive over it this once?')
    page.press('#consent-no')
    page.wait_for_text('#sentence', 'What do you want to say?')
    # Whoever lets it go without being asked has not allowed that either.
    assert graph.call(srv.Go, names.CONTROLLER_GO, srv.Go.Request()).ok
    wait_for(lambda: lesson.sections['robot']['reason'] == 'forbidden', 'the robot to say no')
    assert not any(map(is_motion, commands))
    page.wait_for_text('#sentence', 'There is no way to the desk that keeps off the carpet.')
    page.press('#consent-yes')
    wait_for_status(lesson, 'goal')
    page.wait_for_text('#sentence', 'I have arrived. Was that right?')
    assert lesson.sections['robot']['state'] in load_task(file).world.appearance.regions['desk']


def test_a_robot_without_a_controller_is_stopped_without_an_alarm(
        graph, open_page):  # noqa: F811
    lesson = Lesson(graph, gui={'max_speed': SLOW})
    lesson.simulator = graph.start('simulator', noise=0.0)
    lesson.commands = graph.listen(Twist, names.CMD_VEL, qos.COMMANDS)
    page = open_page(lesson)
    page.wait_for_question()
    page.wait_until('!document.getElementById("drive").hidden', 'a robot')
    page.key('m')
    page.wait_until('!document.getElementById("driving").hidden', 'the drive mode')
    teacher = Teacher('room')
    _, out, _ = ways_out(lesson, teacher)
    page.key(['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft'][out])
    wait_for(lambda: lesson.commands and is_motion(lesson.commands[-1]), 'the robot to move')
    page.wait_until('!document.getElementById("stop").hidden', 'the stop button')
    page.key('Space')
    assert time_to_stop(lesson) <= patience(WORST_S)
    page.wait_for_text('#message', 'Stopped.')
