"""
Other ways to learn from a teacher, to compare GBS-IRL with: one method per file.

They know no list of rewards that may be meant. What they are given is what was shown (``Shown``:
answers that name an action, or demonstrations) and, where they learn a reward, the features it is
a weighted sum of; without features each state has a weight of its own.
"""

from gbs_irl_ros.core.baselines.behavioural_cloning import cloned_policy
from gbs_irl_ros.core.baselines.dagger import Dagger
from gbs_irl_ros.core.baselines.lpal import lpal
from gbs_irl_ros.core.baselines.mce_irl import mce_irl, soft_plan
from gbs_irl_ros.core.baselines.ml_irl import ml_irl
from gbs_irl_ros.core.baselines.policy_walk import policy_walk
from gbs_irl_ros.core.baselines.shown import Learned, Shown

__all__ = ['Dagger', 'Learned', 'Shown', 'cloned_policy', 'lpal', 'mce_irl', 'ml_irl',
           'policy_walk', 'soft_plan']
