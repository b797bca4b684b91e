"""The page in other languages: nothing is left in English, and German fits on every screen."""

from __future__ import annotations

import json

import pytest
from browser import chromium  # noqa: F401
from cases import for_each
from sentences_in_code import PSEUDO, outside_brackets, write_pseudo_language
from test_conversation import Actions
from test_screen import SITUATIONS
from waiting import wait_for

from gbs_irl_ros.languages.catalogue import OWN_FOLDER
from gbs_irl_ros.teaching.web.board import Board
from gbs_irl_ros.teaching.web.commands import commands
from gbs_irl_ros.teaching.web.guard import Guard
from gbs_irl_ros.teaching.web.server import PageServer

KEY = 'a-key-of-a-test'
WIDE, PHONE = {'width': 1280, 'height': 800}, {'width': 390, 'height': 844}
# All that a person sees or hears: texts, labels and titles; not keys, nor names of languages.
TEXTS = """() => {
  const seen = [...document.querySelectorAll('body *, title')].filter((each) => (
    each.tagName === 'TITLE' || each.checkVisibility())
    && !each.closest('kbd, option, noscript'));
  const texts = seen.flatMap((each) => [...each.childNodes]
    .filter(({ nodeType }) => nodeType === 3).map((node) => node.data));
  const labels = seen.flatMap((each) => ['aria-label', 'title', 'aria-valuetext'].map(
    (name) => each.getAttribute(name) ?? ''));
  return [...texts, ...labels].filter((text) => text.trim());
}"""
TOO_WIDE = """() => [...document.querySelectorAll('body *')].filter((each) => {
  if (!each.checkVisibility() || each.closest('svg, #picture, #pins, .unseen, #link')) {
    return false;
  }
  const box = each.getBoundingClientRect();
  const style = getComputedStyle(each);
  const cut = each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
    && style.overflowX !== 'visible' && style.overflowX !== 'auto' && each.tagName !== 'INPUT'
    && style.textOverflow !== 'ellipsis';
  return cut || (box.width && (box.right > innerWidth + 1 || box.left < -1));
}).map((each) => `${each.tagName}#${each.id}: ${each.textContent.slice(0, 60)}`)
"""


class Shown:
    """A page of a lesson that stands still, without any node."""

    def __init__(self):
        self.board = Board()
        self._now = SITUATIONS['nothing']
        self.server = PageServer(self.board, commands(
            Actions(), lambda: self._now, lambda *_: None), Guard(KEY))
        self.server.start('127.0.0.1', 0)
        self.url = f'http://127.0.0.1:{self.server.port}/#key={KEY}'

    def show(self, name):
        self._now = SITUATIONS[name]
        self.board.show(self._now)


@pytest.fixture(scope='module')
def shown(tmp_path_factory):
    """A page that is also there in a language of which every sentence is in brackets."""
    folder = tmp_path_factory.mktemp('languages')
    write_pseudo_language(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OWN_FOLDER, str(folder))
        page = Shown()
        yield page
        page.server.stop()


@pytest.fixture(scope='module')
def tab(chromium):  # noqa: F811
    return chromium.take({'viewport': WIDE, 'locale': 'de-DE'})


def open_in(tab, shown, code=''):
    """Open the page; in the language of the browser, or in another one."""
    tab.goto('about:blank')
    tab.goto(shown.url)
    tab.evaluate(f"localStorage.setItem('gbs-irl-language', {json.dumps(code)})" if code
                 else "localStorage.removeItem('gbs-irl-language')")
    tab.reload()
    see(tab, shown, 'action')


def see(tab, shown, name):
    """Show a moment of a lesson, and wait until the page does."""
    shown.show(name)
    wanted = SITUATIONS[name].asked
    about = ['', ''] if wanted is None else [wanted.id, wanted.question.kind.value]
    wait_for(lambda: tab.evaluate("""() => { const { question, kind } =
        document.getElementById('lesson').dataset; return [question, kind]; }""") == about,
        f'the page to show {name}')


def test_whatever_the_page_says_is_in_a_catalogue(tab, shown):
    open_in(tab, shown, PSEUDO)
    left = {}
    for name in [name for name in SITUATIONS if name != 'nothing']:
        see(tab, shown, name)
        left[name] = [text for text in tab.evaluate(TEXTS) if outside_brackets(text)]
    tab.evaluate("for (const box of document.querySelectorAll('dialog, details')) box.open = true")
    for opened in ('path', 'place-go', 'place-never', 'else'):
        tab.evaluate(f"document.getElementById('{opened}')?.click()")
        left[opened] = [text for text in tab.evaluate(TEXTS) if outside_brackets(text)]
    assert {name: texts for name, texts in left.items() if texts} == {}


def test_the_page_follows_the_browser_and_has_a_choice(tab, shown):
    open_in(tab, shown)
    see(tab, shown, 'action')
    assert tab.evaluate('document.documentElement.lang') == 'de'
    assert tab.text_content('#sentence') == 'Wenn ich beim ? wäre: In welche Richtung?'
    assert tab.text_content('#spot button:visible span') == 'Nach Norden'
    assert 'Die bisher' in tab.text_content('#why') or 'entscheidet' in tab.text_content('#why')
    tab.evaluate("document.getElementById('help-box').show()")
    assert tab.locator('#language option').all_text_contents() == ['English', 'Deutsch', 'Pseudo']
    with tab.expect_navigation():
        tab.select_option('#language', 'en')
    see(tab, shown, 'yes_no')
    assert tab.evaluate('document.documentElement.lang') == 'en'
    assert tab.text_content('#sentence').startswith('Should I')


@for_each('size', [WIDE, PHONE], ids=lambda size: str(size['width']))
def test_german_fits_on_the_screen(tab, shown, size):
    tab.set_viewport_size(size)
    open_in(tab, shown)
    for name in [name for name in SITUATIONS if name != 'nothing']:
        see(tab, shown, name)
        assert tab.evaluate(TOO_WIDE) == [], name
