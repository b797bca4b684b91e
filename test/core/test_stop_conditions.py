"""Conditions for the end of a lesson that promise something about what the robot will do."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from cases import for_each
from scipy import sparse
from worlds import hypotheses_of, random_mdp, random_rewards

from gbs_irl_ros.core import (
    CAREFUL,
    STOP_CONDITIONS,
    DoneReason,
    Learner,
    Mdp,
    NoiseModel,
    Posterior,
    Problem,
    Rewards,
    SimulatedTeacher,
    StopRule,
    ValueLossMeter,
    calibrated,
    make_stop_condition,
)
from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.regret import loses_nothing, losses, visits
from gbs_irl_ros.core.stop_conditions import Conformal
from gbs_irl_ros.tasks import load_task

LEFT, STAY, RIGHT = range(3)
MDP = Mdp.from_successors(
    np.array([[max(state - 1, 0), state, min(state + 1, 6)] for state in range(7)]), 0.9)
START = (np.arange(7) == 3).astype(float)


def goals(*states):
    return Hypotheses.from_rewards(MDP, Rewards.goals(MDP, states))


def situation_of(hypotheses, probabilities, none=0.0, start=START):
    weights = np.asarray(probabilities, dtype=float)
    with np.errstate(divide='ignore'):
        return Situation(hypotheses, NoiseModel(), Posterior(np.log(weights / weights.sum())),
                         start, none_of_these=none)


class TestLosses:
    def test_a_corridor_by_hand(self):
        """From 3: goal 5 is worth 0.9**2 / 0.1, and nothing on the way to 1; chance in between."""
        hypotheses = goals(5, 1, 4)
        lost = losses(hypotheses, START, 0, np.arange(3))
        meter = ValueLossMeter(MDP, np.eye(7)[4])
        chance = Policy(np.full(7, 0b111, dtype=np.uint64), np.ones(7), np.array([]), 3)
        best, random = 0.9 / 0.1, meter.expected_return(chance, START)
        assert lost[0] == 0.0
        assert lost[1] > 1.0            # worse than chance
        assert lost[2] == pytest.approx((best - 0.9) / (best - random))

    @for_each('task', ['room', 'small'])
    def test_nothing_is_lost_where_all_that_is_done_is_right_for_the_rival(self, task, rng):
        """In the greedy sets one sees just what evaluation finds."""
        hypotheses, start = goals(0, 1, 2, 4, 5, 6), START
        if task == 'room':
            room = load_task('room')
            hypotheses, start = room.hypotheses, room.start
        rivals = np.arange(hypotheses.num_policies)
        found = [loses_nothing(hypotheses, start, policy, rivals) for policy in rivals]
        expected = [losses(hypotheses, start, int(policy), rivals) == 0.0 for policy in rivals]
        assert np.array_equal(found, expected)
        assert np.diag(np.array(found)).all()
        anywhere = np.full(len(start), 1.0 / len(start))
        assert not loses_nothing(hypotheses, anywhere, 0, rivals)[1:].any()

    def test_they_agree_with_evaluating_policies(self, rng):
        mdp = random_mdp(rng, 8, 3)
        hypotheses = Hypotheses.from_rewards(mdp, random_rewards(rng, mdp, 5, 3))
        start = rng.dirichlet(np.ones(8))
        for policy in range(hypotheses.num_policies):
            bits = hypotheses.sets.policy_sets(policy).astype(np.uint64)
            done = Policy(bits, np.ones(8), np.array([]), 3)
            chance = Policy(np.full(8, 0b111, dtype=np.uint64), np.ones(8), np.array([]), 3)
            for rival in range(hypotheses.num_policies):
                reward = int(np.flatnonzero(hypotheses.policy_of_reward == rival)[0])
                meter = ValueLossMeter(mdp, hypotheses.rewards.one(reward))
                best = meter.optimal_return(start)
                expected = (best - meter.expected_return(done, start)) \
                    / (best - meter.expected_return(chance, start))
                got = losses(hypotheses, start, policy, np.array([rival]))[0]
                assert got == pytest.approx(expected, abs=1e-6)

    def test_visits_add_up(self):
        visited = visits(goals(5), START, 0)
        assert visited.sum() == pytest.approx(10.0)
        assert visited[3, RIGHT] == pytest.approx(1.0)
        assert visited[5, STAY] == pytest.approx(0.9**2 * 10.0)

    def test_entering_what_must_never_be_entered_loses_everything(self):
        """A ring of four: goal 2 is as far by 1 as by 3, and one of two tasks never enters 1."""
        ring = Mdp.from_successors(np.array(
            [[3, 0, 1], [0, 1, 2], [1, 2, 3], [2, 3, 0]]), 0.9)
        forbidden = sparse.csr_matrix(np.array([[0, 0, 0, 0], [0, 1, 0, 0]], dtype=bool))
        hypotheses = Candidates.of(ring, Rewards.goals(ring, [2, 2]), never=forbidden).planned()
        start = np.array([1.0, 0.0, 0.0, 0.0])
        free, careful = hypotheses.policy_of_reward
        assert free != careful
        assert losses(hypotheses, start, int(free), np.array([careful]))[0] == 1.0
        assert losses(hypotheses, start, int(careful), np.array([free]))[0] == 0.0


class TestConditions:
    def test_policies_that_lose_nothing_are_one(self):
        """From 0 both go right and stay in 1; they differ in places that are never visited."""
        sets = [[{RIGHT}, {RIGHT}], [{STAY}, {STAY}], *([[{LEFT}, {RIGHT}]] * 5)]
        two = hypotheses_of(sets, 3, MDP)
        condition, start = make_stop_condition('loses_nothing'), np.eye(7)[0]
        assert condition.reached(situation_of(two, [0.5, 0.5], start=start)) \
            == pytest.approx(1.0)
        assert condition.reached(situation_of(two, [0.5, 0.5], start=np.eye(7)[4])) is None
        assert condition.reached(situation_of(two, [0.5, 0.5], 0.06, start)) is None
        assert condition.reached(situation_of(two, [0.5, 0.5], 0.04, start)) \
            == pytest.approx(0.96)

    def test_a_loss_that_hardly_matters_is_allowed(self):
        dense = np.array([np.eye(7)[5], 0.9 * np.eye(7)[5] + np.eye(7)[6]])
        hypotheses, doubt = Hypotheses.from_rewards(MDP, Rewards.from_dense(dense, 3)), [0.6, 0.4]
        lost = losses(hypotheses, START, 0, np.array([1]))[0]
        assert 0.0 < lost < 1.0
        for allowed, reached in ((lost + 0.01, pytest.approx(1.0)), (lost - 0.01, None)):
            assert make_stop_condition('value_at_risk', loss=allowed).reached(
                situation_of(hypotheses, doubt)) == reached
            worst = make_stop_condition('minimax_regret', loss=allowed).reached(
                situation_of(hypotheses, doubt))
            assert worst == (None if reached is None else pytest.approx(lost))

    def test_a_task_that_is_hardly_possible_does_not_count(self):
        hypotheses = goals(5, 1)
        assert make_stop_condition('minimax_regret').reached(
            situation_of(hypotheses, [0.995, 0.005])) == 0.0
        assert make_stop_condition('minimax_regret').reached(
            situation_of(hypotheses, [0.98, 0.02])) is None

    def test_while_too_many_are_possible_it_is_too_early(self):
        mdp = Mdp.from_successors(np.array(
            [[max(state - 1, 0), min(state + 1, 59)] for state in range(60)]), 0.9)
        many = Hypotheses.from_rewards(mdp, Rewards.goals(mdp, range(60)))
        start = np.full(60, 1 / 60)
        for name in ('loses_nothing', 'value_at_risk', 'minimax_regret'):
            assert make_stop_condition(name).reached(
                situation_of(many, np.ones(many.num_policies), start=start)) is None

    def test_a_conformal_set_of_one(self):
        condition = Conformal(threshold=0.03, certainty=0.95)
        hypotheses = goals(5, 1, 4)
        assert condition.reached(situation_of(hypotheses, [0.96, 0.02, 0.02])) \
            == pytest.approx(0.96)
        assert condition.reached(situation_of(hypotheses, [0.96, 0.04, 0.0])) is None
        assert condition.reached(situation_of(hypotheses, [0.9, 0.05, 0.05])) is None
        assert condition.reached(situation_of(hypotheses, [1.0, 0.0, 0.0], none=0.04)) is None

    def test_the_quantile_is_that_of_split_conformal_prediction(self):
        scores = np.arange(1, 20) / 100.0       # 1 - p of 19 lessons: 0.01 .. 0.19
        assert Conformal.from_scores(1.0 - scores, 0.95).threshold == pytest.approx(0.81)
        assert Conformal.from_scores(1.0 - scores, 0.9).threshold == pytest.approx(0.82)
        with pytest.raises(InvalidOptionError, match=(
                r'a certainty of 0\.99 takes at least 99 simulated lessons, got 19')):
            Conformal.from_scores(1.0 - scores, 0.99)

    def test_it_is_calibrated_on_simulated_lessons(self, rng):
        learner = Learner(Problem(goals(1, 3, 5), None, START))
        condition = calibrated(learner, rng, certainty=0.9, lessons=20)
        assert 0.0 < condition.threshold < 1.0
        assert condition.certainty == 0.9


@for_each('name', sorted(STOP_CONDITIONS))
class TestEveryCondition:
    def test_is_a_value_and_the_name_of_a_reason(self, name):
        condition = make_stop_condition(name)
        assert condition == make_stop_condition(name) == pickle.loads(pickle.dumps(condition))
        assert condition.name == name == DoneReason(name).value
        assert StopRule(condition=condition).wanted_certainty == condition.certainty

    def test_ends_a_lesson(self, name, rng):
        hypotheses = goals(0, 1, 3, 5)
        learner = Learner(Problem(hypotheses, None, START), caution=CAREFUL,
                          stop=StopRule(condition=make_stop_condition(name)))
        teacher = SimulatedTeacher.for_hypothesis(hypotheses, 3, 1.0)
        while (question := learner.ask()) is not None:
            learner = learner.tell(teacher.answer(question, rng))
            assert len(learner.answers) < 60
        assert learner.stop_reason[0].value == name
        assert learner.most_probable_reward == 3

    def test_is_not_reached_when_none_is_meant(self, name):
        condition = make_stop_condition(name)
        situation = situation_of(goals(5, 1), [1.0, 0.0], none=0.97)
        assert condition.reached(situation) is None
        assert StopRule(condition=condition).reason(situation, 0) == (
            (DoneReason.NONE_OF_THESE, 0.97) if condition.certainty <= 0.97 else None)

    def test_refuses_what_it_does_not_know(self, name):
        with pytest.raises(InvalidOptionError, match=f"'{name}' has no option 'mood'; it has"):
            make_stop_condition(name, mood=1)
        for certainty in (0.0, 1.0, np.nan):
            with pytest.raises(InvalidOptionError, match=r'certainty must be in \(0, 1\), got'):
                make_stop_condition(name, certainty=certainty)


def test_an_unknown_name_is_refused_and_so_is_a_loss_below_nothing():
    with pytest.raises(UnknownNameError, match="unknown stop condition 'regret'; known: "):
        make_stop_condition('regret')
    for name in ('value_at_risk', 'minimax_regret'):
        with pytest.raises(InvalidOptionError, match=r'loss must not be negative, got -0\.1'):
            make_stop_condition(name, loss=-0.1)
    with pytest.raises(InvalidOptionError, match=r'threshold must be in \[0, 1\], got 2'):
        make_stop_condition('conformal', threshold=2)
