"""The mathematics of GBS-IRL, without ROS: ask, tell, and what is known."""

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.hypotheses import Hypotheses, sparsity_prior
from gbs_irl_ros.core.learner import Learner, Problem
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import NEVER, StopRule
from gbs_irl_ros.core.teacher import SimulatedTeacher

__all__ = [
    'NEVER', 'STRATEGIES', 'ActionAnswer', 'AllTheSameAnswer', 'Answer', 'DemonstrationAnswer',
    'DontKnowAnswer', 'Hypotheses', 'LaterAnswer', 'Learner', 'Likelihood', 'Mdp', 'NoiseModel',
    'Problem', 'Question', 'QuestionKind', 'RewardAnswer', 'Rewards', 'SimulatedTeacher',
    'StopRule', 'YesNoAnswer', 'make_strategy', 'sparsity_prior']
