"""What was taught, on disk: read as it was written, or refused in words."""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import CAREFUL, ActionAnswer, Learner
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.learning.json_files import NotSavedError
from gbs_irl_ros.learning.taught import (
    MAX_TASKS,
    MOST_BYTES,
    TaughtBelief,
    TaughtPlace,
    TaughtTask,
    belief_of,
    load_taught,
    save_taught,
)
from gbs_irl_ros.tasks import Place

SECOND = 10**9
PLACE = TaughtPlace(True, (1, 2, 3, 4), (0.5, 1.0, 2.0, 2.5), 'carpet')
BELIEF = TaughtBelief('room', 'ab' * 32, '2026-01-01T00:00:00+00:00', True, 0.9,
                      (TaughtTask('go to desk', 0.8), TaughtTask('go to bed', 0.1)), 7, 0.04, 0.06,
                      (PLACE,))


def changed(path, **changes):
    """Save a belief with other values; None: without."""
    save_taught(BELIEF, path)
    values = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps({name: value for name, value in values.items()
                                if value is not None}))
    return path


def test_it_comes_back_as_it_was_for_its_owner_alone(tmp_path):
    path = tmp_path / 'folder' / 'a.taught.json'
    save_taught(BELIEF, path)
    assert load_taught(path) == BELIEF
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().startswith('{\n  "format": 1,')


def test_it_names_the_tasks_with_what_is_believed_of_them(room):
    learner = Learner(room, caution=CAREFUL).tell(ActionAnswer(40, 1)).tell(ActionAnswer(7, 2))
    belief = belief_of(learner, room.world, done=False, stamp=7 * SECOND)
    expected = dict(zip(room.names, learner.posterior.probabilities, strict=True))
    told = {task.name: task.probability for task in belief.tasks}
    assert told == pytest.approx({name: expected[name] for name in told}, abs=1e-8)
    assert len(told) + belief.num_others == 30
    assert belief.none_of_these == pytest.approx(learner.none_of_these)
    assert (belief.task, belief.task_hash) == ('room', room.hash)
    assert belief.date == '1970-01-01T00:00:07+00:00'
    probabilities = [task.probability for task in belief.tasks]
    assert probabilities == sorted(probabilities, reverse=True)
    assert belief.favourite is belief.tasks[0]


def test_places_are_told_in_cells_in_metres_and_by_their_region(room):
    learner = Learner(room, caution=CAREFUL)
    cells = room.world.appearance.cells[room.world.appearance.regions['carpet']]
    (column, row), (last_column, last_row) = cells.min(axis=0), cells.max(axis=0)
    places = (Place(False, 12, 8, 12, 8),
              Place(True, *map(int, (column, row, last_column, last_row))))
    here, carpet = belief_of(learner, room.world, done=True, stamp=0, places=places).places
    assert (here.cells, here.region, carpet.region) == ((12, 8, 12, 8), '', 'carpet')
    state = int(np.flatnonzero((room.world.appearance.cells == (12, 8)).all(axis=1))[0])
    x, y = room.world.appearance.positions[state]
    assert here.metres == pytest.approx((x - 0.25, y - 0.25, x + 0.25, y + 0.25))
    assert [place.place for place in (here, carpet)] == list(places)


def test_of_many_tasks_the_most_probable_are_named(room, monkeypatch):
    monkeypatch.setattr('gbs_irl_ros.learning.taught.MAX_TASKS', 3)
    belief = belief_of(Learner(room, caution=CAREFUL), room.world, done=False, stamp=0)
    assert (len(belief.tasks), belief.num_others) == (3, 27)
    assert belief.others == pytest.approx(0.9 * 27 / 30)


@for_each(('changes', 'message'), [
    ({'format': 2}, 'its format must be 1, got 2'),
    ({'task': None}, "a taught belief must have the field 'task'"),
    ({'more': 1}, "a taught belief has no field 'more'"),
    ({'done': 'yes'}, "done must be true or false, got 'yes'"),
    ({'task_hash': 'x'}, "task_hash must be 64 hexadecimal digits, got 'x'"),
    ({'task': 'a\x1b[31m'}, r"task must have 1 to 1000 characters, none of them a control "
                            r"character, got 'a\x1b[31m'"),
    ({'date': ''}, 'date must have 1 to 1000 characters'),
    ({'certainty': 1.5}, 'certainty must be in [0, 1], got 1.5'),
    ({'others': float('nan')}, 'others must be in [0, 1], got nan'),
    ({'num_others': -1}, 'num_others must not be negative, got -1'),
    ({'tasks': []}, f'tasks must have 1 to {MAX_TASKS} entries, got 0'),
    ({'tasks': [{'name': 'a', 'probability': 0.9}] * 2}, "different names, got 'a' twice"),
    ({'tasks': [{'name': 'a', 'probability': 0.2}]}, 'must sum to 1, got 0.3'),
    ({'tasks': [{'name': 'a', 'probability': 2}]}, "the probability of 'a' must be in [0, 1]"),
    ({'tasks': [{'name': 'a\n', 'probability': 0.9}]}, 'the name of a task must have'),
    ({'tasks': 'a' * 9000}, "tasks must be a list, got 'aaa"),
    ({'places': [{'keep_off': True, 'cells': [1], 'metres': [0, 0, 1, 1]}]},
     'cells must be [first column, first row, last column, last row], got [1]'),
    ({'places': [{'keep_off': True, 'cells': [1] * 4, 'metres': [0, 0, 1, float('inf')]}]},
     'metres must be four finite numbers [x from, y from, x to, y to], got [0, 0, 1, inf]'),
    ({'places': [{'keep_off': True, 'cells': [1] * 4, 'metres': [0] * 4, 'region': '\x07'}]},
     'the name of a region must have'),
    ({'places': [{'keep_off': True, 'cells': [1] * 4, 'metres': [0] * 4}] * 9},
     'places must have at most 8 entries, got 9'),
])
def test_what_is_wrong_is_said(tmp_path, changes, message):
    path = changed(tmp_path / 'a.json', **changes)
    with pytest.raises(InvalidRecordError, match=re.escape(message)) as raised:
        load_taught(path)
    text = str(raised.value)
    assert text.startswith(f'{path}: is not a taught belief: ')
    assert len(text) < 1000
    assert text.isprintable()


@for_each(('content', 'message'), [
    (b'', 'is not a taught belief'), (b'[]', 'a taught belief must be an object, got []'),
    (b'\xff\xfe', 'is not a taught belief'), (b'[' * 100_000, 'is not a taught belief'),
    (b' ' * (MOST_BYTES + 1), f'expected at most {MOST_BYTES}'),
    (None, 'cannot be read: No such file or directory; expected what a learner saved')])
def test_other_files_are_refused(tmp_path, content, message):
    path = tmp_path / 'a.json'
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InvalidRecordError, match=re.escape(message)):
        load_taught(path)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / 'a.json')
    with pytest.raises(InvalidRecordError, match='it is not an ordinary file'):
        load_taught(tmp_path / 'a.json')


def test_a_disk_that_is_full_is_told_and_the_old_file_stays(tmp_path):
    path = tmp_path / 'a.json'
    path.mkdir()
    with pytest.raises(NotSavedError, match='what was taught cannot be saved: Is a dir'):
        save_taught(replace(BELIEF, done=False), path)
