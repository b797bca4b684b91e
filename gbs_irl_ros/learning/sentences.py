"""
What is said to a person, made of codes and data: the one place of these sentences.

Questions, what answers meant, why a lesson is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

import numpy as np

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stop_conditions import Conformal, LosesNothing, MinimaxRegret, ValueAtRisk
from gbs_irl_ros.core.stopping import DoneReason, StopRule
from gbs_irl_ros.core.task_answers import GoHereAnswer, NeverHereAnswer, OnTheWayAnswer
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.languages.speaking import marked, percent, tr, tr_count
from gbs_irl_ros.learning.records import NOT_ESTIMATED
from gbs_irl_ros.tasks.place_words import road_words, where_words
from gbs_irl_ros.tasks.shown_place import region_of
from gbs_irl_ros.tasks.world import World

DONE_REASONS = marked({
    DoneReason.GOOD_ENOUGH: 'the teacher says that this is good enough',
    DoneReason.NOTHING_TO_ASK: 'there is nothing left to ask',
    DoneReason.CERTAINTY: 'one way to do it is right with probability {value:.3f}',
    DoneReason.EVERY_STATE:
        'an optimal action is known in every state (W is at least {value:.3f})',
    DoneReason.LOSES_NOTHING:
        'with probability {value:.3f} no other way would be better',
    DoneReason.VALUE_AT_RISK:
        'with probability {value:.3f} no other way would be much better',
    DoneReason.MINIMAX_REGRET:
        'whichever of the likely tasks is meant, at most {value:.1%} of the best are lost',
    DoneReason.CONFORMAL: 'one way alone is likely enough: probability {value:.3f}',
    DoneReason.NONE_OF_THESE:
        'none of the listed tasks fits the answers (probability {value:.3f})',
    DoneReason.MAX_ANSWERS: 'as many answers were given as were asked for: {value:.0f}',
})
# What a lesson that ends by a stop condition promises, with its numbers.
CLAIMS = marked({
    DoneReason.CERTAINTY.value: 'With probability {certainty} this is the task that you mean.',
    LosesNothing.name:
        'With probability {certainty} there is no better way to do what you mean.',
    ValueAtRisk.name: 'Within {loss} of the best with probability {certainty}.',
    MinimaxRegret.name:
        'Whichever of the likely tasks you mean ({certainty} of the probability), at most {loss} '
        'of the best is lost.',
    Conformal.name:
        'Of simulated lessons of this task that ended so, {certainty} kept what was meant.',
})
# For how many tasks a statement about a place holds: for none, one, several or all.
HOLDS = marked({
    (GoHereAnswer, 0): 'none of the {total} tasks I know ends there.',
    (GoHereAnswer, 1): '{holds} of the {total} tasks I know ends there.',
    (GoHereAnswer, 2): '{holds} of the {total} tasks I know end there.',
    (GoHereAnswer, 3): 'all of the {total} tasks I know end there.',
    (NeverHereAnswer, 0): 'none of the {total} tasks I know keeps off.',
    (NeverHereAnswer, 1): '{holds} of the {total} tasks I know keeps off.',
    (NeverHereAnswer, 2): '{holds} of the {total} tasks I know keep off.',
    (NeverHereAnswer, 3): 'all of the {total} tasks I know keep off.',
    (OnTheWayAnswer, 0): 'none of the {total} tasks I know passes there.',
    (OnTheWayAnswer, 1): '{holds} of the {total} tasks I know passes there.',
    (OnTheWayAnswer, 2): '{holds} of the {total} tasks I know pass there.',
    (OnTheWayAnswer, 3): 'all of the {total} tasks I know pass there.',
})
TEN = 10
MAX_NAMED = 6               # answers in one sentence
MAX_RUNS = 12               # of equal actions of a route in one sentence
WORTH_SAYING = 0.15         # of "none of these", where a task is named: more than at first
WAY_ON = marked('Take back or change what is wrong; if nothing is, your task is not on the list.')
SHOW_IT = marked('Then show its place on the map: go here, or keep off here.')
NOTHING_ASSUMED = ('no guarantee: nothing is assumed about how often the teacher is right; '
                   'set the parameter true_gamma')
PAPER_MODE_TEXT = ('the likelihood is {0}, so one of the listed tasks is taken to be meant, the '
                   'error rate to be known, and no closing question is asked: none_of_these, '
                   'learn_error_rate and closing_question need the likelihood exact')
EARLIER_LESSON_TEXT = ('an earlier version began this lesson: until a parameter is changed or it '
                       'is reset, it continues as it would have then, without what that version '
                       'did not know of "none of these", a learned error rate, the closing '
                       'question and kinds of question')
RESCUED_TEXT = ('{0} holds an earlier lesson of this name, saved when its journal was taken away: '
                'to continue that one, stop the learner and rename the file to {1}')
HARDLY = marked('I can hardly tell these tasks apart by asking.')
WHERE_TO, WHICH_TASK = marked('Where should I go?'), marked('Which of these do you mean?')


def sentence(question: Question, world: World) -> str:
    """Return the question as a person reads it."""
    scene, names = world.scene(question.state), world.appearance.action_names
    if scene is not None:
        return _on_the_road(question, road_words(scene, names), world)
    where = where_words(world, question.state)
    on_the_floor = world.appearance.cells is not None
    if question.kind is QuestionKind.ACTION:
        return tr('Which way should I go {where}?', where=where) if on_the_floor \
            else tr('What should I do {where}?', where=where)
    if question.kind is QuestionKind.YES_NO:
        action = question.action or 0
        if not on_the_floor:
            return tr('Should I do "{action}" {where}?', action=names[action], where=where)
        return tr('Should I stay {where}?', where=where) if world.stays[question.state, action] \
            else tr('Should I go {action} {where}?', action=names[action], where=where)
    if question.kind is QuestionKind.REWARD:
        if question.action is not None:
            return tr('How good is "{action}" {where}?', action=names[question.action],
                      where=where)
        return tr('How good is it to be {where}?', where=where)
    if question.kind is QuestionKind.DEMONSTRATION:
        return tr_count(question.steps, 'Show me {count} step, starting {where}.',
                        'Show me {count} steps, starting {where}.', where=where)
    if question.kind is QuestionKind.CONFIRM:
        return tr('Starting {where} I would do this: {course}. Is this what you mean?',
                  where=where, course=_course(question.route, world))
    if question.kind is QuestionKind.PLACE:
        return tr(WHERE_TO)
    if question.kind is QuestionKind.TASK:
        return tr(WHICH_TASK)
    if question.kind is QuestionKind.COMPARE:
        return tr('Starting {where}: this way ({one}) or that ({other})?', where=where,
                  one=_course(question.route, world), other=_course(question.other_route, world))
    return no_other_case(question.kind)


def _on_the_road(question: Question, situation: str, world: World) -> str:
    """Return a question about a situation between other cars; lanes are its actions."""
    lanes = world.appearance.action_names
    if question.kind is QuestionKind.ACTION:
        asked = tr('Which lane should I take?')
    elif question.kind is QuestionKind.YES_NO:
        asked = tr('Should I take the {lane}?', lane=lanes[question.action or 0])
    elif question.kind is QuestionKind.REWARD:
        asked = tr('How good is this?') if question.action is None \
            else tr('How good is it to take the {lane}?', lane=lanes[question.action])
    elif question.kind is QuestionKind.DEMONSTRATION:
        asked = tr_count(question.steps, 'Show me the next step.',
                         'Show me the next {count} steps.')
    elif question.kind is QuestionKind.CONFIRM:
        asked = tr('I would do this: {course}. Is this what you mean?',
                   course=_course(question.route, world))
    elif question.kind is QuestionKind.COMPARE:
        asked = tr('This way ({one}) or that ({other})?', one=_course(question.route, world),
                   other=_course(question.other_route, world))
    elif question.kind is QuestionKind.PLACE:
        return tr(WHERE_TO)
    elif question.kind is QuestionKind.TASK:
        return tr(WHICH_TASK)
    else:
        return no_other_case(question.kind)
    return f'{situation} {asked}'


def answer_words(answer: Answer, world: World) -> str:
    """Return an answer as a person says it; places by their names in this world."""
    if isinstance(answer, (GoHereAnswer, NeverHereAnswer, OnTheWayAnswer)):
        region = region_words(answer.states, world)
        is_named = region == region_of(np.sort(np.array(answer.states)), world)
        if isinstance(answer, GoHereAnswer):
            return tr('go to {name}', name=region)
        if isinstance(answer, NeverHereAnswer):
            return tr('never over the {name}', name=region) if is_named \
                else tr('never over {place}', place=region)
        return tr('on the way: the {name}', name=region) if is_named \
            else tr('on the way: {place}', place=region)
    return answer.words(world.appearance.action_names)


def understood_text(answer: GoHereAnswer | NeverHereAnswer | OnTheWayAnswer, holds: int,
                    total: int) -> str:
    """
    Return for how many tasks a statement about a place holds.

    :param total: how many tasks there are.
    """
    many = 0 if not holds else 3 if holds == total else min(holds, 2)
    return tr(HOLDS[type(answer), many], holds=holds, total=total)


def contradiction_text(earlier: str, *, keeps_off: bool) -> str:
    """
    Return that no task fits both what was said last and something that was said before.

    :param keeps_off: that was "never here": tasks that keep off can be added.
    """
    if keeps_off:
        return tr('But none of them fits what you said before: {earlier}. If both are meant, show '
                  'that again, and I add tasks that do both; if one of them was a slip, take it '
                  'back.', earlier=earlier)
    return tr('But none of them fits what you said before: {earlier}. Both count; if one of them '
              'was a slip, take it back.', earlier=earlier)


def words_understood_text(names: Sequence[str]) -> str:
    """Return what the teacher's own words were taken for: the names of tasks."""
    named, others = list(dict.fromkeys(names)), 0
    if len(named) > MAX_NAMED:
        named, others = named[:MAX_NAMED], len(named) - MAX_NAMED
    understood = '; '.join(named)
    return tr('I understood: {tasks}; and {others} more.', tasks=understood, others=others) \
        if others else tr('I understood: {tasks}.', tasks=understood)


def region_words(states: Sequence[int], world: World) -> str:
    """Return where some states are: the name of their region, a cell, or from which to which."""
    region = region_of(np.sort(np.array(states)), world)
    if region:
        return region
    if len(states) == 1:
        return world.state_name(states[0])
    cells = world.appearance.cells
    if cells is None:
        return tr_count(len(states), '{count} state', '{count} states')
    first, last = (tuple(map(int, corner)) for corner in (
        cells[list(states)].min(axis=0), cells[list(states)].max(axis=0)))
    return tr_count(len(states), '{count} cell from {first} to {last}',
                    '{count} cells from {first} to {last}', first=first, last=last)


def _course(route: Sequence[tuple[int, int]], world: World) -> str:
    """
    Return the first actions of a route, those that repeat once: 3 x north, east, stay.

    At the end a robot on the floor may drive against a wall for ever: that is how it stays.
    """
    names = [world.appearance.action_names[action] for _, action in route]
    if world.appearance.cells is not None and world.mdp.targets[route[-1]] == route[-1][0]:
        names[-1] = tr('stay')
    runs = [(name, len(list(same))) for name, same in groupby(names)]
    told = [name if count == 1 else f'{count} x {name}' for name, count in runs[:MAX_RUNS]]
    return ', '.join([*told, *(['…'] if len(runs) > MAX_RUNS else [])])


def done_text(reason: DoneReason, value: float = 0.0) -> str:
    """
    Return why nothing more is asked.

    :param value: what the condition of a stop rule was reached with.
    """
    return tr(DONE_REASONS[reason], value=ShortNumber(value))


def claim(rule: StopRule, reason: DoneReason = DoneReason.NO_REASON) -> str:
    """
    Return what a lesson that ends by a rule promises, '' if it promises nothing.

    :param reason: why it has ended, if it has: perhaps not by the rule's own condition.
    """
    if reason is not DoneReason.NO_REASON and reason.value not in CLAIMS:
        return ''
    condition = rule.condition
    if condition is None:
        return '' if rule.certainty is None else tr(
            CLAIMS[DoneReason.CERTAINTY.value], certainty=percent(rule.certainty))
    numbers = asdict(condition)     # type: ignore[call-overload]
    return tr(CLAIMS[condition.name],
              **{name: percent(value) for name, value in numbers.items()})


def belief_words(favourite: str, certainty: float, none_of_these: float) -> str:
    """Return what is believed, in a few words; "none of these" where it is worth mentioning."""
    words = f'{favourite}: {percent(certainty, ".0f")}'
    return words if none_of_these < WORTH_SAYING \
        else tr('{words}, none of these: {share}', words=words,
                share=percent(none_of_these, '.0f'))


def known_words(favourite: str, certainty: float) -> str:
    """Return what was learned."""
    return f'{favourite} ({percent(round(certainty, 2))})'


def nothing_fits_text(num_tasks: int, numbers: Sequence[int]) -> str:
    """
    Return that no task fits.

    :param numbers: of the answers that the most probable task contradicts, from 1.
    """
    if not numbers:
        return tr('None of the {total} tasks I know explains all your answers.', total=num_tasks)
    if len(numbers) == 1:
        return tr('None of the {total} tasks I know explains your answer {number}.',
                  total=num_tasks, number=numbers[0])
    return tr('None of the {total} tasks I know explains your answers {numbers}.',
              total=num_tasks, numbers=_listed(numbers))


def ways_on(*, has_map: bool) -> str:
    """
    Return what the teacher can do where no task fits.

    :param has_map: places can be shown.
    """
    return f'{tr(WAY_ON)} {tr(SHOW_IT)}' if has_map else tr(WAY_ON)


def _listed(numbers: Sequence[int]) -> str:
    named = [str(number) for number in numbers[:MAX_NAMED]]
    others = len(numbers) - len(named)
    *first, last = [*named, tr('{count} more', count=others)] if others else named
    return tr('{first} and {last}', first=', '.join(first), last=last)


def forecast_text(forecast: Forecast | None, *, whole: bool = False) -> str:
    """
    Return how many more answers a lesson takes, '' if that is not known.

    :param whole: none has been given yet.
    """
    if forecast is None or not forecast.most:
        return ''
    if not forecast.has_end:
        return tr(HARDLY)
    about = tr_count(forecast.likely, 'About {count} answer', 'About {count} answers') if whole \
        else tr_count(forecast.likely, 'About {count} more answer', 'About {count} more answers')
    if forecast.fewest == forecast.most:
        return f'{about}.'
    return tr('{about}, {fewest} to {most} in 8 of {ten} lessons.', about=about,
              fewest=forecast.fewest, most=forecast.most, ten=TEN)


def reliability_text(error_rate: float) -> str:
    """Return how sure the teacher seems to be, '' if that is not estimated."""
    if error_rate == NOT_ESTIMATED:
        return ''
    sure = round(TEN * (1.0 - error_rate))
    return tr('Your answers seem to be sure.') if sure == TEN \
        else tr('You seem to be sure about {sure} of {ten} answers.', sure=sure, ten=TEN)
