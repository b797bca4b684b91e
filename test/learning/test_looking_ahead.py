"""How long a lesson takes is worked out beside it, once."""

from __future__ import annotations

from waiting import wait_for

from gbs_irl_ros.core import Learner
from gbs_irl_ros.core.stopping import NEVER
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.learning.defaults import usual_learner
from gbs_irl_ros.learning.looking_ahead import LookingAhead
from gbs_irl_ros.tasks import load_task


def test_it_is_worked_out_once():
    room, ahead = load_task('room'), LookingAhead()
    learner = usual_learner(room)
    assert ahead.outlook(learner) is None
    found = wait_for(lambda: ahead.outlook(learner), 'the outlook')
    assert found.lengths == Outlook.simulated(learner).lengths
    assert ahead.outlook(usual_learner(room)) is found


def test_lessons_that_never_end_by_themselves_have_none():
    assert LookingAhead().outlook(Learner(load_task('room'), stop=NEVER)) is None
