"""
Task files: finding and reading them.

``load_task`` gives what a learner may know. Which hypothesis is true stands in the same file, but
only ``load_truth`` reads it, for simulated teachers and experiments: changing it changes nothing
that ``load_task`` returns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.tasks.files.file_report import Report, TaskFileError, did_you_mean, shown
from gbs_irl_ros.tasks.files.format import TASK
from gbs_irl_ros.tasks.files.read_hypotheses import place_states, read_hypotheses, read_prior
from gbs_irl_ros.tasks.files.read_world import read_world
from gbs_irl_ros.tasks.files.spec import Located
from gbs_irl_ros.tasks.files.yaml_tree import read_tree
from gbs_irl_ros.tasks.hypothesis_sets import HypothesisSet
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.nav2_map import exists, is_file

PACKAGE = Path(__file__).parent.parent
# Installed with the package, or beside it in a checkout.
SHIPPED = (PACKAGE / 'task_files', PACKAGE.parent / 'config' / 'tasks')


@dataclass(frozen=True, eq=False)
class Truth:
    """
    What the teacher means.

    index, name: of the hypothesis.
    reward: ``[S]`` or ``[S, A]``.
    """

    index: int
    name: str
    reward: np.ndarray


def shipped_tasks() -> dict[str, Path]:
    """Return the tasks that come with the package, by name."""
    for folder in SHIPPED:
        if folder.is_dir():
            return {path.stem: path for path in sorted(folder.glob('*.yaml'))}
    return {}


def find_task(name: str | Path) -> Path:
    """Return the file of a task: a path, or the name of one that comes with the package."""
    path = Path(name)
    if str(name) not in ('', '.') and exists(path) and path.is_dir():
        raise TaskFileError([f'{path}: is a folder; expected a task file'])
    if path.suffix in ('.yaml', '.yml') or len(path.parts) > 1:
        if not is_file(path):
            raise TaskFileError([f'{path}: cannot be found; expected a task file'])
        return path
    known = shipped_tasks()
    if str(name) not in known and is_file(Path(f'{name}.yaml')):
        raise TaskFileError([f'{name}: is no task that comes with this; expected its file name. '
                             f"Did you mean '{name}.yaml'?"])
    if str(name) not in known:
        raise TaskFileError([f'{name}: is no task, got {shown(str(name))}; expected a path, or '
                             f'one of {sorted(known)}' + did_you_mean(name, known)])
    return known[str(name)]


def load_task(name: str | Path) -> Task:
    """
    Return a task, by the path of its file or by its name.

    Nothing is planned yet: that happens when its hypotheses are first needed.
    """
    path = find_task(name)
    values, built, found, log_prior = _read(path)
    noise = NoiseModel() if values.noise is None else NoiseModel(
        values.noise.gamma_hat, values.noise.sigma_hat, values.noise.likelihood)
    report = Report(str(path))
    start = _read_start(values, built, report)
    report.raise_if_any()
    looks = replace(built.appearance, regions=built.regions)
    world = World(values.name or path.stem, built.mdp, built.mdp.checked_start(start), looks,
                  values.description.strip())
    return Task(world, found.rewards, log_prior, noise, found.names, found.goals)


def load_truth(name: str | Path) -> Truth:
    """Return what a simulated teacher of this task means; raise if the file does not say."""
    path = find_task(name)
    values, _, found, _ = _read(path)
    if values.truth is None:
        raise TaskFileError([f'{path}: truth: is missing; a simulated teacher needs it: add '
                             '`truth: {hypothesis: NAME}`'])
    report = Report(str(path))
    index = _read_truth(values, found, report)
    report.raise_if_any()
    assert index is not None
    return Truth(index, found.names[index], found.rewards.one(index))


def _read(path: Path) -> tuple[Located, BuiltWorld, HypothesisSet, np.ndarray]:
    """Return what stands in a file; raise with everything that is wrong in it."""
    report = Report(str(path))
    values = TASK.read(read_tree(path, str(path)), '', report)
    report.raise_if_any()
    # Links followed: an installed task file may be a link to one whose maps lie beside it.
    built = read_world(values.world, path.resolve().parent, report)
    report.raise_if_any()
    assert built is not None
    found = read_hypotheses(values.hypotheses, built, report)
    if found is not None:
        _read_truth(values, found, report)
    _read_start(values, built, report)
    _check_noise(values, built, report)
    if values.name is not None and not re.fullmatch(r'[^/\\.][^/\\]*', values.name):
        report.add(values.line_of('name'), 'name',
                   f'must be usable as a file name, got {shown(values.name)}; expected no slash '
                   'and no dot in front')
    log_prior = read_prior(values.hypotheses, found.rewards, report) if found else None
    report.raise_if_any()
    assert found is not None
    assert log_prior is not None
    return values, built, found, log_prior


def _check_noise(values: Located, built: BuiltWorld, report: Report) -> None:
    """Report a chance of right answers that would make right answers count as wrong."""
    if values.noise is None or built.mdp.num_actions == 1:
        return
    aggregated = values.noise.likelihood == Likelihood.AGGREGATED.value
    floor = 0.5 if aggregated else 1.0 / built.mdp.num_actions
    if values.noise.gamma_hat <= floor:
        report.add(values.noise.line_of('gamma_hat'), values.noise.key_of('gamma_hat'),
                   f'makes right answers count as wrong, got {values.noise.gamma_hat}; expected '
                   f'more than {floor:.4g} for {built.mdp.num_actions} actions and the likelihood '
                   f'{values.noise.likelihood}')


def _read_start(values: Located, built: BuiltWorld, report: Report) -> np.ndarray | None:
    if values.start is None:
        return built.start
    if values.start == 'anywhere':
        return None
    start = np.zeros(built.mdp.num_states)
    for number, place in enumerate(values.start):
        states = place_states(place, built, values.line_of('start', number), f'start[{number}]',
                              report)
        if states is not None:
            start[states] = 1.0
    return start / max(start.sum(), 1.0)


def _read_truth(values: Located, found: HypothesisSet, report: Report) -> int | None:
    if values.truth is None:
        return None
    wanted: Any = values.truth.hypothesis
    line, key = values.truth.line_of('hypothesis'), values.truth.key_of('hypothesis')
    if isinstance(wanted, int):
        if wanted < len(found.names):
            return wanted
        report.add(line, key, f'there is no such hypothesis, got {wanted}; expected 0 to '
                              f'{len(found.names) - 1}')
    elif wanted in found.names:
        return found.names.index(wanted)
    else:
        report.add(line, key, f'is no hypothesis, got {wanted!r}; expected a number or a name '
                              f'such as {found.names[0]!r}'
                              + report.did_you_mean(wanted, found.names))
    return None
