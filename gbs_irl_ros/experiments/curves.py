"""Learning curves: the rows of an experiment as arrays, with means and confidence intervals."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from gbs_irl_ros.experiments.rows import ExperimentError, Row

CONFIDENCE = 0.95
COLUMNS = {'mdp': 'i4', 'trial': 'i4', 'method': 'U24', 'step': 'i4', 'accuracy': 'f8',
           'relative_loss': 'f8', 'p_true': 'f8'}


@dataclass(frozen=True, eq=False)
class Curves:
    """
    All trials of one method, T of them, with N questions each.

    mdp, trial: ``[T]``, where each took place; sorted.
    accuracy, relative_loss, p_true: ``[T, N + 1]``, after 0 .. N answers.
    """

    mdp: np.ndarray
    trial: np.ndarray
    accuracy: np.ndarray
    relative_loss: np.ndarray
    p_true: np.ndarray

    @property
    def num_trials(self) -> int:
        """T."""
        return len(self.mdp)

    @property
    def num_steps(self) -> int:
        """N."""
        return self.accuracy.shape[1] - 1

    def questions_to_hold(self, accuracy: float) -> np.ndarray:
        """Return ``[T]``: answers after which it never was below; inf if it was at the end."""
        below = self.accuracy < accuracy - 1e-9
        last = self.num_steps - np.argmax(below[:, ::-1], axis=1)
        needed = np.where(below.any(axis=1), last + 1.0, 0.0)
        return np.where(below[:, -1], np.inf, needed)

    def only(self, keep: np.ndarray) -> Curves:
        """Return some of the trials."""
        return Curves(*(getattr(self, name)[keep] for name in self.__dataclass_fields__))

    def shared_with(self, other: Curves) -> tuple[Curves, Curves]:
        """Return the trials that both have, in the same order: they are paired."""
        mine, theirs = ({place: index for index, place in enumerate(
            zip(curves.mdp.tolist(), curves.trial.tolist(), strict=True))}
            for curves in (self, other))
        both = sorted(mine.keys() & theirs.keys())
        return (self.only(np.array([mine[place] for place in both], dtype=int)),
                other.only(np.array([theirs[place] for place in both], dtype=int)))


def read_curves(path: Path) -> dict[str, Curves]:
    """Return the curves in a file of rows by method, in the order in which they come there."""
    places = [Row._fields.index(name) for name in COLUMNS]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', UserWarning)        # a file without rows
            table = np.loadtxt(path, delimiter=',', skiprows=1, usecols=places,
                               dtype=list(COLUMNS.items()), ndmin=1)
    except OSError as error:
        raise ExperimentError(f'{path}: cannot be read ({error.strerror or error}); '
                              'run the experiment first') from None
    except ValueError as error:
        raise ExperimentError(f'{path}: has a line that is not a row: {error}') from None
    return dict(_by_method(table, path))


def _by_method(table: np.ndarray, path: Path) -> Iterator[tuple[str, Curves]]:
    methods, first = np.unique(table['method'], return_index=True)
    for method in methods[np.argsort(first)]:
        part = table[table['method'] == method]
        part = part[np.lexsort((part['step'], part['trial'], part['mdp']))]
        length = int(part['step'].max()) + 1
        if len(part) % length or not np.array_equal(
                part['step'], np.tile(np.arange(length), len(part) // length)):
            raise ExperimentError(
                f'{path}: the rows of {method} are not whole trials of {length} steps')
        square = part.reshape(-1, length)
        yield str(method), Curves(square['mdp'][:, 0], square['trial'][:, 0],
                                  *(np.ascontiguousarray(square[name]) for name in
                                    ('accuracy', 'relative_loss', 'p_true')))


def mean_and_halfwidth(values: np.ndarray, mdp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the mean over trials and half the width of its 95 % confidence interval: ``[...]``.

    Student's interval, with the variance taken inside each MDP: the interval is about these very
    MDPs, every one of which has the same weight. Where an MDP has one trial only the variance is
    that of all trials; NaN where there is one in all.

    :param values: ``[T, ...]``. mdp: ``[T]``.
    """
    groups = [values[mdp == number] for number in np.unique(mdp)]
    mean = np.mean([group.mean(axis=0) for group in groups], axis=0)
    if min(map(len, groups)) < 2:
        groups = [values]
    freedom = len(values) - len(groups)
    if freedom < 1:
        return mean, np.full_like(mean, np.nan)
    variances = [group.var(axis=0, ddof=1) / len(group) for group in groups]
    error = np.sqrt(np.sum(variances, axis=0)) / len(groups)
    return mean, stats.t.ppf((1.0 + CONFIDENCE) / 2.0, freedom) * error
