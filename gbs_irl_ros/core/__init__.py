"""
The mathematics of GBS-IRL, without ROS: ask, tell, and what is known.

What is listed here is the public face; ``core.errors`` lists the errors. Other modules may change.
"""

from gbs_irl_ros.core.action_likelihood import (
    LIKELIHOODS,
    ActionLikelihood,
    make_likelihood,
    register_likelihood,
)
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    LaterAnswer,
    RewardAnswer,
    WrongHereAnswer,
    YesNoAnswer,
    answer_to,
)
from gbs_irl_ros.core.belief import Belief
from gbs_irl_ros.core.boltzmann import BoltzmannLikelihood, BoltzmannTeacher
from gbs_irl_ros.core.caution import CAREFUL, PAPER_MODE, Caution, caution_for
from gbs_irl_ros.core.checking import check_strategy
from gbs_irl_ros.core.error_rates import RateEstimate, RatePrior
from gbs_irl_ros.core.errors import GbsIrlError, PluginError
from gbs_irl_ros.core.gymnasium_tables import Episode, GymnasiumTable, PolicyAgent
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses, sparsity_prior
from gbs_irl_ros.core.learner import Learner, SupersetWarning
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.metrics import ValueLoss, ValueLossMeter, policy_accuracy
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.certificate import SetCertificate
from gbs_irl_ros.core.planning.kernel import description as kernel_description
from gbs_irl_ros.core.planning.solver import Solution, solve
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.posterior import Posterior
from gbs_irl_ros.core.problem import Problem, Teachable
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy, register_strategy
from gbs_irl_ros.core.queries.situation import (
    Choice,
    QueryStrategy,
    Situation,
    choose_question,
    choose_state,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stop_conditions import STOP_CONDITIONS, StopCondition, make_stop_condition
from gbs_irl_ros.core.stopping import NEVER, DoneReason, StopRule
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.core.teachers import TEACHERS, make_teacher, register_teacher
from gbs_irl_ros.core.theory.bounds import ErrorBound, error_bound
from gbs_irl_ros.core.theory.forecast import calibrated

__all__ = [
    'CAREFUL', 'LIKELIHOODS', 'NEVER', 'PAPER_MODE', 'STOP_CONDITIONS', 'STRATEGIES', 'TEACHERS',
    'ActionAnswer', 'ActionLikelihood', 'AllTheSameAnswer', 'Answer', 'Belief',
    'BoltzmannLikelihood', 'BoltzmannTeacher', 'Candidates', 'Caution', 'Choice', 'ConfirmAnswer',
    'DemonstrationAnswer', 'DoneReason', 'DontKnowAnswer', 'EitherAnswer', 'Episode', 'ErrorBound',
    'GbsIrlError', 'GymnasiumTable', 'Hypotheses', 'LaterAnswer', 'Learner', 'Likelihood', 'Mdp',
    'NoiseModel', 'PluginError', 'Policy', 'PolicyAgent', 'Posterior', 'Problem', 'QueryStrategy',
    'Question', 'QuestionKind', 'RateEstimate', 'RatePrior', 'RewardAnswer', 'Rewards',
    'SetCertificate', 'SimulatedTeacher', 'Situation', 'Solution', 'StopCondition', 'StopRule',
    'SupersetWarning', 'Teachable', 'ValueLoss', 'ValueLossMeter', 'WrongHereAnswer',
    'YesNoAnswer', 'answer_to', 'calibrated', 'caution_for', 'check_strategy', 'choose_question',
    'choose_state', 'error_bound', 'kernel_description', 'make_likelihood', 'make_stop_condition',
    'make_strategy', 'make_teacher', 'policy_accuracy', 'register_likelihood', 'register_strategy',
    'register_teacher', 'solve', 'sparsity_prior']
