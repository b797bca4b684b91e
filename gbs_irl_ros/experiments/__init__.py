"""The paper's experiments: a sweep gives rows, rows give figures and tables."""

from gbs_irl_ros.experiments.curves import mean_and_halfwidth, read_curves
from gbs_irl_ros.experiments.domains import GoalGrid
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.sweeps import Method, Sweep

__all__ = ['Experiment', 'GoalGrid', 'Method', 'Progress', 'Sweep', 'mean_and_halfwidth',
           'read_curves']
