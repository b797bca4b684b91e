"""The report of a soak: its verdicts, and the page that is made of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from waiting import patience, wait_for

pytest.importorskip('rclpy', reason='needs ROS 2')

from soak import ROOT, report
from soak.session import Claim, Control

CAUGHT, MISSED = Control('a fault', caught=True), Control('another', caught=False)


def claim(run=10, passed=True, controls=(CAUGHT,)):
    return Claim('part.name', 'it works', run, 10, 'trials', 'well', passed, controls)


@for_each(('made', 'verdict'), [
    (claim(), 'earned'), (claim(passed=False), 'failed'),
    (claim(run=9), 'held so far: fewer trials than wanted'),
    (claim(controls=(CAUGHT, MISSED)), 'not proven: a control was not caught'),
    (claim(controls=()), 'not proven: a control was not caught')])
def test_a_claim_is_earned_only_by_enough_trials_and_a_detector_that_works(made, verdict):
    assert made.verdict == verdict


def part(*claims):
    return {'seed': 1, 'seconds': 2.0, 'load': 0.5, 'claims': [each.to_json() for each in claims]}


def test_a_run_is_good_if_all_held_and_all_controls_were_caught():
    found = {'machine': {}, 'parts': {
        'good': part(claim(), claim(run=9)), 'bad': part(claim(passed=False)),
        'blind': part(claim(controls=(MISSED,)))}}
    assert report.is_good(found, ['good'])
    assert not report.is_good(found, ['good', 'bad'])
    assert not report.is_good(found, ['blind'])


def test_the_tables_say_what_was_tried_and_caught():
    text = report.tables({'machine': {}, 'parts': {'part': part(claim(run=9000), claim(run=3))}})
    assert '| it works | 9,000 trials | well | 1 of 1 | earned |' in text
    assert '| it works | 3 of 10 trials | well |' in text
    assert '| part | a fault | caught |' in text


@pytest.mark.skipif(not report.PUBLISHED.exists(), reason='nothing was measured: `make soak`')
def test_the_page_is_that_of_the_published_report():
    text = report.PAGE.read_text()
    made = text.split(report.BEGIN)[1].split(report.END)[0]
    assert made == report.tables(report.read(report.PUBLISHED)), \
        'make it again: tools/ros-env python -m soak.report'


def test_every_test_that_the_page_names_exists():
    named = re.findall(r'`(test/[\w/]+\.py)::(\w+)`', report.PAGE.read_text())
    assert len(named) > 40
    missing = [f'{file}::{test}' for file, test in named
               if f'def {test}(' not in (ROOT / file).read_text()]
    assert missing == []


def test_an_unknown_part_is_refused():
    done = subprocess.run([sys.executable, '-m', 'soak.run', '--only', 'kils'], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no part 'kils'; known: stops, kills," in done.stderr


def test_an_unknown_target_is_refused():
    done = subprocess.run([sys.executable, '-m', 'soak.run', '--targets', 'journal'], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no target 'journal'; known: messages, requests, journals," in done.stderr


def test_ctrl_c_ends_a_part_at_once_and_says_so(tmp_path):
    soak = subprocess.Popen(
        [sys.executable, '-m', 'soak.run', '--only', 'stops', '--minutes', '5'], cwd=ROOT,
        stderr=subprocess.PIPE, text=True, env={**os.environ, 'TMPDIR': str(tmp_path)})
    assert soak.stderr is not None
    said = ''
    while 'stops: begins' not in said:
        line = soak.stderr.readline()
        assert line, said
        said += line
    log = wait_for(lambda: next(tmp_path.glob('gbs_irl_soak-*/stops/**/log/*.log'), None),
                   'a robot that is stopped', 60.0)
    process = int(log.name.split('_')[-2])
    soak.send_signal(signal.SIGINT)
    said += soak.communicate(timeout=patience(10.0))[1]
    assert soak.returncode == 130, said
    assert 'interrupted: what is under way ends' in said
    assert 'Traceback' not in said
    assert not list(tmp_path.glob('gbs_irl_soak-*'))
    status = Path(f'/proc/{process}/status')
    wait_for(lambda: not status.exists() or 'zombie' in status.read_text(), 'the node to end')


def test_claims_that_were_not_tried_again_stay(tmp_path):
    path = tmp_path / 'report.json'

    def part(*claims):
        return {'seconds': 1.0, 'claims': [{'name': f'fuzz.{name}', 'run': run}
                                           for name, run in claims]}
    report.update(path, 'fuzz', part(('messages', 1), ('journals', 2), ('error', 0)))
    report.update(path, 'fuzz', part(('journals', 3), ('maps', 4)))
    assert report.read(path)['parts']['fuzz'] == part(('messages', 1), ('journals', 3),
                                                      ('maps', 4))
