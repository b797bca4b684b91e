"""The numbers of docs/paper: tables made from rows, each a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.theory.bounds import ErrorBound
from gbs_irl_ros.experiments.curves import Curves, mean_and_halfwidth
from gbs_irl_ros.experiments.rows import Time
from gbs_irl_ros.experiments.significance import holm, sign_flip_test
from gbs_irl_ros.tasks.whole_files import replacing

AFTER = (5, 10, 20, 50, 100)        # questions
LEVELS = (0.95, 0.99)               # of accuracy, to be reached and held

Record = Mapping[str, str | float]


def results(experiment: str, curves: Mapping[str, Curves], times: Sequence[Time]
            ) -> list[Record]:
    """
    Return how well each method of an experiment does.

    accuracy_N, relative_loss_N: means after N questions, with half the width of their 95 %
    confidence intervals. questions_95, questions_99: the median number of questions after which
    accuracy stays that high, inf if half of the trials never come there.
    """
    return [{'experiment': experiment, 'method': method, 'trials': trials.num_trials,
             **_levels('accuracy', trials.accuracy, trials.mdp),
             **_levels('relative_loss', trials.relative_loss, trials.mdp),
             **{f'questions_{100 * level:.0f}': float(np.median(trials.questions_to_hold(level)))
                for level in LEVELS},
             'seconds_per_question': _seconds(method, times) / trials.num_steps}
            for method, trials in curves.items()]


def differences(experiment: str, curves: Mapping[str, Curves]) -> list[Record]:
    """
    Return by how much the first method is more accurate than the others, in the same trials.

    ahead_N: the mean difference after N questions, with half the width of its 95 % confidence
    interval. p_N: of the sign-flip test, p_N_holm: corrected for all those of the experiment.
    """
    first, *others = curves
    records: list[dict[str, str | float]] = []
    tests: dict[tuple[int, int], float] = {}
    for place, method in enumerate(others):
        ours, theirs = curves[first].shared_with(curves[method])
        gap = ours.accuracy - theirs.accuracy
        records.append({'experiment': experiment, 'method': method, 'first': first,
                        'trials': len(gap), **_levels('ahead', gap, ours.mdp)})
        tests.update({(place, count): sign_flip_test(gap[:, count]) for count in AFTER
                      if count < gap.shape[1]})
    corrected = holm(np.array(list(tests.values())))
    for ((place, count), p), p_holm in zip(tests.items(), corrected, strict=True):
        records[place] |= {f'p_{count}': p, f'p_{count}_holm': float(p_holm)}
    return list(records)


def errors(experiment: str, curves: Mapping[str, Curves], limit: ErrorBound) -> list[Record]:
    """
    Return how often the policy is wrong, against the bound.

    highest_share: of the bound that is ever used up, from where it says anything (is below 1).
    questions_5: until at most 5 % are wrong, bound_5: until the bound says so.
    """
    records: list[Record] = []
    for method, trials in curves.items():
        wrong = (trials.accuracy < 1.0).mean(axis=0)
        allowed = np.array([limit.error(step) for step in range(len(wrong))], dtype=float)
        above = np.flatnonzero(wrong > 0.05)
        records.append({
            'experiment': experiment, 'method': method, 'trials': trials.num_trials,
            'c_star': limit.coherence.upper, 'rate': limit.rate, 'factor': limit.factor,
            'highest_share': float((wrong / allowed)[~(allowed >= 1.0)].max(initial=0.0)),
            'questions_5': np.inf if wrong[-1] > 0.05 else float(above.max(initial=-1)) + 1.0,
            'bound_5': float(limit.answers_for(0.05) or np.inf)})
    return records


def supersets(experiment: str, curves: Mapping[str, Curves], times: Sequence[Time]
              ) -> list[Record]:
    """Return the accuracy at the end where other policies contain the right one, and elsewhere."""
    records: list[Record] = []
    for method, trials in curves.items():
        contained = {(time.mdp, time.trial): time.supersets > 0
                     for time in times if time.method == method}
        has = np.array([contained[place] for place in
                        zip(trials.mdp.tolist(), trials.trial.tolist(), strict=True)], dtype=bool)
        final = trials.accuracy[:, -1]
        records.append({
            'experiment': experiment, 'method': method, 'trials': len(has),
            'share_with_supersets': float(has.mean()),
            'accuracy_with': float(final[has].mean()) if has.any() else np.nan,
            'accuracy_without': float(final[~has].mean()) if not has.all() else np.nan})
    return records


def _levels(name: str, values: np.ndarray, mdp: np.ndarray) -> dict[str, float]:
    mean, halfwidth = mean_and_halfwidth(values, mdp)
    found: dict[str, float] = {}
    for count in AFTER:
        if count < len(mean):
            found[f'{name}_{count}'] = float(mean[count])
            found[f'{name}_{count}_ci'] = float(halfwidth[count])
    return found


def _seconds(method: str, times: Sequence[Time]) -> float:
    return float(np.mean([time.seconds for time in times if time.method == method]))


# ---- files --------------------------------------------------------------------------------------


def write_table(path: Path, records: Sequence[Record]) -> None:
    """Write records, with every column that any of them has."""
    columns = list(dict.fromkeys(column for record in records for column in record))
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        writer = csv.writer(file, lineterminator='\n')
        writer.writerow(columns)
        for record in records:
            writer.writerow(_shown(record.get(column, '')) for column in columns)


def read_table(path: Path) -> list[Record]:
    """Return the records of a file, numbers as numbers; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline='') as file:
        return [{column: _value(text) for column, text in line.items() if text != ''}
                for line in csv.DictReader(file)]


def merged(old: Iterable[Record], new: Sequence[Record], order: Sequence[str]) -> list[Record]:
    """Return the records of both, the new ones in place of old ones of the same experiments."""
    replaced = {record['experiment'] for record in new}
    kept = [record for record in old
            if record['experiment'] not in replaced and record['experiment'] in order]
    return sorted([*kept, *new], key=lambda record: order.index(str(record['experiment'])))


def _shown(value: str | float) -> str:
    # Below 1e-9 there is only rounding.
    return format(round(value, 9) + 0.0, '.6g') if isinstance(value, float) else str(value)


def _value(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text
