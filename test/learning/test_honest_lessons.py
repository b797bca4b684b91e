"""
"Never" means never: lessons with people who answer by what the words mean, not by the planner.

Such a person knows the map, where to go and which regions must not be entered. A way is better if
fewer steps of it are in such a region, then if it is shorter; that is all. Nothing here is taken
from the tasks' rewards or plans.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest

from gbs_irl_ros.core import CAREFUL, Learner
from gbs_irl_ros.core.answers import answer_to
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.routes import route_from
from gbs_irl_ros.core.stopping import DEFAULT, USUAL_CONDITION, make_stop_rule
from gbs_irl_ros.tasks import load_task

NEVER = {'carpet': ('free', 'never'), 'toys': ('free', 'never')}
PLACES = ('kitchen', 'sofa', 'desk', 'bed', 'door')
SEEDS = range(5)
MOST = 25           # answers: nobody stays longer


@dataclass(frozen=True)
class HonestPerson:
    """Somebody who means one place and what must not be entered."""

    world: object
    place: str
    never: tuple[str, ...]

    @cached_property
    def ends(self):
        return set(self.world.appearance.regions[self.place].tolist())

    @cached_property
    def forbidden(self):
        regions = self.world.appearance.regions
        return {int(state) for name in self.never for state in regions[name]}

    @cached_property
    def costs(self):
        """(steps inside, steps) from every state, by Dijkstra backwards over the moves."""
        before = {}
        for (state, _), target in np.ndenumerate(self.world.targets):
            before.setdefault(int(target), []).append(state)
        found, queue = {}, [((0, 0), end) for end in self.ends]
        while queue:
            cost, state = heapq.heappop(queue)
            if state in found:
                continue
            found[state] = cost
            step = (cost[0] + (state in self.forbidden), cost[1] + 1)
            for source in before.get(state, ()):
                if source not in found:
                    heapq.heappush(queue, (step, source))
        return found

    def right(self, state):
        """Return the actions that this person would call right in a state."""
        targets = self.world.targets[state]
        if state in self.ends:
            return [action for action, target in enumerate(targets) if target == state
                    and self.world.rests[action]]
        costs = [(np.inf, 0) if target == state else
                 (self.costs[target][0] + (target in self.forbidden), self.costs[target][1])
                 for target in targets.tolist()]
        return [action for action, cost in enumerate(costs) if cost == min(costs)]

    def cost_of(self, route):
        """Return (does not arrive, steps inside, steps) of a way."""
        inside = sum(state in self.forbidden for state, _ in route[1:])
        return route[-1][0] not in self.ends, inside, len(route)

    def task_name_means(self, name):
        """Tell whether a listed task is what is meant, by its words alone."""
        place, *manners = name.split(', ')
        kept = {region for region in NEVER for manner in manners
                if manner.startswith('never over') and region in manner}
        return place == f'go to {self.place}' and kept == set(self.never) \
            and not any(manner.startswith('rather not') for manner in manners)

    def answer(self, question, names, rng):
        kind, state = question.kind, question.state
        if kind is QuestionKind.ACTION:
            return answer_to(question, 'action', action=int(rng.choice(self.right(state))))
        if kind is QuestionKind.YES_NO:
            return answer_to(question, 'yes_no', yes=question.action in self.right(state))
        if kind is QuestionKind.DEMONSTRATION:
            steps = []
            for _ in range(question.steps):
                steps.append((state, int(rng.choice(self.right(state)))))
                state = int(self.world.targets[steps[-1]])
            return answer_to(question, 'demonstration', steps=tuple(steps))
        if kind is QuestionKind.PLACE:
            here = [option for option in question.options if option in self.ends]
            return answer_to(question, 'go_here', states=(here[0],)) if here \
                else answer_to(question, 'none_of_these')
        if kind is QuestionKind.TASK:
            meant = [task for task in question.options if self.task_name_means(names(task))]
            return answer_to(question, 'task', task=meant[0]) if meant \
                else answer_to(question, 'none_of_these')
        if kind is QuestionKind.COMPARE:
            first, second = self.cost_of(question.route), self.cost_of(question.other_route)
            return answer_to(question, 'compare',
                             better=2 if first == second else int(second < first))
        assert kind is QuestionKind.CONFIRM
        return answer_to(question, 'confirm', yes=self.approves(question.route))

    def approves(self, route):
        """Tell whether a way is one that this person would go."""
        return route[-1][0] in self.ends and all(
            action in self.right(state) for state, action in route if state not in self.ends)


def lesson(task, strategy, person, seed):
    """Return the learner after a lesson."""
    learner = Learner(task, strategy, seed, caution=CAREFUL,
                      stop=make_stop_rule(USUAL_CONDITION, DEFAULT.certainty))
    rng = np.random.default_rng(seed)
    while (question := learner.ask()) is not None and len(learner.answers) < MOST:
        learner = learner.tell(person.answer(question, task.hypotheses.name, rng))
    return learner


def is_right(task, person, learner):
    """Tell whether the robot now does what is meant, from every start."""
    if learner.ask() is not None:
        return False
    return all(person.approves(route_from(task.world.mdp, learner.policy.action_sets, int(start)))
               for start in np.flatnonzero(task.start))


@pytest.fixture(scope='module')
def room():
    task = load_task('room')
    task.compile()
    return task


def people(room):
    for place in PLACES:
        for count in (1, 2):
            for never in itertools.combinations(NEVER, count):
                yield HonestPerson(room.world, place, never)


@pytest.mark.slow
@pytest.mark.parametrize(('strategy', 'few'), [('bits_per_second', 3), ('gbs', 7)])
def test_somebody_who_means_never_is_understood(room, strategy, few):
    """Whether tasks may be listed or only actions are asked for."""
    wrong, answers = [], []
    for person, seed in itertools.product(people(room), SEEDS):
        learner = lesson(room, strategy, person, seed)
        answers.append(len(learner.answers))
        if not is_right(room, person, learner):
            name = room.hypotheses.name(learner.most_probable_reward)
            wrong.append((person.place, person.never, seed, len(learner.answers), name))
    assert len(answers) == 75
    assert len(wrong) <= 0.05 * len(answers), wrong
    assert np.mean(answers) <= few
