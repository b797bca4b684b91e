"""A real browser for the tests of the page: a lesson, and what a person does with it."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import shutil
import socket
import threading
import time
import urllib.request
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph import DEADLINE_S, wait_for
from std_srvs.srv import Trigger
from waiting import patience

from gbs_irl_ros import msg
from gbs_irl_ros.core import SimulatedTeacher
from gbs_irl_ros.core.answers import ActionAnswer, ConfirmAnswer, RewardAnswer, YesNoAnswer
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task, load_truth

# The same engine without a window takes a third less processor time, so it comes first.
BROWSERS = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome',
            'google-chrome-stable', 'chrome', 'microsoft-edge', 'microsoft-edge-stable',
            'brave-browser')
OF_PLAYWRIGHT = ('chromium_headless_shell-*/chrome-*linux*/*headless*shell',
                 'chromium-*/chrome-linux*/chrome')
# A window without one of its own to type an address in, which took more processor time than the
# page; and what Playwright leaves out, as the last such option counts alone.
LEFT_OUT = ('WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup',
            'AimEnabled', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose',
            'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay', 'MediaRouter',
            'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding',
            'PreconnectToSearch', 'ThirdPartyStoragePartitioning')
PATIENCE_S = 20.0
AS_FOR_PEOPLE = {'strategy': 'bits_per_second', 'none_of_these': 0.1, 'learn_error_rate': True,
                 'stop_condition': 'loses_nothing', 'ask_again': 0.3}
ALL_KINDS = 'action,yes_no,reward,demonstration'
WHOLE_KINDS = 'task,place,compare'      # about a task as a whole
PHONE = {'viewport': {'width': 360, 'height': 740}, 'device_scale_factor': 2, 'is_mobile': True,
         'has_touch': True}
ARROW_KEYS = {(0, -1): 'ArrowUp', (1, 0): 'ArrowRight', (0, 1): 'ArrowDown', (-1, 0): 'ArrowLeft'}
SEEN_FROM = '127.0.0.2'     # another address of this machine, for a line with faults
TELL_VIOLATIONS = ("addEventListener('securitypolicyviolation', (event) => "
                   "console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));")
# The introduction is for people; a test that wants it sets the mark, and loads the page again.
NO_TOUR = """try { if (!sessionStorage.getItem('tour')) {
  localStorage.setItem('gbs-irl-tour', 'yes'); } } catch { /* a page without an origin */ }"""
NO_CONNECTION = ('WebSocket connection to', 'ERR_CONNECTION_REFUSED')   # what a browser says then


def find_browser():
    """Return the path of a browser: the one that was named, an installed one, Playwright's own."""
    named = os.environ.get('GBS_IRL_BROWSER')
    if named:
        return shutil.which(named)
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    if installed:
        return installed
    folder = Path(os.environ.get('PLAYWRIGHT_BROWSERS_PATH')
                  or Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
                  / 'ms-playwright')
    found = [path for pattern in OF_PLAYWRIGHT for path in sorted(folder.glob(pattern))[-1:]]
    return str(found[0]) if found else None


def why_no_browser():
    """Return what is missing for these tests, '' if nothing."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return 'the page is NOT TESTED: playwright is missing; install it: pip install playwright'
    if find_browser() is not None:
        return ''
    named = os.environ.get('GBS_IRL_BROWSER')
    if named:
        return (f'the page is NOT TESTED: GBS_IRL_BROWSER names {named!r}, which is not a '
                'program; give the path of a Chromium, Chrome or Edge')
    return ('the page is NOT TESTED: there is no Chromium, Chrome or Edge; install one (apt '
            'install chromium, or playwright install chromium), or name one in GBS_IRL_BROWSER')


@pytest.fixture(scope='module')
def chromium():
    """A browser; without one the tests are left out on a user's machine, and fail in CI."""
    if why_no_browser():
        if os.environ.get('CI'):
            pytest.fail(why_no_browser())
        pytest.skip(why_no_browser())
    with launched() as browser:
        yield Tabs(browser)


@contextlib.contextmanager
def launched():
    """Run a browser."""
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        options = ['--disable-gpu', f'--disable-features={",".join(LEFT_OUT)}',
                   # All tabs share a process: one of its own would be started with every page.
                   '--renderer-process-limit=1',
                   # One without a window ends a page that asks whether it recognises speech.
                   '--disable-blink-features=OnDeviceWebSpeechAvailable',
                   *(['--no-sandbox'] if os.getuid() == 0 else [])]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=options)
        yield browser
        browser.close()


class Tabs:
    """
    Tabs of a browser, each in a profile of its own, with nothing in it.

    A new one takes longer than what most tests do with it: a process starts, every script is
    compiled. So one that a test has left is emptied, and the next test that wants the same
    options gets it.
    """

    def __init__(self, browser):
        self._browser, self._idle = browser, collections.defaultdict(list)

    def take(self, options):
        """Return a tab; options are those of a browser's context."""
        idle = self._idle[json.dumps(options, sort_keys=True)]
        if idle:
            return idle.pop()
        context = self._browser.new_context(**options)
        context.add_init_script(TELL_VIOLATIONS)
        context.add_init_script(NO_TOUR)
        return context.new_page()

    def give_back(self, tab, options, origin):
        """Leave a tab to others, with no trace of what was shown in it from this origin."""
        tab.mouse.move(0, 0)            # nothing is pointed at
        tab.goto('about:blank')
        tab.set_viewport_size(options['viewport'])
        tab.emulate_media(color_scheme=options.get('color_scheme', 'light'))
        devtools = tab.context.new_cdp_session(tab)
        devtools.send('Storage.clearDataForOrigin', {'origin': origin, 'storageTypes': 'all'})
        devtools.detach()
        self._idle[json.dumps(options, sort_keys=True)].append(tab)


@pytest.fixture
def open_page(request, chromium, tmp_path):
    """Return a function that opens the page; no page may have said anything on its console."""
    opened, failed = [], request.session.testsfailed

    def open_one(lesson, **options):
        page = Page(chromium, lesson, **options)
        opened.append(page)
        return page
    yield open_one
    failed = request.session.testsfailed > failed
    for number, page in reversed(list(enumerate(opened))):     # those beside others first
        page.close(tmp_path / f'page_{number}.png' if failed else None)
    for page in opened:
        assert page.complaints() == []


class Lesson:
    """
    Nodes for a lesson on the page.

    url: of the page, with the key. teacher: who knows the right answers, None without a truth.
    """

    def __init__(self, graph, task='room', *, learner=None, gui=None, parts=('mdp', 'learner')):
        self.graph, self.task_file = graph, task
        self._learner, self._gui = dict(learner or {}), dict(gui or {})
        self._beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        self._histories = graph.listen(msg.History, names.HISTORY, qos.LATCHED)
        self._policies = graph.listen(msg.Policy, names.POLICY, qos.LATCHED)
        self.mdp = graph.start('mdp', task=task) if 'mdp' in parts else None
        self.learner = self.start_learner() if 'learner' in parts else None
        self.gui = None
        self.start_gui()

    def start_learner(self):
        self.learner = self.graph.start(
            'learner', journal_dir=self.graph.folder / 'journals', **self._learner)
        return self.learner

    def start_gui(self):
        # On a busy machine a page may be late with its signs of life.
        self.gui = self.graph.start('gui', port=0, lesson='test',
                                    **{'presence_timeout': 5.0, **self._gui})
        line = self.gui.wait_for_line('Teach here: ')
        self.url = line.split('Teach here: ')[1]
        self.base, self.key = self.url.split('/#key=')
        self.port = int(self.base.rpartition(':')[2])

    def start_robot(self, speed=2.0, rate=20.0, **controller):
        self.controller = self.graph.start(
            'controller', max_speed=speed, max_turn=4.0, rate=rate, **controller)
        self.simulator = self.graph.start('simulator', noise=0.0, rate=rate)

    def begin(self, kinds='', certainty=0.95, closing=False):
        """Begin a new lesson on a graph that may have seen another; return the first belief."""
        self.wait_for_belief(lambda now: now.session, 'the learner')
        before = self.belief.session
        self.set_parameters('learner', question_kinds=kinds, certainty=certainty,
                            closing_question=closing)
        assert self.graph.call(Trigger, names.LEARNER_RESET).success
        belief = self.wait_for_belief(
            lambda now: now.session not in ('', before) and now.question_id, 'a new lesson')
        # The node may hear of it later than this test, and still show the last one's question.
        wait_for(lambda: (self.sections['question'] or {}).get('session') == belief.session,
                 'the new lesson on the page')
        return belief

    def set_parameters(self, node, **values):
        self.graph.set_parameters(node, **values)

    @property
    def belief(self):
        return conversions.belief_from_msg(self._beliefs[-1]) if self._beliefs else None

    @property
    def policy(self):
        return self._policies[-1] if self._policies else None

    @property
    def history(self):
        """What counts, as soon as all that the belief speaks of is in it."""
        def whole():
            now, belief = self._histories and self._histories[-1], self.belief
            return now and belief and now.session == belief.session \
                and now.sequence == belief.sequence and conversions.history_from_msg(now)
        return wait_for(whole, 'the history')

    def wait_for_belief(self, condition, what, deadline_s=DEADLINE_S):
        return wait_for(lambda: (now := self.belief) and condition(now) and now, what, deadline_s)

    def wait_for_answers(self, count):
        return self.wait_for_belief(
            lambda now: now.answers == count, f'{count} answers', PATIENCE_S)

    def wait_until_done(self):
        return self.wait_for_belief(lambda now: now.status is Status.DONE, 'the end')

    @property
    def sections(self):
        """What the node shows to all pages."""
        request = urllib.request.Request(
            f'{self.base}/api/state', headers={'Authorization': f'Bearer {self.key}'})
        with urllib.request.urlopen(request, timeout=60.0) as response:
            return json.load(response)


class Teacher:
    """Knows what a task's file says is meant, or means a state; and so the right answers."""

    def __init__(self, task, state=None):
        self.task, self.truth = load_task(task), load_truth(task)
        mdp = self.task.world.mdp
        reward, never = (self.truth.reward, self.truth.never) if state is None \
            else (np.eye(mdp.num_states)[state], None)
        self._teacher = replace(
            SimulatedTeacher.for_reward(mdp, reward, accuracy=1.0, never=never),
            choices=self.task.world.choices)

    def answer(self, view):
        """Return the right answer to a question as the page got it."""
        question = Question(QuestionKind(view['kind']), view['state'], view['action'],
                            view['steps'], view.get('route', ()))
        return self._teacher.answer(question, np.random.default_rng(0))


class Page:
    """A tab with the page in a browser of its own, and what a person can do in it."""

    def __init__(self, chromium, lesson, *, url=None, beside=None, expected=(), script='',
                 **options):
        """
        Open the page.

        :param beside: another page, in whose browser this is a further tab.
        :param expected: what may be on the console.
        :param script: run before those of the page.
        :param options: of the browser's context.
        """
        self.lesson = lesson
        self._expected, self._said = tuple(expected), []
        self._origin = '/'.join((url or lesson.url).split('/')[:3])
        self._beside = beside
        self._tabs = chromium if beside is None and not script else None
        self._options = {
            'viewport': {'width': 1280, 'height': 860},
            'reduced_motion': 'reduce',     # what moves is painted without end, by the processor
            **options}
        self.touch = bool(options.get('has_touch'))
        self.tab = beside.tab.context.new_page() if beside else chromium.take(self._options)
        self.tab.context.set_default_timeout(1000 * patience(PATIENCE_S))
        self._heard = {
            'console': lambda line: self._said.append(line.text)
            if line.type in ('error', 'warning') else None,
            'pageerror': lambda error: self._said.append(f'fault: {error}'),
            'dialog': lambda box: (self._said.append(f'dialog: {box.message}'), box.dismiss())}
        for event, hear in self._heard.items():
            self.tab.on(event, hear)
        if script:
            self.tab.add_init_script(script)
        self.tab.goto(url or lesson.url)

    def close(self, picture=None):
        """Leave the page to the next test, unless something went wrong: then take a picture."""
        for event, hear in self._heard.items():
            self.tab.remove_listener(event, hear)
        if picture is None and self._tabs is not None and not self.tab.is_closed():
            self._tabs.give_back(self.tab, self._options, self._origin)
            return
        with contextlib.suppress(Exception):
            if picture is not None:
                self.tab.screenshot(path=picture)
            self.tab.close() if self._beside else self.tab.context.close()

    def complaints(self):
        """Return what is on the console and should not be."""
        return [line for line in self._said if not any(part in line for part in self._expected)]

    # ---- what is seen ---------------------------------------------------------------------------

    def find(self, selector):
        return self.tab.locator(selector)

    def text(self, selector):
        return self.find(selector).inner_text()

    def wait_until(self, script, what, deadline_s=PATIENCE_S):
        """Wait until an expression is true in the page."""
        # Not wait_for_function: it evaluates strings in the page, which its policy forbids.
        def holds():
            try:
                return self.tab.evaluate(f'() => Boolean({script})')
            except Exception as error:
                if 'Execution context was destroyed' in str(error):
                    return False        # it is being loaded again
                raise
        try:
            wait_for(holds, what, deadline_s)
        except AssertionError as late:
            raise AssertionError(f'{late}; the page says: {self.text("body")}') from None

    def wait_for_text(self, selector, text, deadline_s=PATIENCE_S):
        self.wait_until(f'document.querySelector({json.dumps(selector)}).textContent'
                        f'.includes({json.dumps(text)})', f'{text!r} in {selector}', deadline_s)

    def wait_for_question(self, other_than=''):
        """Return the next question when learner, node, page and this test know of it."""
        self.wait_until(
            f'![undefined, "", {json.dumps(other_than)}].includes('
            'document.getElementById("lesson").dataset.question)', 'a question')

        def shown():
            # Both are looked at each time: a robot on its way may ask about another place.
            view, belief = self.lesson.sections.get('question'), self.lesson.belief
            return view and belief and other_than != view['id'] == belief.question_id \
                and view['id'] == self.find('#lesson').get_attribute('data-question') and view
        return wait_for(shown, 'the same question everywhere')

    def wait_for_kind(self, kind):
        """Answer "I don't know" until a question of this kind is asked; return it."""
        view = self.wait_for_question()
        while view['kind'] != kind:
            self.press('#notes button >> nth=0')
            view = self.wait_for_question(other_than=view['id'])
        return view

    def wait_for_frame(self):
        """Wait until what has changed is drawn."""
        self.tab.evaluate('() => new Promise((done) => requestAnimationFrame(() => '
                          'requestAnimationFrame(done)))')

    # ---- what is done ---------------------------------------------------------------------------

    def press(self, selector):
        """Click or tap something that is visible."""
        place = self.find(selector)
        place.tap() if self.touch else place.click()

    def press_state(self, state):
        """Press the cell of a state on the map."""
        x, y = self.cell_middle(state)
        self.tab.touchscreen.tap(x, y) if self.touch else self.tab.mouse.click(x, y)

    def press_name(self, name):
        """Press the name of a region on the map."""
        self.wait_for_frame()
        shown = self.tab.locator('.overlay .name', has_text=name)
        box = wait_for(shown.bounding_box, f'the name {name} on the map')    # it is drawn again
        self.tab.mouse.click(box['x'] + box['width'] / 2, box['y'] + box['height'] / 2)

    def cell_middle(self, state):
        """Return where the cell of a state is on the screen, when all panels are in place."""
        self.wait_for_frame()
        cells = self.lesson.sections['world']['cells']
        return self.tab.evaluate(CELL_MIDDLE, [cells['states'].index(state), cells['columns']])

    def key(self, name):
        self.tab.keyboard.press(name)

    def unfold(self, name):
        """Open a part of the panel at the side; on a small screen that is opened first."""
        if self.find('#peek').is_visible() and not self.find('#side').is_visible():
            self.press('#peek')
        if not self.find(f'#{name}').evaluate('(part) => part.open'):
            self.press(f'#{name} > summary')

    def change(self, number):
        """Begin to change an answer, from the list."""
        self.unfold('history')
        self.press(f'[aria-label="Change answer {number}"]')
        self.wait_until('!document.getElementById("edit").hidden', 'the other answers')

    def answer(self, view, answer, by='press'):
        """Give an answer to a question, by pressing buttons or by keys alone."""
        with_keys = by == 'key'
        if isinstance(answer, ActionAnswer):
            offer = next(offer for offer in view['offers']
                         if offer['answer'].get('action') == answer.action)
            if offer['action'] is not None:
                self._act(answer.action, with_keys)
            else:       # to stay, in a world without an action for that
                self.key(offer['key']) if with_keys else self.press('#choices .big')
        elif isinstance(answer, (YesNoAnswer, ConfirmAnswer)):
            self.key('y' if answer.yes else 'n') if with_keys \
                else self.press(f'#choices .big >> nth={0 if answer.yes else 1}')
        elif isinstance(answer, RewardAnswer):
            mark = int(np.argmin([abs(offer['answer']['reward'] - answer.reward)
                                  for offer in view['offers'] if 'reward' in offer['answer']]))
            self.key(str(mark + 1)) if with_keys else self.press(f'#choices .mark >> nth={mark}')
        else:
            for count, (_, action) in enumerate(answer.steps):
                self._act(action, with_keys)
                self.wait_for_text('#choices p', f'{count + 1} of')
            self.key('Enter') if with_keys else self.press('text=Answer with these steps')

    def _act(self, action, with_keys):
        if not with_keys:
            self.press(f'#spot button >> nth={action}')
            return
        about = self.lesson.sections['world']['actions'][action]
        self.key(ARROW_KEYS.get(tuple(about['direction'] or ()), about['key']))

    def teach(self, teacher, by='press', most=40):
        """Answer rightly until nothing more is asked; return how many answers that took."""
        view = self.wait_for_question()
        for count in range(1, most):
            self.answer(view, teacher.answer(view), by)
            self.wait_until(
                f'document.getElementById("lesson").dataset.question !== "{view["id"]}" && '
                '(document.getElementById("lesson").dataset.question || '
                'document.getElementById("sentence").textContent.startsWith("Got it"))',
                'what comes next')
            if self.text('#sentence').startswith('Got it'):
                return count
            view = self.wait_for_question(other_than=view['id'])
        raise AssertionError(f'{most} answers were not enough')


# Where a cell is on the screen; the map says where it has put its first one.
CELL_MIDDLE = """([cell, columns]) => {
  const stage = document.getElementById('stage');
  const [left, top, size] = ['left', 'top', 'cell'].map((name) => Number(stage.dataset[name]));
  return [left + (cell % columns + 0.5) * size, top + (Math.floor(cell / columns) + 0.5) * size];
}"""

# When the world came, and when it had been drawn [ms since the page was opened].
WATCH_DRAWING = """(() => {
  window.drawing = {};
  const Plain = WebSocket;
  window.WebSocket = class extends Plain {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', (event) => {
        if (event.data.includes('"world":{')) window.drawing.came ??= performance.now();
      });
    }
  };
  addEventListener('DOMContentLoaded', () => new MutationObserver(() => {
    const seen = '#picture canvas[aria-label], #picture .road, #picture table';
    if (window.drawing.drawn || !document.querySelector(seen)) return;
    requestAnimationFrame(() => setTimeout(() => {
      window.drawing.drawn ??= performance.now();
    }));
  }).observe(document.getElementById('picture'), {
    attributes: true, childList: true, subtree: true }));
})()"""


class Line:
    """A line between browser and page that can be slow, dead, or cut."""

    def __init__(self, lesson):
        """Set it up; the gui node must know SEEN_FROM as one of its `hosts`."""
        self._port = lesson.port
        self._server = socket.create_server((SEEN_FROM, lesson.port))
        self._lock = threading.Lock()
        self._ends = set()
        self._flows, self._is_cut = threading.Event(), False
        self._flows.set()
        self.delay_s = 0.0
        self.url = lesson.url.replace('127.0.0.1', SEEN_FROM)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Close all connections; new ones are closed at once."""
        self._is_cut = True
        self._drop()

    def die(self):
        """Let nothing through, and tell nobody: a cable pulled out, a phone out of reach."""
        self._flows.clear()

    def repair(self):
        self._is_cut = False
        self._flows.set()

    def close(self):
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self._flows.set()
        self._drop()

    def _drop(self):
        with self._lock:
            for end in self._ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            self._ends.clear()

    def _accept(self):
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            if self._is_cut:
                near.close()
                continue
            try:
                far = socket.create_connection(('127.0.0.1', self._port))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._ends |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                time.sleep(self.delay_s)
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            with self._lock:
                self._ends.discard(end)
