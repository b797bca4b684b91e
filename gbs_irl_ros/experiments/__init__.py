"""
Experiments: a sweep gives rows, rows give figures and tables; the paper's, and one's own.

What is listed here is the public face; docs/extending.md shows how it is used.
"""

from gbs_irl_ros.experiments.curves import Curves, mean_and_halfwidth, read_curves
from gbs_irl_ros.experiments.domain_names import DOMAINS, make_domain, register_domain
from gbs_irl_ros.experiments.domains import (
    Domain,
    Draw,
    Driver,
    DriverFeatures,
    GoalGrid,
    RandomMdps,
    ShippedTask,
    similar_rewards,
)
from gbs_irl_ros.experiments.parquet import write_parquet
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.rows import ExperimentError
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.significance import (
    Comparison,
    bootstrap_interval,
    compare_pairs,
    holm,
    sign_flip_test,
)
from gbs_irl_ros.experiments.study import Study, compare
from gbs_irl_ros.experiments.sweeps import SWEEPS, Method, Sweep

__all__ = ['DOMAINS', 'SWEEPS', 'Comparison', 'Curves', 'Domain', 'Draw', 'Driver',
           'DriverFeatures', 'Experiment', 'ExperimentError', 'GoalGrid', 'Method', 'Progress',
           'RandomMdps', 'ShippedTask', 'Study', 'Sweep', 'bootstrap_interval', 'compare',
           'compare_pairs', 'holm', 'make_domain', 'mean_and_halfwidth', 'read_curves',
           'register_domain', 'sign_flip_test', 'similar_rewards', 'write_parquet']
