"""What the paper's theory says of each domain: c*, neighbourliness, and policies in others."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import joblib
import numpy as np

from gbs_irl_ros.core import Hypotheses
from gbs_irl_ros.core.planning.kernel import one_thread
from gbs_irl_ros.core.theory.coherence import coherence
from gbs_irl_ros.core.theory.neighbours import neighbourliness
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.summary import Record, merged, read_table, write_table
from gbs_irl_ros.experiments.sweeps import SWEEPS, Sweep
from gbs_irl_ros.experiments.trial import draw_trial, first_problem

FILE = 'domains.csv'
TOLERANCE = 1e-3
ROUNDS = 60             # linear programs for each action; then c* is known as an interval
QUICK_ROUNDS = 5
MAX_CLASSES = 3_000    # neighbourliness takes time with their square: not in quick mode


@dataclass(frozen=True)
class DomainFacts:
    """
    Facts about the hypotheses of the first trial of an experiment.

    states, actions, rewards: sizes. policies, classes: different ones.
    one_action: the share of classes and policies with one optimal action (assumption 1 wants 1).
    c_low, c_high: a certified interval for c*.
    neighbourly: the smallest k for which (X, H) is k-neighborly; -1 if not looked for.
    supersets: pairs of policies one of which contains the other.
    seconds: it took to find out.
    """

    experiment: str
    states: int
    actions: int
    rewards: int
    policies: int
    classes: int
    one_action: float
    c_low: float
    c_high: float
    neighbourly: int
    supersets: int
    seconds: float


def domain_facts(sweep: Sweep, quick: bool = False) -> DomainFacts:
    """Return the facts about an experiment's first trial."""
    began = time.perf_counter()
    with one_thread():
        mdp, draw = draw_trial(sweep, 0, 0)
        hypotheses = Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)
        sets = hypotheses.sets
        single = np.isin(sets.bits, sets.patterns[sets.pattern_sizes == 1])
        c_star = coherence(sets, tolerance=TOLERANCE,
                           max_rounds=QUICK_ROUNDS if quick else ROUNDS)
        looked_for = not quick or sets.num_classes <= MAX_CLASSES
        near = neighbourliness(sets) if looked_for else -1
    return DomainFacts(
        sweep.name, mdp.num_states, mdp.num_actions, hypotheses.num_rewards,
        hypotheses.num_policies, sets.num_classes, float(single.mean()), c_star.lower,
        c_star.upper, near, len(hypotheses.supersets), time.perf_counter() - began)


def find_facts(sweeps: Sequence[Sweep], folder: Path, quick: bool, progress: Progress
               ) -> list[Record]:
    """Return the facts about all sweeps, those that are not in the folder yet found out now."""
    path = folder / FILE
    known = known_facts(sweeps, folder, quick)
    missing = [sweep for sweep in sweeps
               if sweep.name not in {record['experiment'] for record in known}]
    done = len(sweeps) - len(missing)
    progress.begin('Coherence and neighbours', len(sweeps), done, 'experiments')
    found = joblib.Parallel(return_as='generator')(
        joblib.delayed(domain_facts)(sweep, quick) for sweep in missing)
    for number, facts in enumerate(found, start=done + 1):
        record: Record = {**asdict(facts), 'settings': _mark(missing[number - done - 1], quick)}
        write_table(path, merged(read_table(path), [record], list(SWEEPS)))
        progress.advance(number)
    progress.end()
    return known_facts(sweeps, folder, quick)


def known_facts(sweeps: Sequence[Sweep], folder: Path, quick: bool) -> list[Record]:
    """Return the facts that are in the folder, and about these very sweeps."""
    marks = {sweep.name: _mark(sweep, quick) for sweep in sweeps}
    return [record for record in read_table(folder / FILE)
            if record.get('settings') == marks.get(str(record['experiment']), '')]


def _mark(sweep: Sweep, quick: bool) -> str:
    """Return a word that changes with everything the facts depend on."""
    text = json.dumps([first_problem(sweep), quick])
    return 's' + hashlib.sha256(text.encode()).hexdigest()[:12]
