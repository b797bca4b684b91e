"""What is said after a task was named changes that of it, and nothing else."""

from __future__ import annotations

import numpy as np
from cases import for_each
from small_lessons import open_lesson

from gbs_irl_ros.core import CAREFUL
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import trespassed
from gbs_irl_ros.core.task_answers import GoHereAnswer, NeverHereAnswer, TaskAnswer, WordsAnswer
from gbs_irl_ros.learning.as_meant import as_meant, kept_off
from gbs_irl_ros.learning.records import DemonstrationRecord
from gbs_irl_ros.tasks.facets import facets_of
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.tasks.words import tasks_that_fit
from gbs_irl_ros.teaching.paths import rehearse

DESK, BED, KITCHEN = 'go to desk', 'go to bed', 'go to kitchen'
CARPET, TOYS, BOTH = (f', never over the {words}' for words in
                      ('carpet', 'toys', 'carpet or the toys'))
RATHER = ', rather not over the carpet'
DESK_ALONE = (DESK + CARPET, DESK)
LIKELY = 0.5


def say(lesson, number, said):
    """Say something: the name of a task, words, what of a region, or a place."""
    task, world = lesson.learner.task.hypotheses, lesson.world
    known_as, regions = f'said-{number}', world.appearance.regions
    if isinstance(said, Place):
        lesson.show_place(known_as, lesson.plan_place(said), 7, 'page')
        return
    what, name = said
    if what == 'task':
        answer = WordsAnswer(name, (task.names.index(name),))
    elif what == 'words':
        answer = WordsAnswer(name, tasks_that_fit(name, lesson._task))
    elif what in ('go', 'off'):
        kind = GoHereAnswer if what == 'go' else NeverHereAnswer
        answer = kind(tuple(regions[name].tolist()))
    else:
        answer = facets_of(task, world).minding(name, what)
    lesson.watch(DemonstrationRecord(known_as, answer, stamp=7))


@for_each(('named', 'said', 'meant'), [
    (DESK + CARPET, [('never', 'toys')], DESK + BOTH),
    (DESK + CARPET, [('words', 'never over the toys')], DESK + BOTH),
    (DESK + CARPET, [('off', 'toys')], DESK + BOTH),
    (DESK + BOTH, [('free', 'toys')], DESK + CARPET),
    (DESK + CARPET, [('rather not', 'carpet')], DESK + RATHER),
    (BED + BOTH, [('go', 'desk')], DESK + BOTH),
    (BED + BOTH, [('words', 'go to the desk')], DESK + BOTH),
    (BED, [('go', 'kitchen'), ('never', 'toys')], KITCHEN + TOYS),
    (DESK + CARPET, [('never', 'toys'), ('free', 'toys')], DESK + CARPET),
    (DESK + CARPET, [('never', 'carpet')], DESK + CARPET),
    (DESK + CARPET, [('task', BED)], None),             # names another: that is no change of it
    (BED + CARPET, [Place(False, 12, 8, 12, 8)], 'go to (12, 8)' + CARPET),
    (DESK + CARPET, [Place(True, 13, 7, 13, 7)], DESK + CARPET + ', never over (13, 7)')])
def test_what_is_said_of_a_named_task_changes_nothing_else(room, tmp_path_factory, named, said,
                                                           meant):
    lesson = open_lesson(tmp_path_factory.mktemp('lesson') / 'lesson.jsonl', room,
                         caution=CAREFUL)
    say(lesson, 0, ('task', named))
    before = lesson.learner.posterior.log_weights.tolist()
    for number, each in enumerate(said, start=1):
        say(lesson, number, each)
    if meant is not None:
        assert lesson.standing.favourite == meant
        assert lesson.learner.certainty > (0.0 if isinstance(said[-1], Place) else LIKELY)
    for _ in said:
        lesson.undo(8)
    assert lesson.learner.posterior.log_weights.tolist() == before
    lesson.close()


@for_each(('options', 'kind'), [((DESK + CARPET, DESK + BOTH), TaskAnswer),
                                (DESK_ALONE, WordsAnswer)])
def test_a_task_that_was_chosen_from_a_list_is_changed_too(room, options, kind):
    numbers = tuple(map(room.names.index, options))
    chosen = TaskAnswer(Question(QuestionKind.TASK, 0, options=numbers, labels=options),
                        numbers[0])
    never = facets_of(room.hypotheses, room.world).minding('toys', 'never')
    naming, said = as_meant([chosen, never], room.hypotheses, room.world)
    assert isinstance(naming, kind)
    assert room.names[naming.task if kind is TaskAnswer else naming.tasks[0]] == DESK + BOTH
    assert said == never
    assert as_meant([chosen], room.hypotheses, room.world) == (chosen,)
    assert as_meant([never, chosen], room.hypotheses, room.world) == (never, chosen)


def test_what_was_marked_as_never_is_kept_off_whatever_else_is_believed(room, tmp_path):
    lesson = open_lesson(tmp_path / 'lesson.jsonl', room, caution=CAREFUL)
    for number, said in enumerate([('go', 'desk'), ('never', 'carpet'), ('free', 'toys')]):
        say(lesson, number, said)
    off = Place(True, 13, 6, 13, 7)
    before, zone = lesson.report(9)[0].policy, set(place_states(off, room.world).tolist())
    start = int(np.argmax(room.world.start))
    assert zone & set(rehearse(room.world, before, start).states)
    say(lesson, 3, off)
    after = lesson.report(9)[0].policy
    way = rehearse(room.world, after, start).states
    assert not zone & set(way)                      # another way is known,
    assert way[-1] in room.world.appearance.regions['desk']
    assert set(before.never.tolist()) | zone == set(after.never.tolist())
    known = lesson.learner
    other = kept_off(before, known.most_probable_reward, np.array([start + 1]),
                     known.task.hypotheses, room.world)
    assert other.action_sets.tolist() == before.action_sets.tolist()    # or none, and it stays
    assert trespassed(other, room.world.mdp, start) == (start + 1,)
    lesson.undo(9)
    assert lesson.report(9)[0].policy.never.tolist() == before.never.tolist()
