"""
Task files: their format, finding and reading them. `docs/tasks.md` explains the format to people.

A file says what a learner may know, and which hypothesis is true. The two are kept apart:
``TaskFile.task`` is the same whatever is true, and only simulated teachers and experiments look at
``TaskFile.truth``. The format is published: `gbs-irl schema > config/task.schema.json`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.action_likelihood import LIKELIHOODS, make_likelihood
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.hypotheses import Candidates, normalised_log_prior, sparsity_prior
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.tasks.files.file_report import Report, TaskFileError, did_you_mean, shown
from gbs_irl_ros.tasks.files.spec import (
    LONGEST_TEXT,
    AnyOf,
    ByKind,
    Each,
    Field,
    Flag,
    Located,
    Number,
    Record,
    Table,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.files.yaml_tree import exists, is_file, read_tree
from gbs_irl_ros.tasks.kinds import HYPOTHESES, WORLDS, KindFields, read_by_kind
from gbs_irl_ros.tasks.phrases import said
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.words import is_part_of_a_name
from gbs_irl_ros.tasks.worlds.built_world import PLACE, BuiltWorld, place_states

FORMAT = 1
DEFAULT_TASK = 'room'     # what is taught where nobody says what: a person understands it
MAX_SYNONYMS = 50       # of one name
PACKAGE = Path(__file__).parent.parent
# Installed with the package, or beside it in a checkout.
SHIPPED = (PACKAGE / 'task_files', PACKAGE.parent / 'config' / 'tasks')


NOISE = Record({
    'gamma_hat': Field(Number(above=0.0, at_most=1.0), 'chance of an optimal answer', 0.9),
    'sigma_hat': Field(Number(above=0.0), 'spread of reward answers', 0.1),
    'likelihood': Field(Text(LIKELIHOODS), 'of an action answer', 'exact'),
    'likelihood_options': Field(
        Table(AnyOf([Number(), Flag(), Text(), Each(Number(), 1)],
                    'a number, true or false, a word, or a list of numbers')),
        'options of the likelihood, such as eta of boltzmann', {}),
})

TASK = Record({
    'format': Field(Whole(FORMAT, FORMAT), 'the version of this format: 1'),
    'name': Field(Text(longest=100), 'short name; that of the file if left out', None),
    'description': Field(Text(may_be_empty=True, longest=LONGEST_TEXT, lines=True),
                         'one or two sentences for a person', ''),
    'details': Field(Text(may_be_empty=True, longest=LONGEST_TEXT, lines=True),
                     'for those who want to know more: where the task comes from', ''),
    'world': Field(ByKind(KindFields(WORLDS)), 'the world'),
    'hypotheses': Field(ByKind(KindFields(HYPOTHESES)),
                        'what may be meant'),
    'synonyms': Field(Table(Each(Text(longest=100), 1, MAX_SYNONYMS)),
                      'region, or words of the name of a hypothesis: other words that a teacher '
                      'may say for it', {}),
    'noise': Field(NOISE, 'how the teacher errs', None),
    'start': Field(AnyOf([Text(('anywhere',)), Each(PLACE, 1)], 'anywhere, or a list of places'),
                   'where the robot may start', None),
    'truth': Field(Record({
        'hypothesis': Field(AnyOf([Whole(0), Text()], 'the name or the number of a hypothesis'),
                            'the task that a simulated teacher means'),
    }), 'for simulated teachers and experiments only; never reaches the learner', None),
})


def json_schema() -> dict[str, Any]:
    """Return the format as a JSON schema, for editors."""
    return {
        '$schema': 'http://json-schema.org/draft-07/schema#',
        'title': 'gbs_irl_ros task file',
        **TASK.schema(),
    }


@dataclass(frozen=True, eq=False)
class Truth:
    """
    What the teacher means.

    index, name: of the hypothesis.
    reward: ``[S]`` or ``[S, A]``.
    never: what it must never enter, None if nothing.
    """

    index: int
    name: str
    reward: np.ndarray
    never: Never | None = None


@dataclass(frozen=True, eq=False)
class TaskFile:
    """
    What a file says.

    task: what a learner may know; nothing is planned yet.
    true_hypothesis: its number, None if the file does not say.
    details: for those who want to know more than the description; no part of the task.
    """

    path: Path
    task: Task
    true_hypothesis: int | None
    details: str = ''

    @property
    def truth(self) -> Truth:
        """Return what a simulated teacher means; raise if the file does not say."""
        index = self.true_hypothesis
        if index is None:
            raise TaskFileError([f'{self.path}: truth: is missing; a simulated teacher needs it: '
                                 'add `truth: {hypothesis: NAME}`'])
        avoidance = self.task.candidates.avoidance
        return Truth(index, self.task.candidates.name(index), self.task.rewards.one(index),
                     None if avoidance is None else avoidance.one(index))


def load_task(name: str | Path, *, allow_large: bool = False) -> Task:
    """
    Return a task, by the path of its file or by its name.

    Nothing is planned yet: that happens when its hypotheses are first needed.

    :param allow_large: as in ``load_task_file``.
    """
    return load_task_file(name, allow_large=allow_large).task


def load_truth(name: str | Path, *, allow_large: bool = False) -> Truth:
    """Return what a simulated teacher of this task means; raise if the file does not say."""
    return load_task_file(name, allow_large=allow_large).truth


def load_task_file(name: str | Path, *, allow_large: bool = False) -> TaskFile:
    """
    Return what a file says, by its path or its name; raise with all that is wrong in it.

    :param allow_large: do not refuse a task that, with planning, will need more than 2 GB or 5 s.
    """
    path = find_task(name)
    report = Report(str(path), allow_large=allow_large)
    values = TASK.read(read_tree(path, str(path)), '', report)
    report.raise_if_any()
    report.goal_everywhere = values.hypotheses.kind == 'goals' \
        and values.hypotheses.goals == 'free' and values.hypotheses.count is None
    # Links followed: an installed task file may be a link to one whose maps lie beside it.
    built = read_by_kind(WORLDS, values.world, path.resolve().parent, BuiltWorld)
    candidates = None
    with contextlib.suppress(TaskFileError):    # raised below, with the rest of the report
        candidates = read_by_kind(HYPOTHESES, values.hypotheses, built, Candidates)
    truth = None
    if candidates is not None:
        truth = _read_truth(values, candidates)
        candidates = _with_prior(candidates, values.hypotheses)
        _check_synonyms(values, built, candidates.names)
    start = _read_start(values, built)
    noise = _read_noise(values, built)
    if values.name is not None and not re.fullmatch(r'[^/\\.][^/\\]*', values.name):
        values.refuse(f'must be usable as a file name, got {shown(values.name)}; expected no '
                      'slash and no dot in front', 'name')
    report.raise_if_any()
    assert candidates is not None
    looks = replace(built.world.appearance, synonyms={
        name: tuple(words) for name, words in values.synonyms.items()})
    world = replace(built.world, name=values.name or one_line(path.stem), start=start,
                    appearance=looks, description=values.description.strip())
    return TaskFile(path, Task(world, candidates, noise), truth, values.details.strip())


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
        raise TaskFileError([f'{name}: is not a shipped task; expected its file name. '
                             f"Did you mean '{name}.yaml'?"])
    if str(name) not in known:
        raise TaskFileError([f'{name}: is not a task, got {shown(str(name))}; expected a path, or '
                             f'one of {sorted(known)}' + did_you_mean(name, known)])
    return known[str(name)]


def _read_noise(values: Located, built: BuiltWorld) -> NoiseModel:
    """Return the noise; report a chance of right answers that would count them as wrong."""
    given, actions = values.noise, built.mdp.num_actions
    if given is None:
        return NoiseModel()
    aggregated = given.likelihood == Likelihood.AGGREGATED.value
    floor = 0.5 if aggregated else 1.0 / actions
    of_sets = given.likelihood in {each.value for each in Likelihood}
    if given.gamma_hat <= floor and actions > 1 and of_sets:
        given.refuse(f'makes right answers count as wrong, got {given.gamma_hat}; expected more '
                     f'than {floor:.4g} for {actions} actions and the likelihood '
                     f'{given.likelihood}', 'gamma_hat')
    try:
        likelihood = make_likelihood(given.likelihood, **{
            name: tuple(value) if isinstance(value, list) else value
            for name, value in given.likelihood_options.items()})
    except (GbsIrlError, TypeError) as error:
        given.refuse(str(error), 'likelihood_options')
        return NoiseModel()
    return NoiseModel(given.gamma_hat, given.sigma_hat, likelihood)


def _read_start(values: Located, built: BuiltWorld) -> np.ndarray:
    if values.start is None:
        return built.world.start
    if values.start == 'anywhere':
        return built.mdp.checked_start(None)
    start = np.zeros(built.mdp.num_states)
    for number, place in enumerate(values.start):
        start[place_states(place, built, values, 'start', number)] = 1.0
    return start / max(start.sum(), 1.0)


def _check_synonyms(values: Located, built: BuiltWorld, names: Sequence[str]) -> None:
    """Report synonyms of something that is not there, and words that would mean two things."""
    means = {said(name): name for name in [*built.regions, *values.synonyms]}
    for name, words in values.synonyms.items():
        if name not in built.regions and not is_part_of_a_name(name, names):
            values.refuse(f'is not a region, nor part of the name of a hypothesis, got {name!r}'
                          + (f'; expected one of {shown(list(built.regions))}' if built.regions
                             else f'; expected words of names such as {names[0]!r}')
                          + values.report.did_you_mean(name, built.regions), 'synonyms', name)
        for number, word in enumerate(words):
            meaning = means.setdefault(said(word), name)
            if not said(word):
                values.refuse(f'has no letter or digit, got {word!r}; expected a word', 'synonyms',
                              name, number)
            elif meaning != name or said(word) == said(name):
                values.refuse(f'already means {meaning!r}, got {word!r}; expected another word',
                              'synonyms', name, number)
            elif said(word) in map(said, words[:number]):
                values.refuse(f'appears twice, got {word!r}', 'synonyms', name, number)


def _with_prior(candidates: Candidates, values: Located) -> Candidates:
    count = candidates.num_rewards
    given = getattr(values, 'prior', 'uniform')     # a kind of another package may have none
    prior = None if given == 'uniform' else sparsity_prior(candidates.rewards) \
        if given == 'sparsity' else np.array(given)
    try:
        return replace(candidates, log_prior=normalised_log_prior(prior, count))
    except GbsIrlError:
        values.refuse(f'must have one number per hypothesis, got {len(given)}; expected '
                      f'{count}', 'prior')
        return candidates


def _read_truth(values: Located, candidates: Candidates) -> int | None:
    if values.truth is None:
        return None
    wanted, names = values.truth.hypothesis, candidates.names
    if isinstance(wanted, int) and wanted < candidates.num_rewards:
        return wanted
    if wanted in names:
        return names.index(wanted)
    short = [name.split(':')[0] for name in names]      # random reward 7: likes (3, 4), ...
    if wanted in short:
        return short.index(wanted)
    values.truth.refuse(
        f'there is no such hypothesis, got {wanted}; expected 0 to {candidates.num_rewards - 1}'
        if isinstance(wanted, int) else
        f'is not a hypothesis, got {wanted!r}; expected a number or a name such as '
        f'{candidates.name(0)!r}'
        + values.report.did_you_mean(wanted, names), 'hypothesis')
    return None
