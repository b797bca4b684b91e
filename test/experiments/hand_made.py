"""Curves, rows and tables with numbers that are known, for what is made from them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np

from gbs_irl_ros.experiments.claims import Tables
from gbs_irl_ros.experiments.curves import Curves
from gbs_irl_ros.experiments.rows import ROWS, TIMES, Row, Time
from gbs_irl_ros.experiments.running import Experiment
from gbs_irl_ros.experiments.summary import AFTER, write_table
from gbs_irl_ros.experiments.sweeps import BOUNDS, SWEEPS
from gbs_irl_ros.experiments.trial import first_problem

TABLES = ('results', 'differences', 'supersets', 'bounds', 'domains', 'runs')


def curves_of(accuracy, mdp=None, trial=None, loss=None):
    """Return curves with these values ``[T][N + 1]``; the loss is what accuracy lacks."""
    values = np.array(accuracy, dtype=np.float64)
    count = len(values)
    return Curves(np.zeros(count, dtype=int) if mdp is None else np.array(mdp),
                  np.arange(count) if trial is None else np.array(trial), values,
                  1.0 - values if loss is None else np.array(loss, dtype=np.float64), values ** 2)


def level(value, steps=100, count=2):
    """Return curves of several trials in which accuracy never changes."""
    return curves_of(np.full((count, steps + 1), value))


def write_rows(sweep, folder, accuracy=0.75):
    """Write the rows of a sweep as if it had been run; return the experiment."""
    experiment = Experiment(sweep, folder)
    rows, times = [], []
    for index in range(sweep.num_trials):
        mdp, trial = sweep.place(index)
        for number, method in enumerate(sweep.methods_of(index)):
            place = (sweep.name, mdp, trial, 7, method.name)
            rows += [Row(*place, step, 'action' if step else '', step - 1, accuracy, 0.5,
                         1.0 - accuracy, 0.5) for step in range(sweep.steps + 1)]
            times.append(Time(*place, 20, trial % 2, 0.01 * (number + 1)))
    folder.mkdir(parents=True, exist_ok=True)
    experiment.rows.write_text(ROWS.header + ROWS.lines(rows))
    experiment.times.write_text(TIMES.header + TIMES.lines(times))
    (folder / f'{sweep.name}.json').write_text(
        json.dumps({'settings': sweep.settings(), 'problem': first_problem(sweep),
                    'seconds': 90.0}))
    return experiment


def small(name, **changes):
    """Return a registered sweep with two trials in one MDP."""
    return replace(SWEEPS[name], **{'num_mdps': 1, 'trials': 2, **changes})


def facts_of(name, **changes):
    """Return a record of domains.csv."""
    return {'experiment': name, 'states': 50, 'actions': 5, 'rewards': 500, 'policies': 480,
            'classes': 50, 'one_action': 1.0, 'c_low': 0.25, 'c_high': 0.25, 'neighbourly': 7,
            'supersets': 0, 'seconds': 1.5, **changes}


class MadeTables:
    """
    The tables of docs/paper with numbers made up so that everything the paper says is true.

    ``change`` makes one of them another.
    """

    def __init__(self):
        self.records = {table: [] for table in TABLES}
        for name, sweep in SWEEPS.items():
            for method in sweep.methods:
                self._learns(name, method.name)
            for method in sweep.methods[1:]:
                self.records['differences'].append(
                    {'experiment': name, 'method': method.name, 'first': sweep.methods[0].name,
                     'trials': 200, **with_ci('ahead', dict.fromkeys(AFTER, 0.01), 0.002)})
            self.records['supersets'] += [
                {'experiment': name, 'method': method.name, 'trials': 200,
                 'share_with_supersets': 0.5, 'accuracy_with': 0.4, 'accuracy_without': 1.0}
                for method in sweep.methods]
            self.records['domains'].append(facts_of(name))
            self.records['runs'].append({'experiment': name, 'trials': 200, 'minutes': 2.0})
        self.records['bounds'] = [
            {'experiment': name, 'method': method, 'trials': 200, 'c_star': -1.0, 'rate': 0.1,
             'factor': 8.0, 'highest_share': 0.5, 'questions_5': 20, 'bound_5': 50.0}
            for name in BOUNDS for method in ('gbs1_cstar', 'gbs')]
        self._as_the_paper_says()

    def _learns(self, name, method):
        accuracy = {5: 0.8, 10: 0.9, 20: 0.995, 50: 0.998, 100: 1.0}
        self.records['results'].append(
            {'experiment': name, 'method': method, 'trials': 200,
             **with_ci('accuracy', accuracy, 0.002),
             **with_ci('relative_loss', dict.fromkeys(AFTER, 0.1), 0.002),
             'questions_95': 20.0, 'questions_99': 30.0, 'seconds_per_question': 0.0005})

    def _as_the_paper_says(self):
        for name, seconds in (('random_10x5', 0.005), ('random_10x10', 0.01),
                              ('random_50x5', 0.1)):
            self.change('results', name, 'emg', seconds_per_question=seconds)
        for name in ('random_10x5', 'random_10x10'):
            self.change('differences', name, 'emg', ahead_10=0.02)
        for name in ('random_10x10', 'random_50x10', 'random_100x10'):
            self.change('differences', name, 'iqbc', ahead_5=0.03)
        for name, questions in (('puddle_world', 15.0), ('trap_world', 20.0), ('driver', 10.0)):
            self.change('results', name, questions_99=questions)
        self.change('results', 'feedback', accuracy_5=0.3, accuracy_20=0.5, accuracy_100=0.9)
        self.change('results', 'reward_sparse', accuracy_20=0.1, accuracy_50=0.3)
        self.change('results', 'reward_shaped', questions_95=3.0)
        self.change('domains', 'supersets', c_high=1.0, c_low=1.0)

    def change(self, table, experiment, method=None, **columns):
        """Set numbers of an experiment, of all its methods unless one is named."""
        found = [record for record in self.records[table] if record['experiment'] == experiment
                 and method in (None, record.get('method'))]
        assert found, f'{table} has nothing of {experiment}, {method}'
        for record in found:
            assert set(columns) <= set(record), columns
            record.update(columns)

    def remove(self, table, experiment, method=None):
        """Take the records of an experiment away."""
        before = len(self.records[table])
        self.records[table] = [
            record for record in self.records[table] if record['experiment'] != experiment
            or method not in (None, record.get('method'))]
        assert len(self.records[table]) < before

    def write(self, folder):
        """Write the files and return them as the page reads them."""
        for table, records in self.records.items():
            write_table(folder / f'{table}.csv', records)
        return Tables(folder)


def with_ci(name, values, halfwidth):
    """Return the columns of a number after some questions."""
    found = {}
    for after, value in values.items():
        found |= {f'{name}_{after}': value, f'{name}_{after}_ci': halfwidth}
    return found
