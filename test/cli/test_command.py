"""The gbs-irl command as a person types it."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from cases import for_each
from PIL import Image
from waiting import patience

from gbs_irl_ros.cli import ask, check as check_module
from gbs_irl_ros.cli.main import main
from gbs_irl_ros.core import CAREFUL, Learner, Question, QuestionKind
from gbs_irl_ros.core.answers import ActionAnswer, ConfirmAnswer, DontKnowAnswer
from gbs_irl_ros.core.stopping import STOP_NAMES, make_stop_rule
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.languages.speaking import speak
from gbs_irl_ros.learning import sentences
from gbs_irl_ros.learning.beginning import Beginning
from gbs_irl_ros.learning.defaults import usual_learner
from gbs_irl_ros.learning.folders import lessons_folder
from gbs_irl_ros.learning.people import People
from gbs_irl_ros.learning.saved_policy import load_policy
from gbs_irl_ros.learning.sentences import claim
from gbs_irl_ros.tasks import load_task, load_task_file, load_truth
from gbs_irl_ros.teaching.local_lesson import LocalLesson
from gbs_irl_ros.teaching.web.views import belief_view

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / 'scripts' / 'gbs-irl'


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope='module')
def room():
    return load_task('room')


def run(*arguments, **options):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True,
                          timeout=patience(120), **options)


class TestCheck:
    def test_says_what_the_task_is(self, capsys):
        assert main(['check', 'room']) == 0
        text = capsys.readouterr().out
        assert '95 states, 5 actions (north, east, south, west, stay)' in text
        assert '30 rewards: go to kitchen; ' in text
        assert '30 different ones for these rewards' in text
        assert re.search(r'classes +\d+ classes of states', text)
        assert re.search(r'proof +optimal actions: 0 of \d[\d,]+ pairs of a state and an action '
                         r'undecided\n', text)
        assert re.search(r'questions +About \d+ answers, \d+ to \d+ in 8 of 10 lessons\. With '
                         r'probability 95% there is no better way to do what you mean\. '
                         r'\(20 simulated lessons\)', text)
        assert 'never        kept from every cell by all 20 tasks that say it\n' in text
        assert 'warning' not in text
        assert 'given, for simulated teachers: go to desk, never over the carpet' in text
        assert text.rstrip().endswith('room.yaml: OK')

    @pytest.mark.slow
    def test_a_wrong_file_ends_with_two_and_all_its_errors(self, here):
        (here / 'bad.yaml').write_text('format: 1\nwrold: 3\nhypotheses: {kind: golas}\n')
        done = run('check', 'bad.yaml', cwd=here)
        assert done.returncode == 2
        assert done.stdout == ''
        lines = done.stderr.splitlines()
        assert any(line.startswith('bad.yaml:2: wrold: is not known here') for line in lines)
        assert any("Did you mean 'world'?" in line for line in lines)
        assert any('bad.yaml:3: hypotheses.kind: is not known' in line for line in lines)
        assert 'Traceback' not in done.stderr

    def test_places_that_no_way_leads_to_are_warned_about(self, here, capsys):
        (here / 'walled.yaml').write_text(
            'format: 1\nworld: {kind: grid, map: "S.#b", legend: {b: bed}}\n'
            'hypotheses: {kind: goals, goals: [[0, 0], [1, 0]]}\n'
            'details: Drawn by hand.\n')
        assert main(['check', 'walled.yaml']) == 0
        text = capsys.readouterr().out
        assert 'details      Drawn by hand.\n' in text
        assert re.search(r'regions +bed \(1 state\)', text)
        assert re.search(r'warning +cannot be reached from the start: bed', text)

    def test_a_file_that_is_not_there_is_named(self, capsys):
        assert main(['check', 'nowhere/x.yaml']) == 2
        assert 'nowhere/x.yaml: cannot be found' in capsys.readouterr().err

    @pytest.mark.slow
    def test_nested_policies_are_warned_about(self, here, capsys):
        (here / 'nested.yaml').write_text(
            'format: 1\nworld: {kind: grid, map: "...\\n...\\n..."}\n'
            'hypotheses: {kind: explicit, rewards: ['
            '{name: corner, at: [{place: [0, 0], value: 1}]},'
            '{name: top, at: [{place: [0, 0], value: 1}, {place: [1, 0], value: 0.01},'
            ' {place: [2, 0], value: 0.01}]}]}\n'
            'noise: {likelihood: aggregated}\n')
        code = main(['check', 'nested.yaml'])
        out = capsys.readouterr()
        assert code == 0, out.err
        assert re.search(r"warning +\d+ pairs of policies contain one another; '\w+' cannot be "
                         r'rejected', out.out)


    def test_a_never_that_cannot_be_kept_is_said_with_the_cells(self, here, capsys):
        (here / 'cut.yaml').write_text(
            'format: 1\nworld:\n  kind: grid\n  map: |\n    .....r.g\n    ....#rg.\n'
            '  legend: {r: rug, g: goal}\n'
            'hypotheses: {kind: places, places: [goal], over: {rug: [free, never]}}\n')
        assert main(['check', 'cut.yaml']) == 0
        text = capsys.readouterr().out
        assert 'never        not kept from everywhere by 1 of 1 task that says it\n' in text
        assert ("warning      'go to goal, never over the rug': from 9 cells there is no way that "
                'avoids the rug: (0, 0), (1, 0), (2, 0) and 6 more\n') in text

    def test_tasks_that_no_question_tells_apart_are_named(self, here, capsys):
        (here / 'same.yaml').write_text(
            'format: 1\nworld: {kind: grid, map: "....", moves: [east, west, stay]}\n'
            'hypotheses: {kind: explicit, rewards: ['
            '{name: one, at: [{place: [0, 0], value: 1}]},'
            '{name: two, at: [{place: [0, 0], value: 2}]},'
            '{name: other, at: [{place: [3, 0], value: 1}]}]}\n')
        assert main(['check', 'same.yaml']) == 0
        assert ("warning      no question about what to do tells these apart: 'one', 'two'\n"
                ) in capsys.readouterr().out

    @pytest.mark.slow
    def test_its_forecast_is_that_of_the_page(self, capsys):
        assert main(['check', 'room']) == 0
        said = next(line for line in capsys.readouterr().out.splitlines() if 'About ' in line)
        task = load_task('room')
        with LocalLesson(task, usual_learner(task)) as lesson:
            lesson.look_ahead(lambda *_: None)
            shown = belief_view(lesson.snapshot().belief, task)['left']
        numbers = re.findall(r'\d+', shown)
        assert len(numbers) == 5                # likely, fewest, most, in 8 of 10
        assert re.findall(r'\d+', said)[:5] == numbers

    def test_lessons_that_do_not_end_are_not_counted_as_questions(self, monkeypatch, capsys):
        endless = Outlook((np.zeros((200, 3)),) * 20, (200,) * 20)
        monkeypatch.setattr(check_module.Outlook, 'simulated', lambda *given: endless)
        assert main(['check', 'room']) == 0
        assert 'questions    I can hardly tell these tasks apart by asking.' \
            in capsys.readouterr().out

    @for_each(('lessons', 'said'), [
        (7, r'About \d+ answers?[^(]*\(7 of 20 simulated lessons; the others did not end within '
            r'5 s\)\n'),
        (0, r'With probability 95% there is no better way to do what you mean\. How many answers '
            r'that takes is not known: no simulated lesson has ended within 5 s\n')])
    def test_lessons_that_take_long_are_not_waited_for(self, lessons, said, monkeypatch, capsys):
        asked = []

        def clock():            # does not advance until this many lessons have ended
            return 100.0 if len(asked) > lessons else 0.0

        def simulated(learner, progress, is_over):
            def show(done, total):
                asked.append(done)
                progress(done, total)
            asked.append(0)
            return really(learner, show, is_over)
        really = Outlook.simulated
        monkeypatch.setattr(check_module.Outlook, 'simulated', simulated)
        monkeypatch.setattr(check_module, 'processor_time', clock)
        assert main(['check', 'room']) == 0
        assert re.search(r'questions +' + said, capsys.readouterr().out)


class TestShow:
    @pytest.mark.slow
    def test_draws_text_and_a_picture(self, here, capsys):
        assert main(['show', 'room']) == 0
        text = capsys.readouterr().out
        assert '#####.SS#' in text
        assert 'c carpet' in text
        assert text.rstrip().endswith('drawn into room.png')
        assert (here / 'room.png').read_bytes().startswith(b'\x89PNG')

    @pytest.mark.slow
    @pytest.mark.parametrize('task', ['grid_world', 'trap_world', 'driver', 'random_mdp',
                                      'puddle_world_lopes'])
    def test_every_kind_of_picture(self, task, here, capsys):
        assert main(['show', task, '--png', 'a.png']) == 0
        assert (here / 'a.png').stat().st_size > 5000
        file = load_task_file(task)
        assert f'{file.task.world.description}\n{file.details}\n' in capsys.readouterr().out

    @pytest.mark.slow
    def test_a_hypothesis_comes_with_its_policy(self, here, capsys):
        assert main(['show', 'grid_world', '--hypothesis', 'go to (0, 0)', '--png', 'a.png']) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[1] == lines[12] == '#' * 21
        rows = [line[1:-1] for line in lines[2:12]]
        assert rows[0][1:] == '←' * 18      # along the top edge to the corner
        assert [row[0] for row in rows[1:]] == ['↑'] * 9

    @pytest.mark.slow
    def test_the_truth_is_shown_on_demand(self, here, capsys):
        assert main(['show', 'room', '--truth']) == 0
        assert capsys.readouterr().out.startswith('go to desk, never over the carpet\n')

    @pytest.mark.parametrize(('file', 'text'), [
        ('nowhere/a.png', 'nowhere/a.png: there is no folder nowhere; make it first'),
        ('a.jpg', 'a.jpg: the picture is a PNG; give it a name that ends in .png'),
        ('taken.png', 'taken.png: Is a directory')])
    def test_a_picture_that_cannot_be_written_is_explained(self, here, capsys, file, text):
        Path('taken.png').mkdir()
        assert main(['show', 'room', '--png', file]) == 2
        assert capsys.readouterr().err.strip() == text

    def test_an_unknown_hypothesis_gets_a_hint(self, capsys):
        assert main(['show', 'room', '--hypothesis', 'go to kichen']) == 2
        assert "Did you mean 'go to kitchen'?" in capsys.readouterr().err

    def test_without_a_picture_library_it_says_what_to_install(self, here, capsys, monkeypatch):
        monkeypatch.setitem(sys.modules, 'matplotlib', None)
        assert main(['show', 'room']) == 1
        assert ("gbs-irl: there is no Python module 'matplotlib'; `apt install "
                'python3-matplotlib` installs it') in capsys.readouterr().err


class TestAsk:
    def test_in_paper_mode_it_doubts_nothing(self, capsys):
        told = []
        for options in (['--none-of-these', '0.4', '--learn-error-rate'], []):
            assert main(['ask', 'room', '--simulate', '--strategy', 'gbs', '--seed', '5',
                         *options]) == 0
            told.append(capsys.readouterr().out)
        assert 'none of these: ' in told[0]
        assert 'none of these' not in told[1]

    @for_each('share', ['1', '-0.1', 'nan', 'much'])
    def test_a_prior_of_none_of_these_that_is_none_is_refused(self, share, capsys):
        with pytest.raises(SystemExit):
            main(['ask', 'room', '--none-of-these', share])
        assert f'--none-of-these: must be a number in 0 .. 0.4, got {share!r}' \
            in capsys.readouterr().err

    def test_kinds_that_cannot_be_asked_are_refused(self, capsys):
        with pytest.raises(SystemExit):
            main(['ask', 'room', '--kinds', 'task,riddle'])
        assert '--kinds: ' in (told := capsys.readouterr().err)
        assert 'riddle' in told
        with pytest.raises(SystemExit):
            main(['ask', 'room', '--kinds', 'confirm'])
        assert main(['ask', 'room', '--strategy', 'gbs', '--kinds', 'task']) == 2
        assert '--kinds is for the strategy bits_per_second, got gbs' in capsys.readouterr().err

    def test_a_simulated_teacher_teaches_the_room(self, capsys):
        assert main(['ask', 'room', '--simulate', '--seed', '3', '--kinds', 'place,compare']) == 0
        text = capsys.readouterr().out
        assert 'Where should I go? go to desk' in text or 'or that (' in text
        assert main(['ask', 'room', '--simulate', '--seed', '3']) == 0
        text = capsys.readouterr().out
        assert 'Which of these do you mean? go to desk, never over the carpet' in text
        assert 'answers; the likeliest task so far: go to desk, never over the carpet' in text
        assert 'no more questions: with probability ' in text
        assert 'With probability 95% there is no better way to do what you mean.' in text
        try:
            assert main(['ask', 'room', '--simulate', '--seed', '3', '--language', 'de']) == 0
        finally:
            speak('en')
        text = capsys.readouterr().out
        assert 'Was davon meinst du? Ziel: Schreibtisch, nie über „Teppich“' in text
        assert 'bisher am wahrscheinlichsten: Ziel: Schreibtisch, nie über „Teppich“' in text
        assert re.findall('carpet|desk|south', text) == []

    @for_each('stop', STOP_NAMES)
    def test_a_lesson_ends_by_the_condition_that_is_wanted_and_says_what_it_promises(
            self, stop, capsys):
        assert main(['ask', 'room', '--simulate', '--stop', stop, '--certainty', '0.8', '--loss',
                     '0.2']) == 0
        assert f'{claim(make_stop_rule(stop, 0.8, loss=0.2))}\n' in capsys.readouterr().out

    def test_a_person_teaches_by_keys(self, room, capsys):
        """The person means the true task of the file, and answers with the keys on the screen."""
        truth = load_truth('room')
        sets = room.hypotheses.sets.policy_sets(room.hypotheses.policy_of_reward[truth.index])
        learner = Learner(room, seed=1)
        asked = []

        def read(prompt):
            state = learner_now[0].ask().state
            asked.append(state)
            action = next(a for a in range(5)
                          if int(sets[state]) >> a & 1 and room.world.choices[state, a])
            learner_now[0] = learner_now[0].tell(ActionAnswer(state, action))
            return room.world.appearance.action_keys[action]

        learner_now = [learner]
        done, _ = ask.teach(learner, room, read)
        assert done.most_probable_reward == truth.index
        assert capsys.readouterr().out.count('?') >= len(asked)

    def test_undo_nonsense_and_the_end_of_input(self, room, capsys):
        typed = iter(['u', 'zzz', 'w', '?', 'i', 'l', 'u'])

        def read(prompt):
            try:
                return next(typed)
            except StopIteration:
                raise EOFError from None

        done, _ = ask.teach(Learner(room, seed=1), room, read)
        text = capsys.readouterr().out
        assert 'there is no answer to take back' in text
        assert "not understood, got 'zzz'; expected one of ['w', 'd', 's', 'a', 'x'" in text
        assert 'i    I do not know: this is not asked again' in text
        assert [type(answer) for answer in done.answers] == [ActionAnswer, DontKnowAnswer]

    @pytest.mark.slow
    def test_without_a_terminal_lines_are_read(self, tmp_path):
        done = run('ask', 'room', '--strategy', 'gbs', cwd=tmp_path, input='north\n?\nq\n')
        assert done.returncode == 0, done.stderr
        assert done.stdout.count('Which way should I go at (') >= 2
        assert 'Keys that work now' in done.stdout
        assert '1 answer; the likeliest task so far: ' in done.stdout

    def test_q_stops(self, room):
        assert ask.teach(Learner(room), room, lambda prompt: 'q')[0].answers == ()

    def test_lines_choose_from_a_list_point_at_places_and_say_words(self, room, capsys):
        typed = iter(['31', '17', 'u', 'on the way 99,99', 'xyzzy plugh', 'say go',
                      'to the desk, never over the carpet', 'y'])
        learner = Learner(room, 'bits_per_second', caution=CAREFUL)
        done, _ = ask.teach(learner, room, lambda prompt: next(typed))
        text = capsys.readouterr().out
        for told in ('Which of these do you mean?', '17 go to desk, never over the carpet',
                     'choose first: a number from 1 to 30', 'got 31; then Enter',
                     'You said: go to desk, never over the carpet', 'Answer removed.',
                     'cell (99, 99) is outside the map',
                     "I know no task about 'xyzzy plugh'", "'go' fits all 30 tasks",
                     'I understood: go to desk, never over the carpet.'):
            assert told in text, f'{told!r} is missing:\n{text}'
        assert done.task.hypotheses.name(done.most_probable_reward) == \
            'go to desk, never over the carpet'
        assert [answer.kind for answer in done.answers][-2:] == ['words', 'confirm']

    @pytest.mark.slow
    @for_each(('by', 'pressed'), [
        ('words', [('Which of these', '/'), ('Say it in your own', 'xyzzy\r'),
                   ('I know no task about', '/'), ('You say: xyzzy_', '\x7f' * 5),
                   ('You say: _', 'the desk, never over the carpet\r'),
                   ('I understood: go to desk, never', 'y')]),
        ('keys', [('Which of these', '17'), ('Your number: 17_', '\r'),
                  ('Is this what you mean?', 'y')])])
    def test_a_task_is_taught_in_a_real_terminal(self, by, pressed, tmp_path):
        text, status = in_a_terminal(['ask', 'room'], pressed, tmp_path)
        assert status == 0
        assert '2 answers; the likeliest task so far: go to desk, never over the carpet' in text
        assert 'no more questions' in text

    @pytest.mark.slow
    def test_in_a_real_terminal(self, tmp_path):
        """A pseudo-terminal: typed keys, text on the screen, a clean end."""
        text, status = in_a_terminal(['ask', 'room', '--strategy', 'gbs'],
                                     [('q quit', 'i'), ('You said', 'q')], tmp_path)
        assert status == 0
        assert 'Which way should I go at (' in text
        assert 'no answer yet: nothing is known' in text
        assert 'the lesson is not finished' in text
        assert 'k kitchen' in text


def in_a_terminal(words, pressed, folder):
    """
    Run the command in a pseudo-terminal; return all that it wrote, and how it ended.

    :param pressed: texts and the keys that are pressed when each is on the screen.
    """
    master, slave = pty.openpty()
    process = subprocess.Popen([sys.executable, SCRIPT, *words], stdin=slave, stdout=slave,
                               stderr=slave, cwd=folder, close_fds=True)
    os.close(slave)
    seen, begin, pressed = '', 0, list(pressed)
    try:
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break               # the other end is closed
            if not chunk:
                break
            seen += chunk.decode(errors='replace')
            if pressed and pressed[0][0] in seen[begin:]:
                begin = len(seen)       # what is waited for next is written after this
                os.write(master, pressed.pop(0)[1].encode())
    finally:
        os.close(master)
    return seen, process.wait(timeout=patience(30))


@for_each(('kind', 'options', 'text'), [
    ('action', {}, 'Which way should I go at (5, 1) (near the door)?'),
    ('yes_no', {'action': 1}, 'Should I go east at (5, 1) (near the door)?'),
    ('reward', {}, 'How good is it to be at (5, 1) (near the door)?'),
    ('reward', {'action': 0}, 'How good is "north" at (5, 1) (near the door)?'),
    ('demonstration', {'steps': 3}, 'Show me 3 steps, starting at (5, 1) (near the door).')])
def test_questions_are_sentences(room, kind, options, text):
    state = room.world.appearance.state_names.index('(6, 1)')
    question = Question(QuestionKind(kind), state, **options)
    assert sentences.sentence(question, room.world) == text.replace('(5, 1)', '(6, 1)')


@pytest.mark.slow
def test_without_a_command_it_says_how_to_use_it():
    done = run()
    assert done.returncode == 2
    assert 'usage: gbs-irl' in done.stderr


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error():
    done = subprocess.run(f'{sys.executable} {SCRIPT} schema | head -1', shell=True,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.stdout == '{\n'
    assert 'Traceback' not in done.stderr


@pytest.mark.slow
def test_the_script_works_without_any_environment(tmp_path):
    """Straight from a checkout, with nothing but numpy, scipy and PyYAML."""
    plain = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    done = subprocess.run([sys.executable, SCRIPT, 'check', 'grid_world'], cwd=tmp_path, env=plain,
                          capture_output=True, text=True, timeout=patience(60))
    assert done.returncode == 0, done.stderr
    assert shutil.which('python3')


def test_no_name_plays_tricks_on_the_terminal(here, capsys):
    file = here / 'room\x1b[2J.yaml'
    assert main(['check', str(file)]) == 2
    assert main(['check', 'room\x1b[31m']) == 2
    said = capsys.readouterr()
    assert r'room\x1b[2J.yaml: cannot be found' in said.err
    assert '\x1b' not in said.out + said.err
    file.write_text("""format: 1
description: "clear\\e[2J"
world: {kind: grid, map: "SA", legend: {A: shelf}}
hypotheses: {kind: goals, goals: free}
""")
    assert main(['check', str(file)]) == 2
    assert r"description: must not contain control characters, got 'clear\x1b[2J'" \
        in capsys.readouterr().err
    file.write_text(file.read_text().replace('\\e[2J', ''))
    assert main(['check', str(file), '--no-cache']) == 0
    said = capsys.readouterr()
    assert r'room\x1b[2J' in said.out
    assert '\x1b[2J' not in said.out + said.err


@for_each('words', [['check'], ['show'], ['ask', '--simulate']])
def test_a_large_task_is_refused_with_the_figure_unless_it_is_allowed(words, tmp_path, capsys,
                                                                      monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr('gbs_irl_ros.tasks.cost.MOST_SECONDS', 0.0)
    assert main([*words, 'grid_world']) == 2
    assert re.search(r'grid_world.yaml:\d+: world.map: needs about .* MB and .* s, got 190 free '
                     r'cells with 4 moves of 1 outcome, each of them a goal; expected at most 2 '
                     r'GB and 0 s. Make the task smaller, or allow it: --large',
                     capsys.readouterr().err)
    assert main([*words, 'grid_world', '--large']) == 0


class TestPlan:
    def taught(self, folder, capsys):
        file = folder / 'a.taught.json'
        assert main(['ask', 'room', '--simulate', '--strategy', 'gbs', '--seed', '3', '--save',
                     str(file)]) == 0
        assert f'what was taught is kept in {file}' in capsys.readouterr().out
        return file

    def test_what_was_taught_is_planned_for_and_saved(self, tmp_path, capsys):
        file, policy = self.taught(tmp_path, capsys), tmp_path / 'a.policy.json'
        assert main(['plan', str(file), 'room', '-o', str(policy)]) == 0
        text = capsys.readouterr().out
        assert "in 'room': go to desk, never over the carpet: 100%" in text
        assert f'the policy is kept in {policy}' in text
        saved = load_policy(policy)
        room = load_task('room')
        assert saved.final
        assert saved.task_hash == room.hash
        assert set(saved.policy.goal_states) == set(room.world.appearance.regions['desk'])

    def test_what_was_taught_is_exported_for_nav2(self, tmp_path, capsys):
        file, room = self.taught(tmp_path, capsys), load_task('room')
        assert main(['export', str(file), 'room', '-o', str(tmp_path / 'out')]) == 0
        text = capsys.readouterr().out
        desk = room.world.appearance.positions[room.world.appearance.regions['desk']]
        assert 'go to desk, never over the carpet: 15 cells never to be entered, 0 undesi' in text
        assert any(f'the goal is at x {x:.3f}, y {y:.3f} in the frame map' in text
                   for x, y in desk)
        mask = yaml.safe_load((tmp_path / 'out' / 'a.keepout.yaml').read_text())
        assert mask == {
            'image': 'a.keepout.pgm', 'mode': 'scale', 'resolution': 0.5, 'negate': 0,
            'origin': [*room.world.layout.corner, 0.0], 'occupied_thresh': 1.0, 'free_thresh': 0.0}
        with Image.open(tmp_path / 'out' / mask['image']) as image:
            darkness = (255.0 - np.asarray(image)) / 255.0
        # as the map server reads it in that mode
        found = np.rint(np.where(darkness >= 1.0, 100.0, darkness * 100.0))
        assert found.shape == room.world.layout.shape
        carpet = room.world.appearance.regions['carpet']
        np.testing.assert_array_equal(found == 100, np.isin(room.world.layout.states, carpet))
        assert set(np.unique(found)) == {0, 100}
        pasted = yaml.safe_load((tmp_path / 'out' / 'a.nav2.yaml').read_text())
        assert pasted['keepout_mask_server']['ros__parameters']['yaml_filename'] \
            == str(tmp_path / 'out' / 'a.keepout.yaml')
        assert {'global_costmap', 'local_costmap', 'keepout_filter_info_server'} < set(pasted)
        assert main(['export', str(file), 'room']) == 0
        assert (tmp_path / 'a.nav2.yaml').is_file()
        (tmp_path / 'file').touch()
        assert main(['export', str(file), 'room', '-o', str(tmp_path / 'file')]) == 2
        assert 'cannot be written: ' in capsys.readouterr().err

    def test_what_is_missing_is_said_and_nothing_is_saved(self, tmp_path, capsys):
        file, policy = self.taught(tmp_path, capsys), tmp_path / 'a.policy.json'
        assert main(['plan', str(file), 'driver', '-o', str(policy)]) == 2
        assert "is not among the 500 tasks of 'driver'; closest: " in capsys.readouterr().err
        file.write_text(file.read_text().replace('"done": true', '"done": false'))
        assert main(['plan', str(file), 'room', '-o', str(policy)]) == 1
        assert 'not sure enough to plan: the lesson was not over when this was saved: ' \
            "'go to desk, never over the carpet' 100%" in capsys.readouterr().out
        assert not policy.exists()
        assert main(['export', str(file), 'room']) == 1
        assert 'not sure enough to plan' in capsys.readouterr().out
        assert not list(tmp_path.glob('*.nav2.yaml'))
        assert main(['ask', 'room', '--taught', str(file), '--simulate']) == 0
        assert '2 answers; the likeliest' in (text := capsys.readouterr().out) \
            or '1 answer; the likeliest' in text


class TestPerson:
    def test_how_a_person_answers_is_remembered(self, room, tmp_path, monkeypatch, capsys):
        monkeypatch.setenv('ROS_HOME', str(tmp_path))
        people, teacher = People(lessons_folder(''), print), load_truth('room').index
        learner = Learner(room, caution=CAREFUL)
        sets = room.hypotheses.sets.policy_sets(room.hypotheses.policy_of_reward[teacher])
        for number in range(2):
            with LocalLesson(room, learner, Beginning(None, people.known('anna'))) as lesson:
                while (question := lesson.lesson.open_question) is not None:
                    asked = question.question
                    action = next(a for a in range(5) if int(sets[asked.state]) >> a & 1
                                   and room.world.choices[asked.state, a])
                    lesson.answer(question.id, ConfirmAnswer(asked, yes=True)
                                  if asked.kind is QuestionKind.CONFIRM
                                  else ActionAnswer(asked.state, action))
                ask._outcome(lesson.lesson)
            assert len({count.session for count in people.known('anna').answers}) == number + 1
        assert (tmp_path / 'gbs_irl' / 'people' / 'anna.json').is_file()

    def test_names_that_lead_elsewhere_and_simulated_people_are_refused(self, capsys):
        with pytest.raises(SystemExit):
            main(['ask', 'room', '--person', '../anna'])
        assert '--person: the name of a person must have 1 to 64 letters' \
            in capsys.readouterr().err
        assert main(['ask', 'room', '--person', 'anna', '--simulate']) == 2
        assert '--person is for people, not for a simulated teacher' in capsys.readouterr().err


def test_plugins_are_listed_with_what_is_wrong_with_them(plugins, capsys):
    assert main(['plugins']) == 0
    assert capsys.readouterr().out == 'no installed package adds anything\n'
    plugins.add('bad', 'raise KeyError("no licence")', teachers='strict = bad:Strict',
                strategies='gbs = bad:Gbs')
    assert main(['plugins']) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("gbs_irl_ros.strategies: gbs: the question strategy 'gbs' of bad "
                            "(entry point 'bad:Gbs') has the name of one of gbs_irl_ros itself")
    assert second.startswith("gbs_irl_ros.teachers: strict: the teacher 'strict' of bad (entry "
                             "point 'bad:Strict') cannot be loaded: KeyError: 'no licence' (")
