"""
A task with its names in the language that is spoken now, for whoever shows it to a person.

What a catalogue has no name for is called as the task file calls it.
"""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from functools import lru_cache

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.languages.catalogue import ENGLISH
from gbs_irl_ros.languages.speaking import in_language, language, marked, tr
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Appearance, World

# The clauses that names of hypotheses are made of, and how each is said of a name, or of several.
CLAUSES = marked({
    r'go to (.+)': 'go to {name}',
    r'never over (.+)': 'never over {places}',
    r'rather not over (.+)': 'rather not over {places}',
    r'keep off (.+)': 'keep off {places}',
    r'avoids (.+)': 'avoids {things}',
    r'dislikes (.+)': 'dislikes {things}',
    r'likes (.+)': 'likes {things}',
    r'minds nothing': 'minds nothing',
})
BETWEEN = re.compile(r' (?:or|and) ')
PAUSE = re.compile(r', (?![^(]*\))')         # not within the brackets of a cell


def translated(task: Task) -> Task:
    """Return a task as it is called in the language that is spoken now."""
    return task if language() == ENGLISH else _translated(task, language())


@lru_cache(maxsize=4)
def _translated(task: Task, code: str) -> Task:
    with in_language(code):
        world = _world(task.world)
        candidates = copy.copy(task.candidates)
        object.__setattr__(candidates, 'mdp', world.mdp)
        _rename(candidates)
        return Task(world, candidates, task.noise, began_as=task.hash)


def _rename(candidates: Candidates) -> None:
    object.__setattr__(candidates, 'names', tuple(map(said_name, candidates.names)))


def _world(world: World) -> World:
    looks = world.appearance
    said = replace(world, name=tr(world.name), description=tr(world.description),
                   appearance=replace(
                       looks, action_names=tuple(map(tr, looks.action_names)),
                       state_names=tuple(map(tr, looks.state_names)),
                       regions={tr(name): states for name, states in looks.regions.items()},
                       synonyms=_synonyms(looks)))
    said.__dict__['headings'] = world.headings      # which way an action leads is in its own name
    return said


def _synonyms(looks: Appearance) -> dict[str, tuple[str, ...]]:
    """Return the other words for each name; that of the task file is one of them."""
    names = {*looks.regions, *looks.synonyms}
    return {tr(name): (*([name] if tr(name) != name else []), *looks.synonyms.get(name, ()))
            for name in names if tr(name) != name or looks.synonyms.get(name)}


def said_name(name: str) -> str:
    """Return how a hypothesis is called: clause by clause, and the names in them."""
    if language() == ENGLISH:
        return name
    drawn = re.fullmatch(r'random reward (\d+): (.+)', name)
    if drawn:
        return tr('random reward {number}: {what}', number=drawn[1], what=said_name(drawn[2]))
    return ', '.join(map(_said_clause, PAUSE.split(name)))


def _said_clause(clause: str) -> str:
    for pattern, template in CLAUSES.items():
        found = re.fullmatch(pattern, clause)
        if found:
            names = [_said_place(each) for each in BETWEEN.split(found[1])] if found.groups() \
                else []
            if '{name}' in template:
                return tr(template, name=f' {tr("or")} '.join(names))
            if '{places}' in template:
                return tr(template, places=f' {tr("or")} '.join(
                    each if each.startswith('(') else tr('“{name}”', name=each)
                    for each in names))
            return tr(template, things=f' {tr("and")} '.join(names)) if names else tr(template)
    return tr(clause)


def _said_place(name: str) -> str:
    return tr(name) if tr(name) != name else tr(name.removeprefix('the '))
