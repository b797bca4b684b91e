"""
Which tasks a teacher's own words fit: by the names of the hypotheses, without a language model.

Names and words are read into phrases (``phrases``). A word counts for the phrases of the names
that it covers best: it is the same, a plural, a synonym of the task file, or it looks like it. A
task fits better the more of what is said it has in the same sense.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gbs_irl_ros.core.errors import InvalidWordsError
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.core.task_answers import MAX_TEXT
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.phrases import Piece, Sense, likeness, pieces, said
from gbs_irl_ros.tasks.task import Task

ALIKE = 0.65        # words that look as much alike as this are taken for the same
TIE = 0.05          # tasks whose scores differ by less fit equally well
NOT_SAID = 0.1      # what it costs a task to exclude something that the words do not, but others
MAX_NAMED = 8       # places or exclusions that an error names

# What a phrase that is said in the first sense is worth to a task that has it in the second.
_WORTH: Mapping[tuple[Sense, Sense], float] = {
    (Sense.WANTED, Sense.WANTED): 1.0, (Sense.WANTED, Sense.NEVER): 0.0,
    (Sense.WANTED, Sense.RATHER_NOT): 0.0, (Sense.WANTED, Sense.ALLOWED): 0.0,
    (Sense.NEVER, Sense.WANTED): -1.0, (Sense.NEVER, Sense.NEVER): 1.0,
    (Sense.NEVER, Sense.RATHER_NOT): 0.5, (Sense.NEVER, Sense.ALLOWED): -1.0,
    (Sense.RATHER_NOT, Sense.WANTED): -1.0, (Sense.RATHER_NOT, Sense.NEVER): 0.5,
    (Sense.RATHER_NOT, Sense.RATHER_NOT): 1.0, (Sense.RATHER_NOT, Sense.ALLOWED): -1.0,
    (Sense.ALLOWED, Sense.WANTED): 0.5, (Sense.ALLOWED, Sense.NEVER): -1.0,
    (Sense.ALLOWED, Sense.RATHER_NOT): -0.5, (Sense.ALLOWED, Sense.ALLOWED): 1.0}


@dataclass(frozen=True)
class _Vocabulary:
    """
    What the names of a task's hypotheses are made of.

    tasks: for each hypothesis, its phrases and the sense of each.
    shown: each phrase in each sense that a name has it in, as a person reads it.
    wordings: words that say a phrase, its own or synonyms, and the phrase.
    containing: for each word, the wordings that have it.
    """

    tasks: tuple[tuple[tuple[int, Sense], ...], ...]
    shown: Mapping[tuple[int, Sense], str]
    wordings: tuple[tuple[tuple[str, ...], int], ...]
    containing: Mapping[str, tuple[int, ...]]


def tasks_that_fit(text: str, task: Task) -> tuple[int, ...]:
    """
    Return the numbers of the hypotheses whose names fit the words best, rising.

    Somebody who only names a place has not said that everything else is allowed: "the desk" fits
    every task that ends there, whatever it keeps off, and the next questions find out the rest.
    To return the plain one alone would be faster where it is meant and misleading where it is not.
    Somebody who excludes something is taken to have named all that is excluded: "the desk, not
    over the carpet" fits the task that keeps off the carpet better than the one that also keeps
    off the toys.

    :param text: what the teacher says, such as "the desk, not over the carpet".
    :raises InvalidWordsError: the words are empty or too long, or fit no task or all of them.
    """
    if not text.strip():
        raise InvalidWordsError(tr('say in a few words what I should do, got none'))
    if len(text) > MAX_TEXT:
        raise InvalidWordsError(tr('say it in at most {most} characters, got {count}',
                                   most=MAX_TEXT, count=len(text)))
    known = _vocabulary(task.names, tuple(task.world.appearance.synonyms.items()))
    meant = _mentioned(text, known)
    quoted = repr(one_line(text.strip(), longest=60))
    if not meant and (pieces(text) or not _is_in_a_name(text, task.names)):
        raise InvalidWordsError(tr('I know no task about {words}; I know of: {known}',
                                   words=quoted, known=_known_words(known)))
    scores = _scores(known, meant)
    best = max(scores)
    found = tuple(number for number, score in enumerate(scores) if score > best - TIE)
    if len(found) == len(scores) and (len(scores) > 1 or best <= 0.0):
        raise InvalidWordsError(tr(
            '{words} fits all {count} tasks; name a place or what to keep off. I know of: {known}',
            words=quoted, count=len(scores), known=_known_words(known)))
    return found


def is_part_of_a_name(text: str, names: Sequence[str]) -> bool:
    """Tell whether words stand in the name of a hypothesis, so that synonyms of them help."""
    known = {words for words, _ in _vocabulary(tuple(names), ()).wordings}
    return any(_places(words, own) for own in _phrases_of(text) for words in known)


def _scores(known: _Vocabulary, mentioned: Mapping[int, tuple[Sense, float]]) -> list[float]:
    """Return how well each hypothesis fits."""
    excluding = any(sense.excludes and ((phrase, Sense.NEVER) in known.shown
                                        or (phrase, Sense.RATHER_NOT) in known.shown)
                    for phrase, (sense, _) in mentioned.items())
    scores = []
    for phrases in known.tasks:
        total = 0.0
        for phrase, sense in phrases:
            if phrase in mentioned:
                meant, strength = mentioned[phrase]
                total += strength * _WORTH[meant, sense]
            elif excluding and sense.excludes:
                total -= NOT_SAID
        scores.append(total)
    return scores


def _mentioned(text: str, known: _Vocabulary) -> dict[int, tuple[Sense, float]]:
    """Return the phrases that a sentence mentions, in which sense and how clearly, 0 to 1."""
    mentioned: dict[int, tuple[Sense, float]] = {}
    for piece in pieces(_with_cells(text, known), known.containing):
        for phrase, strength in _covered(piece, known):
            if strength >= mentioned.get(phrase, (None, 0.0))[1]:
                sense = piece.sense
                if piece.carried is not None and (phrase, Sense.WANTED) not in known.shown:
                    sense = piece.carried
                mentioned[phrase] = sense, strength
    return mentioned


def _covered(piece: Piece, known: _Vocabulary) -> Iterator[tuple[int, float]]:
    """Yield for each word the phrases of which it, with the other words, covers most."""
    by_word = {word: _alike(word, known) for word in piece.tokens}
    covered: dict[int, float] = {}
    for same in {same for alike in by_word.values() for same in alike}:
        strength = max(alike.get(same, 0.0) for alike in by_word.values())
        for wording in known.containing[same]:
            share = known.wordings[wording][0].count(same) / len(known.wordings[wording][0])
            covered[wording] = covered.get(wording, 0.0) + strength * share
    for alike in by_word.values():
        touched = {wording for same in alike for wording in known.containing[same]}
        best = max((covered[wording] for wording in touched), default=0.0)
        for wording in touched:
            if covered[wording] > best - TIE:
                yield known.wordings[wording][1], covered[wording]


def _alike(word: str, known: _Vocabulary) -> dict[str, float]:
    """Return the known words that one may be, and how alike they are: itself, or the nearest."""
    if word in known.containing:
        return {word: 1.0}
    found = {same: likeness(word, same) for same in known.containing}
    best = max(found.values(), default=0.0)
    return {same: alike for same, alike in found.items() if alike >= max(ALIKE, best - TIE)}


def _with_cells(text: str, known: _Vocabulary) -> str:
    """Return a sentence with two numbers that name a cell written as the names do: (3, 4)."""
    def cell(found: re.Match[str]) -> str:
        column, row = found.groups()
        return f'({column}, {row})' if f'{column},{row}' in known.containing else found.group()
    return re.sub(r'(?<![(\d])(\d+)(?:\s*[,;/]\s*|\s+)(?:(?:and\s+)?row\s+)?(\d+)(?!\d)', cell,
                  text)


def _is_in_a_name(text: str, names: Sequence[str]) -> bool:
    """Tell whether a word of a sentence, though it says nothing, is in a name."""
    words = {word for word in said(text) if not word[0].isdigit()}
    return any(word in words for name in names for word in said(name))


def _known_words(known: _Vocabulary) -> str:
    """Return what the names are about, in a line."""
    wanted = [text for (_, sense), text in known.shown.items() if not sense.excludes]
    excluded = [text for (_, sense), text in known.shown.items() if sense.excludes]
    return f' {tr("and")}: '.join(_listed(texts) for texts in (wanted, excluded) if texts)


def _listed(texts: Sequence[str]) -> str:
    return ', '.join(texts[:MAX_NAMED]) + (', ...' if len(texts) > MAX_NAMED else '')


@lru_cache(maxsize=4)
def _vocabulary(names: tuple[str, ...],
                synonyms: tuple[tuple[str, tuple[str, ...]], ...]) -> _Vocabulary:
    phrases: dict[tuple[str, ...], int] = {}
    shown: dict[tuple[int, Sense], str] = {}
    tasks = []
    for name in names:
        of_task = []
        for piece in _name_pieces(name):
            phrase = phrases.setdefault(tuple(piece.tokens), len(phrases))
            before, written = piece.written
            shown.setdefault((phrase, piece.sense),
                             one_line(before + written if piece.sense.excludes else written))
            of_task.append((phrase, piece.sense))
        tasks.append(tuple(dict.fromkeys(of_task)))
    wordings = dict.fromkeys((words, phrase) for words, phrase in phrases.items())
    for name, others in synonyms:
        for own in _phrases_of(name):
            for words, phrase in phrases.items():
                wordings |= dict.fromkeys(
                    ((*words[:place], *instead, *words[place + len(own):]), phrase)
                    for place in _places(words, own) for instead in map(_words_of, others))
    containing: dict[str, list[int]] = {}
    for number, (words, _) in enumerate(wordings):
        for word in dict.fromkeys(words):
            containing.setdefault(word, []).append(number)
    return _Vocabulary(tuple(tasks), shown, tuple(wordings),
                       {word: tuple(numbers) for word, numbers in containing.items()})


def _name_pieces(name: str) -> list[Piece]:
    """Return the phrases of a name, all of its words where none of them says anything."""
    found = pieces(name)
    return found or [Piece(Sense.WANTED, None, list(_words_of(name)), ('', name))]


def _phrases_of(text: str) -> list[tuple[str, ...]]:
    return [tuple(piece.tokens) for piece in _name_pieces(text)]


def _places(words: tuple[str, ...], part: tuple[str, ...]) -> list[int]:
    """Return where in some words others stand."""
    return [place for place in range(len(words) - len(part) + 1)
            if words[place:place + len(part)] == part]


def _words_of(text: str) -> tuple[str, ...]:
    """Return the words of a synonym."""
    found = [word for piece in pieces(text) for word in piece.tokens]
    return tuple(found) or said(text)
