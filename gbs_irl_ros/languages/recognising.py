"""
Say again what another node has said in English.

A reply of the learner or the controller is a sentence of the catalogue with its data filled in.
Here it is taken apart again, and said in the language of whoever reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from gbs_irl_ros.languages.catalogue import ENGLISH, catalogue, languages
from gbs_irl_ros.languages.speaking import as_written, language

LONGEST = 1000      # of a text that is looked at
FEWEST = 6          # letters that a sentence must have besides its data to be recognised
END = '. '          # between two sentences
MOST = 8            # sentences in a text that is taken apart

Name = Callable[[str], str]


class _Sentence(NamedTuple):
    """
    A sentence of the catalogue, taken apart.

    literals: what is said in any case: before, between and after the fields.
    translated: the same in the other language.
    """

    literals: tuple[str, ...]
    fields: tuple[str, ...]
    translated: str

    @property
    def weight(self) -> int:
        """Return how much it says besides its data."""
        return sum(each.isalpha() for literal in self.literals for each in literal)


def said_again(text: str, name: Name = str) -> str:
    """
    Return an English sentence in the language that is spoken now; as it is if it is not known.

    :param name: says a name that is part of it.
    """
    if language() == ENGLISH or len(text) > LONGEST:
        return text
    return _said(text, name)


def _said(text: str, name: Name) -> str:
    sentences = catalogue(language()).sentences
    whole = sentences.get(text)
    if isinstance(whole, str):
        return whole
    # Those that say most come first.
    for sentence in _sentences(language(), languages()[language()]):
        found = _data(text, sentence)
        if found is not None:
            data = {field: _said(value, name) for field, value in found.items()}
            return _filled(sentence.translated, data)
    first, sign, rest = text.partition(END)
    if sign and rest.count(END) < MOST:
        return f'{_said(first + sign.rstrip(), name)} {_said(rest, name)}'
    return name(as_written(text))


@lru_cache(maxsize=4)
def _sentences(code: str, files: tuple[Path, ...]) -> tuple[_Sentence, ...]:
    """
    Return the sentences with data, those first that say most besides.

    :param files: of the language; with others it is another.
    """
    found = []
    for english, said in catalogue(code).sentences.items():
        literals, fields = _taken_apart(english)
        sentence = _Sentence(literals, fields, said if isinstance(said, str) else said[1])
        if fields and sentence.weight >= FEWEST and all(literals[1:-1]):
            found.append(sentence)
    return tuple(sorted(found, key=lambda each: -each.weight))


def _taken_apart(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is between the fields of a sentence, and the names of these."""
    literals, fields = [''], list[str]()
    for literal, field, _, _ in Formatter().parse(text):
        literals[-1] += literal
        if field is not None:
            fields.append(field or str(len(fields)))
            literals.append('')
    return tuple(literals), tuple(fields)


def _data(text: str, sentence: _Sentence) -> dict[str, str] | None:
    """Return what is in the fields of a sentence if a text is that sentence, or None."""
    first, *between, last = sentence.literals
    if not (text.startswith(first) and text.endswith(last)):
        return None
    at, end, values = len(first), len(text) - len(last), []
    for literal in between:
        found = text.find(literal, at + 1, end)
        if found < 0:
            return None
        values.append(text[at:found])
        at = found + len(literal)
    if at >= end:
        return None
    values.append(text[at:end])
    data = dict(zip(sentence.fields, values, strict=True))
    return data if [data[field] for field in sentence.fields] == values else None


def _filled(template: str, data: dict[str, str]) -> str:
    literals, fields = _taken_apart(template)
    return literals[0] + ''.join(data[field] + literal for field, literal
                                 in zip(fields, literals[1:], strict=True))
