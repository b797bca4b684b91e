"""Which browser the page is tested in, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import browser
import pytest

pytest_plugins = ['pytester']


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with no browser; gives a function that installs one."""
    for name in ('GBS_IRL_BROWSER', 'PLAYWRIGHT_BROWSERS_PATH'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('PATH', str(tmp_path / 'bin'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))

    def install(path):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(0o755)
        return str(file)
    return install


@pytest.mark.parametrize('path', [
    'bin/chromium', 'bin/google-chrome', 'bin/microsoft-edge-stable',
    'cache/ms-playwright/chromium-1234/chrome-linux/chrome',
    'cache/ms-playwright/chromium-1300/chrome-linux64/chrome',
    'cache/ms-playwright/chromium_headless_shell-12/chrome-headless-shell-linux64/'
    'chrome-headless-shell'])
def test_any_chromium_is_found(machine, path):
    installed = machine(path)
    assert browser.find_browser() == installed
    assert browser.why_no_browser() == ''


def test_an_installed_one_is_taken_before_that_of_playwright_and_a_named_one_before_all(
        machine, monkeypatch):
    machine('cache/ms-playwright/chromium-1234/chrome-linux/chrome')
    installed, named = machine('bin/chromium'), machine('elsewhere/my-chrome')
    assert browser.find_browser() == installed
    monkeypatch.setenv('GBS_IRL_BROWSER', named)
    assert browser.find_browser() == named


def test_what_is_missing_is_said_with_the_way_to_get_it(machine, monkeypatch):
    assert browser.find_browser() is None
    assert browser.why_no_browser() == (
        'the page is NOT TESTED: there is no Chromium, Chrome or Edge; install one (apt install '
        'chromium, or playwright install chromium), or name one in GBS_IRL_BROWSER')
    monkeypatch.setenv('GBS_IRL_BROWSER', 'netscape')
    assert browser.why_no_browser() == (
        "the page is NOT TESTED: GBS_IRL_BROWSER names 'netscape', which is not a program; give "
        'the path of a Chromium, Chrome or Edge')


def test_at_the_end_of_a_run_one_line_says_what_was_not_tested(pytester):
    """The hook of test/conftest.py, in a run of its own."""
    pytester.makeconftest('from conftest_of_tests import pytest_terminal_summary')
    pytester.makepyfile(
        conftest_of_tests=(Path(__file__).parents[1] / 'conftest.py').read_text())
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize('number', range(3))
        def test_page(number):
            pytest.skip('the page is NOT TESTED: there is no browser; get one')

        def test_other():
            pytest.skip('another reason')
    """)
    lines = pytester.runpytest_subprocess('-p', 'no:cacheprovider').outlines
    assert lines[-2] == 'the page is NOT TESTED: there is no browser; get one'
    assert '4 skipped' in lines[-1]
