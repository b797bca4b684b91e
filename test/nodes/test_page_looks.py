"""How the page looks in a real browser: every size, access for all, large worlds, pictures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from browser import (
    ALL_KINDS,
    PHONE,
    WATCH_DRAWING,
    WHOLE_KINDS,
    Lesson,
    Teacher,
    chromium,  # noqa: F401
    open_page,  # noqa: F401
)
from graph import running_graph
from std_srvs.srv import Trigger
from waiting import wait_for

from gbs_irl_ros.ros import names
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.browser
WIDTHS = (360, 768, 1280, 2560)
SMALLEST_PX = 44
DRAWN_WITHIN_MS = 3000          # on a busy machine; bench/page_latency.py prints the figures
PICTURES = Path(__file__).parents[2] / 'docs' / 'page'
BIG = f"""
format: 1
name: big
description: A hall of 135 x 125 cells.
world:
  kind: grid
  map: |
{chr(10).join(['    ' + '.' * 135] * 125)}
  moves: [north, east, south, west, stay]
hypotheses: {{kind: goals, goals: [[0, 0], [134, 0], [0, 124], [134, 124]]}}
start: [[67, 62]]
truth: {{hypothesis: 0}}
"""


@pytest.fixture(scope='module')
def shared(chromium, tmp_path_factory):  # noqa: F811
    with running_graph(tmp_path_factory.mktemp('looks')) as graph:
        lesson = Lesson(graph, gui={'max_speed': 2.0, 'max_turn': 4.0})
        lesson.start_robot(rate=5.0)        # it hardly moves here
        yield lesson


@pytest.fixture
def lesson(shared):
    """Questions of every kind, and a robot that has stopped."""
    shared.graph.call(Trigger, names.CONTROLLER_STOP)
    shared.begin(kinds=f'{WHOLE_KINDS},{ALL_KINDS}', certainty=0.0)
    wait_for(lambda: shared.sections['robot']['pose'], 'a robot')
    return shared


def every_state(page, lesson):
    """Bring the page into one state after another, as a person does; yield their names."""
    for kind in f'{WHOLE_KINDS},{ALL_KINDS}'.split(','):
        page.wait_for_kind(kind)
        if kind == 'demonstration':
            page.press('#spot button >> nth=0')
            page.wait_for_text('#choices p', '1 of')
        yield kind
    page.change(1)
    yield 'history being edited'
    page.press('#edit >> text=Cancel')
    if page.find('#side-close').is_visible():
        page.press('#side-close')
    page.press('#drive')
    page.press('#record')
    page.wait_for_text('#driving-text', 'Recording')
    yield 'driving'
    page.press('#discard')
    page.wait_for_text('#message', 'Discarded.')
    page.press('#driven')
    page.press('#place-way')
    yield 'pointing at a place'
    page.press('#place-cancel')
    page.press('#path')
    page.wait_until('!document.getElementById("pathing").hidden', 'the path mode')
    yield 'showing a path'
    page.press('#path')
    page.press('#rehearse')
    page.wait_until('!document.getElementById("rehearsing").hidden', 'the rehearsal')
    yield 'rehearsal'
    page.press('#rehearsed')
    page.press('#help')
    page.wait_until('document.getElementById("help-box").open', 'the help')
    yield 'help'
    assert page.find('#help-box').evaluate('(box) => box.scrollTop') == 0
    page.press('#tour-again')
    yield 'introduction'
    page.press('#tour-next')
    page.press('#tour-next')
    page.press('#tour-practise')
    yield 'practice'
    page.press('#practice-box >> text=Close')
    page.unfold('about')
    yield 'the side'
    page.press('#reset')
    page.wait_until('document.getElementById("reset-box").open', 'the box')
    yield 'starting over'
    page.press('#reset-no')
    if page.find('#side-close').is_visible():
        page.press('#side-close')
    page.press('#pause')
    page.wait_for_text('#sentence', 'Paused.')
    yield 'paused'
    page.press('#pause')
    page.wait_for_question()
    lesson.graph.call(Trigger, names.LEARNER_FINISH)
    page.wait_for_text('#sentence', 'I do what I know so far')
    yield 'done'


# ---- sizes --------------------------------------------------------------------------------------

SMALL_BUTTONS = """(smallest) => [...document.querySelectorAll('button')].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.checkVisibility() && (box.width < smallest - 0.1 || box.height < smallest - 0.1);
}).map((each) => `${each.id || each.getAttribute('aria-label') || each.textContent}: `
  + `${each.getBoundingClientRect().width} x ${each.getBoundingClientRect().height}`)"""

# What is cut off at the right, other than what can be scrolled to, or is a drawing.
TOO_WIDE = """(width) => [...document.querySelectorAll('body *')].filter((each) =>
  each.checkVisibility() && !each.closest('#stage, #rail, .unseen')
  && each.getBoundingClientRect().right > width + 0.5).map((each) => each.id || each.className
  || each.tagName).concat(document.scrollingElement.scrollWidth > width ? ['the page'] : [])"""

# Answers that something else lies over, other than a box that was opened: nobody can press them.
COVERED = """() => [...document.querySelectorAll('#spot button')].filter((each) => {
  if (!each.checkVisibility() || document.querySelector('dialog[open]')) return false;
  const box = each.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  const top = document.elementFromPoint(x, y);
  return y > 0 && y < innerHeight && top && !each.contains(top)
    && !document.getElementById('side').contains(top);
}).map((each) => each.getAttribute('aria-label'))"""
# Whether one element lies over another.
OVERLAPS = """(ids) => { const [one, other] = ids.map(
    (id) => document.getElementById(id).getBoundingClientRect());
  return one.left < other.right && other.left < one.right
    && one.top < other.bottom && other.top < one.bottom; }"""


def test_at_every_width_nothing_is_cut_off_and_every_button_can_be_hit(
        lesson, open_page):  # noqa: F811
    page = open_page(lesson, **{**PHONE, 'device_scale_factor': 1})     # fewer dots to paint
    problems = []
    for state in every_state(page, lesson):
        for width in WIDTHS:
            page.tab.set_viewport_size({'width': width, 'height': 740})
            page.wait_for_frame()
            for what, script, given in (('small', SMALL_BUTTONS, SMALLEST_PX),
                                        ('too wide', TOO_WIDE, width),
                                        ('covered', COVERED, None)):
                found = page.tab.evaluate(script, given)
                problems += [f'{state} at {width} px: {what}: {each}' for each in found]
        page.tab.set_viewport_size(PHONE['viewport'])
        page.wait_for_frame()
    assert problems == []


def test_on_a_phone_the_question_and_its_answers_are_seen_at_once(
        lesson, open_page):  # noqa: F811
    """Nobody scrolls to find out what was asked, or how to answer."""
    page = open_page(lesson, **PHONE)
    for kind in ('action', 'yes_no', 'reward', 'demonstration'):
        page.wait_for_kind(kind)
        page.wait_for_frame()
        page.tab.evaluate('() => scrollTo(0, 0)')
        buttons = '#spot button:visible' if kind in ('action', 'demonstration') \
            else '#choices > button:visible'
        bottom = page.find('#controls').bounding_box()['y']
        assert page.find('#sentence').bounding_box()['y'] >= 0
        for button in page.find(buttons).all():
            box = button.bounding_box()
            assert box['y'] >= 0, kind
            assert box['y'] + box['height'] <= bottom, f'{kind}: {button.inner_text()}'
    view = page.wait_for_kind('action')
    page.press('#spot button:visible >> nth=0')
    page.wait_for_question(other_than=view['id'])
    page.wait_for_kind('action')
    looks = page.tab.evaluate(
        '() => [...document.querySelectorAll("#spot button")].filter((each) => '
        'each.checkVisibility()).map((each) => getComputedStyle(each).backgroundColor)')
    assert len(set(looks)) == 1         # the arrow that was tapped is not marked any more


# ---- for everybody ------------------------------------------------------------------------------


KNOWN = "['#doing']"       # see the test below


def serious(page, *rules):
    """Return what axe finds serious or critical, by all its rules unless some are named."""
    Axe = pytest.importorskip('axe_playwright_python.sync_playwright', reason=(
        'accessibility is NOT TESTED: axe is missing; pip install axe-playwright-python')).Axe
    options = {'resultTypes': ['violations'], **({'runOnly': list(rules)} if rules else {})}
    # Half a megabyte of script is enough once; a second time nothing is in its place.
    axe = Axe('0') if page.tab.evaluate('() => Boolean(window.axe)') else Axe()
    found = axe.run(page.tab, options=options).response['violations']
    return [f'{each["id"]}: {node["target"]} {node.get("failureSummary", "")[:200]}'
            for each in found if each['impact'] in ('serious', 'critical')
            for node in each['nodes']]


def test_no_serious_barrier_in_any_state(lesson, open_page):  # noqa: F811
    page = open_page(lesson, bypass_csp=True)
    problems = []
    for state in every_state(page, lesson):
        for width in (360, 1280):
            page.tab.set_viewport_size({'width': width, 'height': 860})
            for colours, rules in (('dark', ['color-contrast']), ('light', [])):
                page.tab.emulate_media(color_scheme=colours)
                page.wait_for_frame()
                problems += [f'{state}, {colours}, at {width} px: {each}'
                             for each in serious(page, *rules) if KNOWN not in each]
        unnamed = page.tab.evaluate(
            '() => [...document.querySelectorAll("button, input")].filter((each) => '
            'each.checkVisibility() && !(each.getAttribute("aria-label") || each.textContent '
            '|| each.labels?.[0]?.textContent || "").trim()).map((each) => each.outerHTML)')
        problems += [f'{state}: no name: {each}' for each in unnamed]
    assert problems == []


# Buttons whose words can hardly be read, also where they are not shown now.
FAINT = """() => {
  const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => parts(colour).slice(0, 3).map((part) => part / 255).map((part) => (
    part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (each) => {
    const colour = getComputedStyle(each).backgroundColor;
    return (parts(colour)[3] ?? 1) > 0.99 ? colour : ground(each.parentElement);
  };
  const hidden = [...document.querySelectorAll('[hidden]')];
  hidden.forEach((each) => { each.hidden = false; });
  const faint = [...document.querySelectorAll('button')].filter((each) => !each.disabled)
    .map((each) => [each.id || each.textContent, [getComputedStyle(each).color, ground(each)]
      .map(light).sort((one, other) => other - one)])
    .map(([name, [high, low]]) => [name, (high + 0.05) / (low + 0.05)])
    .filter(([, contrast]) => contrast < 4.5);
  hidden.forEach((each) => { each.hidden = true; });
  return faint;
}"""


def test_no_serious_barrier_in_the_bar_below(lesson, open_page):  # noqa: F811
    page = open_page(lesson, viewport={'width': 360, 'height': 740}, bypass_csp=True)
    page.wait_for_question()
    page.wait_until('!document.getElementById("controls").hidden', 'the bar')
    assert serious(page) == []
    for colours in ('light', 'dark'):
        page.tab.emulate_media(color_scheme=colours)
        page.wait_for_frame()
        assert page.tab.evaluate(FAINT) == [], colours


def test_no_serious_barrier_at_the_key_box(lesson, open_page):  # noqa: F811
    page = open_page(lesson, url=f'{lesson.base}/', bypass_csp=True)
    page.wait_until('document.getElementById("key-box").open', 'the box')
    assert serious(page) == []


def test_nothing_moves_for_those_who_want_no_motion(lesson, open_page):  # noqa: F811
    calm = open_page(lesson, reduced_motion='reduce')
    lively = open_page(lesson, reduced_motion='no-preference')
    for page in (calm, lively):
        page.wait_for_kind('action')
        page.wait_for_frame()
    running = '() => document.getAnimations().length'
    assert calm.tab.evaluate(running) == 0
    assert lively.tab.evaluate(running) > 0         # the comparison sees animations
    calm.press('#rehearse')
    calm.wait_until('document.querySelector(".way.rehearsal")', 'the whole way at once')
    assert calm.tab.evaluate(running) == 0


def test_forced_colours_hide_no_button(lesson, open_page):  # noqa: F811
    page = open_page(lesson, forced_colors='active')
    page.wait_for_kind('action')
    looks = page.tab.evaluate(
        '() => [...document.querySelectorAll("button")].filter((each) => each.checkVisibility())'
        '.map((each) => { const style = getComputedStyle(each); return [each.id || '
        'each.textContent, style.color, style.backgroundColor, style.borderTopColor]; })')
    assert looks
    for name, ink, back, border in looks:
        assert ink != back, name
        assert border != back, name


def test_colour_is_never_alone(lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    page.wait_for_kind('action')
    assert page.text('#stop').strip() == 'STOP'
    assert page.find('.overlay .asked-mark').text_content() == '?'
    told = page.find('#picture canvas').get_attribute('aria-label')
    assert 'a map of 14 by 10 cells; with kitchen, sofa, desk, bed, door, carpet and toys' in told
    assert 'Around it: north: ' in told


def test_nothing_is_painted_as_a_fact_before_it_is_believed(lesson, open_page):  # noqa: F811
    """No arrows, stars or colours at first; the arrows around the mouse, stars from 30 % on."""
    lesson.begin(kinds='action')
    page = open_page(lesson)
    view, teacher = page.wait_for_question(), Teacher('room')
    page.wait_for_frame()
    assert page.find('.overlay :is(.goal, .would)').count() == 0
    while not page.find('.overlay .goal').count():
        page.answer(view, teacher.answer(view))
        view = page.wait_for_question(other_than=view['id'])
        page.wait_for_frame()
    places = lesson.sections['belief']['facets']['places']
    assert max(place['probability'] for place in places) >= 0.3
    page.tab.mouse.move(*page.cell_middle(view['state']))
    page.wait_until('document.querySelector(".overlay .would")', 'arrows around the mouse')


# Share of the window in which the map is what one would press.
MAP_SHARE = """() => {
  let [all, map] = [0, 0];
  for (let x = 4; x < innerWidth; x += 8) {
    for (let y = 4; y < innerHeight; y += 8) {
      all += 1;
      if (document.elementFromPoint(x, y)?.closest('#stage')) map += 1;
    }
  }
  return map / all;
}"""


def test_the_map_has_most_of_the_window_and_messages_lie_over_everything(
        lesson, open_page):  # noqa: F811
    page = open_page(lesson, viewport={'width': 1280, 'height': 800})
    for kind in ('task', 'action'):
        page.wait_for_kind(kind)
        page.wait_for_frame()
        assert page.tab.evaluate(MAP_SHARE) >= 0.55, kind
        page.tab.evaluate("async () => (await import('/toast.js')).tell('A message is told')")
        assert page.tab.evaluate(OVERLAPS, ['toast', 'card']) is False, kind
    for width, height in ((1280, 720), (1280, 800), (360, 740), (844, 390), (640, 400)):
        page.tab.set_viewport_size({'width': width, 'height': height})
        page.wait_for_frame()
        view = page.wait_for_kind('action')
        for name in ('sentence', 'undo', 'go'):
            box = page.find(f'#{name}').bounding_box()
            assert 0 <= box['y'] <= box['y'] + box['height'] <= height, (name, width)
        page.press('#spot button:visible >> nth=0')
        page.wait_for_question(other_than=view['id'])
        page.wait_for_text('#message', 'You said: ')
        assert page.tab.evaluate("""() => {
          const box = document.getElementById('message').getBoundingClientRect();
          return document.elementFromPoint(box.left + 4, box.top + 6)?.id; }""") == 'message'


def test_two_inputs_and_other_keys_are_enough(lesson, open_page):  # noqa: F811
    lesson.begin(kinds='action')
    page = open_page(lesson)
    view = page.wait_for_question()
    page.press('#help')
    page.press('[aria-label="Another key for: undo"]')
    page.key('r')
    page.wait_for_text('#keys-text', 'The key “r” is used already.')
    page.press('[aria-label="Another key for: undo"]')
    page.key('z')
    page.wait_for_text('#keys-text', '“z” now means: undo.')
    page.find('#scanning').check()
    page.press('#help-box form button')
    page.wait_until('!document.getElementById("help-box").open', 'the help to close')
    page.find('#sentence').focus()
    page.key('Space')                           # to the first choice
    assert page.tab.evaluate('() => document.activeElement.parentElement.id') == 'spot'
    page.key('Enter')
    page.wait_for_question(other_than=view['id'])
    lesson.wait_for_answers(1)
    page.key('u')                               # means nothing any more
    page.key('z')
    lesson.wait_for_answers(0)
    page.press('#help')
    page.find('#scanning').uncheck()
    page.press('#keys-reset')


def test_the_first_visit_is_explained_in_three_steps_once(lesson, open_page):  # noqa: F811
    page = open_page(lesson)
    page.wait_for_question()
    page.tab.evaluate("() => { sessionStorage.setItem('tour', 'wanted'); "
                      "localStorage.removeItem('gbs-irl-tour'); }")
    page.tab.reload()
    page.wait_until('document.getElementById("tour-box").open', 'the introduction')
    titles = []
    for _ in range(3):
        titles.append(page.text('#tour-title'))
        for seen in ('asking', 'card'):         # what it speaks of
            assert page.tab.evaluate(OVERLAPS, ['tour-box', seen]) is False, (titles, seen)
        page.press('#tour-next')
    assert titles == ['I ask, you answer', 'Or just say it', 'Start whenever you like']
    assert not page.find('#tour-box').is_visible()
    page.tab.reload()
    page.wait_for_question()
    assert not page.find('#tour-box').is_visible()
    page.press('#help')
    page.press('#practise')
    for move in ('East', 'East'):
        page.press(f'#practice-choices >> text={move}')
    page.wait_for_text('#practice-text', 'Got it: go to the lamp.')
    assert lesson.belief.answers == 0           # the lesson knows nothing of it


# ---- large worlds -------------------------------------------------------------------------------


def drawing_time(page):
    """Return how long the world took from the line to the screen [ms]."""
    page.wait_until('window.drawing.drawn && window.drawing.came', 'the drawing')
    seen = page.tab.evaluate('() => window.drawing')
    return seen['drawn'] - seen['came']


def test_the_button_for_a_closer_look_is_there_at_once(lesson, open_page):  # noqa: F811
    """On a phone the cells of the room are small; everything that is known comes in one go."""
    lesson.wait_for_belief(lambda now: now.question_id, 'a question')
    wait_for(lambda: lesson.sections.get('question') and lesson.sections.get('policy'), 'all')
    page = open_page(lesson, **PHONE)
    page.wait_for_question()
    page.wait_for_frame()
    assert page.find('#closer').is_visible()


@pytest.mark.parametrize('task', ['trap_world', 'big'])
def test_a_large_world_is_drawn_quickly_and_seen_from_close_by(
        graph, tmp_path, open_page, task):  # noqa: F811
    file = tmp_path / 'big.yaml'
    file.write_text(BIG)
    lesson = Lesson(graph, file if task == 'big' else task, learner={'certainty': 0.0})
    lesson.wait_for_belief(lambda now: now.question_id, 'the first question')
    wait_for(lambda: lesson.sections.get('question'), 'the question at the node')
    page = open_page(lesson, script=WATCH_DRAWING)
    view = page.wait_for_question()
    assert drawing_time(page) < DRAWN_WITHIN_MS
    page.key('i')
    view = page.wait_for_question(other_than=view['id'])
    def size():
        page.wait_for_frame()
        return float(page.find('#stage').get_attribute('data-cell'))

    before = size()
    page.key('PageUp')
    assert size() == pytest.approx(1.4 * before)
    page.press('#farther')
    assert size() == pytest.approx(before)
    x, y = page.cell_middle(view['state'])
    page.tab.mouse.move(x, y)
    page.tab.mouse.wheel(0, -300)
    assert size() > 1.2 * before
    assert page.cell_middle(view['state']) == pytest.approx([x, y], abs=1.0)   # it stays there
    page.tab.mouse.down()
    page.tab.mouse.move(x + 20, y + 10)
    page.tab.mouse.move(x + 48, y - 24)
    page.tab.mouse.up()
    assert page.cell_middle(view['state']) == pytest.approx([x + 48, y - 24], abs=1.0)
    world = load_task(file if task == 'big' else task).world
    names = list(world.appearance.action_names)
    action = next(names.index(name) for name in ('east', 'west', 'north', 'south')
                  if world.targets[view['state'], names.index(name)] != view['state'])
    page.press('#path')
    page.press_state(view['state'])
    page.wait_for_text('#pathing-text', 'Now press where the route continues.')
    page.press_state(int(world.targets[view['state'], action]))
    page.wait_for_text('#pathing-text', '1 step.')
    page.press('#path-send')
    lesson.wait_for_answers(2)
    assert lesson.history.entries[1].answer.answer.steps == ((view['state'], action),)
    page.press('#whole')
    page.wait_until('document.getElementById("whole").hidden || '
                    'Number(document.getElementById("stage").dataset.cell) < 9', 'the whole map')


def test_the_driver_of_16875_states_is_taught_on_the_page(graph, open_page, tmp_path):  # noqa: F811
    lesson = Lesson(graph, 'driver', learner={'certainty': 0.0})
    lesson.wait_for_belief(lambda now: now.question_id, 'the first question', 180.0)
    teacher = Teacher('driver')
    page = open_page(lesson, script=WATCH_DRAWING)
    view = page.wait_for_question()
    assert drawing_time(page) < DRAWN_WITHIN_MS
    page.tab.screenshot(path=picture('driver', tmp_path))
    for _ in range(3):
        page.answer(view, teacher.answer(view))
        view = page.wait_for_question(other_than=view['id'])
    assert page.find('#picture .road').count() == 1
    page.press('#rehearse')
    page.wait_for_text('#rehearsing-text', 'steps')
    assert page.find('#picture .road').count() == 1
    page.press('#rehearsed')
    page.tab.set_viewport_size(PHONE['viewport'])
    page.wait_for_frame()
    assert page.tab.evaluate(TOO_WIDE, 360) == []
    assert page.tab.evaluate(SMALL_BUTTONS, SMALLEST_PX) == []


# ---- pictures -----------------------------------------------------------------------------------


# Share of the pixels of the map that are as dark as a wall of its image.
DARKEST_SHARE = """() => {
  const canvas = document.querySelector('#picture canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let dark = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] === 255 && data[at] < 70 && data[at + 2] < 70) dark += 1;
  }
  return dark / (canvas.width * canvas.height);
}"""


def picture(name, folder):
    """Return where a picture goes: a folder of the test, or docs/page if that is wanted."""
    if os.environ.get('GBS_IRL_SCREENSHOTS') == 'docs':
        return PICTURES / f'{name}.png'
    return folder / f'{name}.png'


def test_pictures_of_a_lesson(shared, open_page, tmp_path):  # noqa: F811
    shared.graph.call(Trigger, names.CONTROLLER_STOP)
    shared.set_parameters('controller', max_speed=0.5)
    shared.begin()
    teacher = Teacher('room')
    calm = {'reduced_motion': 'reduce'}
    day = open_page(shared, **calm)
    night = open_page(shared, color_scheme='dark', **calm)
    phone = open_page(shared, **{**PHONE, 'viewport': {'width': 390, 'height': 844}}, **calm)
    view = day.wait_for_question()
    day.answer(view, teacher.answer(view))
    view = day.wait_for_question(other_than=view['id'])
    day.tab.mouse.move(4, 4)
    # The image of the map is under the cells: its black walls, on the colour of walls.
    wait_for(lambda: day.tab.evaluate(DARKEST_SHARE) > 0.01, 'the picture of the map')
    for page, name in ((day, 'asking'), (phone, 'phone')):
        page.wait_for_question(other_than='')
        page.wait_for_text('#entries', 'Change')
        page.wait_until('document.querySelector(".overlay .robot")', 'the robot')
        page.wait_until('document.getElementById("toast").hidden', 'no message')
        page.wait_for_frame()
        page.tab.screenshot(path=picture(name, tmp_path))
    day.teach(teacher)
    night.wait_for_text('#sentence', 'Got it')
    night.wait_until('document.querySelector(".way.rehearsal")', 'the way')
    night.tab.mouse.move(4, 4)              # nothing is pointed at
    night.wait_for_frame()
    night.tab.screenshot(path=picture('done', tmp_path))
    night.tab.mouse.move(4, 4)              # nothing is pointed at
    day.press('#go')
    night.wait_until('document.getElementById("go").disabled', 'the robot to drive')
    start = shared.sections['robot']['state']
    wait_for(lambda: shared.sections['robot']['state'] != start, 'the robot to be on its way')
    night.wait_for_frame()
    night.tab.screenshot(path=picture('driving', tmp_path))
    day.press('#stop')
    for name in ('asking', 'phone', 'done', 'driving'):
        assert picture(name, tmp_path).stat().st_size > 10_000
