"""What a strategy chooses, checked where the strategy comes from outside."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.errors import InvalidQuestionError, PluginError
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.core.queries.draws import generator_of
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation
from gbs_irl_ros.core.registry import origin, told

OURS = frozenset(STRATEGIES[name] for name in STRATEGIES.ours)     # tested, and asked in a hurry


def chosen_by(strategy: QueryStrategy, situation: Situation, rng: np.random.Generator,
              ) -> Choice | None:
    """Return the question that a strategy chooses; raise PluginError if it cannot be asked."""
    if type(strategy) in OURS:
        return strategy.choose(situation, rng)
    name = f'the strategy {strategy.name!r} ({origin(strategy)})'
    try:
        choice = strategy.choose(situation, generator_of(rng))
    except Exception as error:      # whatever somebody else's code does
        raise PluginError(f'{name} failed: {told(error)}') from error
    wrong = None if choice is None else _wrong(choice, strategy, situation)
    if wrong is not None:
        raise PluginError(f'{name} {wrong}')
    return choice


def _wrong(choice: object, strategy: QueryStrategy, situation: Situation) -> str | None:
    """Return what is wrong with a choice, None if nothing."""
    if not isinstance(choice, Choice):
        return f'must return a Choice or None, got {type(choice).__name__}'
    question, mdp = choice.question, situation.hypotheses.mdp
    try:
        question.check_fits(mdp)
    except (InvalidQuestionError, AttributeError) as error:
        return f'chose a question that cannot be asked: {error}'
    if question.kind not in strategy.kinds:
        return (f'chose a question of the kind {question.kind.value}, which is not among its '
                f'kinds {[kind.value for kind in strategy.kinds]}')
    if question in situation.closed:
        return (f'chose a question that is closed: {question.kind.value} at state '
                f'{question.state}; situation.open and open_classes say which are not')
    shape, shapes = np.shape(choice.utilities), (
        (mdp.num_states,), (mdp.num_states, mdp.num_actions))
    if shape not in shapes:
        return f'must return utilities of shape {shapes[0]} or {shapes[1]}, got {shape}'
    bad = np.argwhere(np.isnan(choice.utilities))
    if len(bad):
        where = f'state {bad[0][0]}' + (f', action {bad[0][1]}' if len(shape) == 2 else '')
        return f'returned utilities that are not numbers: that of {where} is NaN'
    return None
