"""
Sentences and names of tasks, read into phrases: what is wanted, excluded or allowed.

In English and in German: the words that steer are different enough to be known together.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from gbs_irl_ros.core.named_enum import NamedEnum


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


_NOT = _words(
    'not never no avoid avoids avoiding avoided without off dont doesnt isnt mustnt shouldnt cant '
    'cannot wont neither nor except forbidden prohibited taboo hate hates around bypass skip '
    'nie niemals nicht kein keine keinen keinem ohne meide meidet meiden vermeide vermeiden weg '
    'verboten tabu außer ausser weder noch')
_KEEP, _AWAY = _words('keep keeps stay stays'), _words('away clear')
_DISLIKES = _words('dislike dislikes disliked')
_RATHER = _words(
    'rather preferably better ideally possible possibly try lieber möglichst besser vielleicht')
_IF_POSSIBLE = _words('possible possibly möglichst')
_MIND = _words('mind minds matter matters care cares')
_OVER = _words('over across through via über durch')
_FINE = _words('fine ok okay allowed alright erlaubt egal')
_RESUMES = _words(
    'but go goes drive drives to then instead only just reach '
    'aber sondern geh gehe gehen fahr fahre fahren zu zum zur nach dann stattdessen nur ziel')
_NEXT = _words('next close near closer')        # "next to" does not begin a new thought
_JOINS = _words('and or und oder')
_FILLING = _OVER | _FINE | _RESUMES | _RATHER | _MIND | _KEEP | _AWAY | _words(
    'a an the this that these those it its i im id me my we us our you your he she they is are be '
    'been was do does did will would should could shall must may can want wants wanted like likes '
    'please kindly robot thanks thank hello hi hey now at in into on onto of from for with by as '
    'if so there here way going driving move moves moving come '
    'comes take bring get walk run enter entering touch touching place region cell column row up '
    'some any '
    'der die das den dem des ein eine einen einem ich du er sie es wir mich mir dich dir bitte '
    'soll sollst sollte will willst möchte darf darfst kann kannst bin ist sind sein im ins am '
    'ans auf bei beim von vom mit da dort dorthin hin hier hierhin roboter danke komm')
_TOKEN = re.compile(r'\(\s*\d+\s*,\s*\d+\s*\)|[^\W_]+(?:[\'’`´][^\W_]+)*|[,;.!?\n]')
_PAUSES = frozenset(',;.!?\n')


class Sense(NamedEnum):
    """In which sense a phrase is said."""

    WANTED = 'wanted'
    NEVER = 'never'
    RATHER_NOT = 'rather not'
    ALLOWED = 'allowed'

    @property
    def excludes(self) -> bool:
        """Tell whether the robot should keep off."""
        return self in (Sense.NEVER, Sense.RATHER_NOT)


@dataclass
class Piece:
    """
    Words that belong together and are said in one sense.

    carried: the sense of an exclusion before, which a list may continue: "not over the carpet,
        toys".
    tokens: its words without those that say nothing, in the form in which they are compared.
    written: from the beginning of its clause to its first word, and its words, as written.
    """

    sense: Sense
    carried: Sense | None = None
    tokens: list[str] = field(default_factory=list)
    written: tuple[str, str] = ('', '')


def pieces(text: str, own_words: Collection[str] = ()) -> list[Piece]:
    """
    Return the phrases of a text.

    A word that excludes ("never", "keep off", "without") holds for what follows, up to a pause, a
    "but" or a new verb; at the end of a clause it holds for what is before it ("the carpet is
    forbidden").

    :param own_words: never passed over, though they usually say nothing.
    """
    text = unicodedata.normalize('NFKC', text)
    reader = _Reader(text, frozenset(own_words))
    for found in _TOKEN.finditer(text):
        reader.take(found)
    reader.end_clause()
    return [piece for piece in reader.found if piece.tokens]


def form(word: str) -> str:
    """Return a word as it is compared: small letters without accents, singular."""
    if word.startswith('('):
        return ','.join(re.findall(r'\d+', word))
    plain = ''.join(letter for letter in unicodedata.normalize('NFKD', word.casefold())
                    if not unicodedata.combining(letter))
    plain = re.sub(r'[\'’`´]', '', plain)
    if len(plain) > 4 and plain.endswith('ies'):
        return plain[:-3] + 'y'
    if len(plain) > 4 and re.search(r'(s|x|z|ch|sh)es$', plain):
        return plain[:-2]
    if len(plain) > 3 and plain.endswith('s') and not re.search(r'(ss|us|is)$', plain):
        return plain[:-1]
    return plain


def said(text: str) -> tuple[str, ...]:
    """Return all words of a text as they are compared."""
    return tuple(form(found.group()) for found in _TOKEN.finditer(
        unicodedata.normalize('NFKC', text)) if found.group() not in _PAUSES)


def likeness(one: str, other: str) -> float:
    """
    Return how much two words look alike, 0 to 1: the letters and pairs of letters they share.

    Numbers are the same or not: 18 is not a misspelled 19.
    """
    if one == other:
        return 1.0
    if any(letter.isdigit() for letter in one + other):
        return 0.0
    pairs = [Counter(pairwise(f'^{word}$')) for word in (one, other)]
    return (_shared(Counter(one), Counter(other)) + _shared(*pairs)) / 2.0


def _shared(one: Counter[Any], other: Counter[Any]) -> float:
    return 2.0 * (one & other).total() / (one.total() + other.total())


class _Reader:
    """Reads a text word by word."""

    def __init__(self, text: str, own_words: frozenset[str]) -> None:
        self._text, self._own_words = text, own_words
        self.found: list[Piece] = []
        self._sense = Sense.WANTED
        self._carried: Sense | None = None
        self._rather = False
        self._pending = False       # an exclusion or a permission has no word yet that it is about
        self._clause: int | None = None         # where in the text the clause began
        self._first = 0             # the first piece of the clause
        self._last = ''

    def take(self, token: re.Match[str]) -> None:
        """Read one word."""
        word, written = form(token.group()), token.group().casefold()
        written = re.sub(r'[\'’`´]', '', written)
        if written in _PAUSES:
            self.end_clause()
            return
        if self._clause is None:
            self._clause = token.start()
        if word in self._own_words or not (self._steers(written) or written in _FILLING):
            self._add(token, word)
        self._last = written

    def end_clause(self) -> None:
        """Take a pause: a word that steers nothing after it is about what is before it."""
        if self._pending:
            for piece in self.found[self._first:]:
                if piece.tokens:
                    piece.sense, piece.carried = self._sense, None
        if self._sense.excludes:
            self._carried = self._sense
        self._sense, self._rather, self._pending, self._clause = Sense.WANTED, False, False, None
        self._first = len(self.found)

    def _steers(self, word: str) -> bool:
        """Take a word that says in which sense others are meant; return whether it is one."""
        if word in _NOT or word in _DISLIKES or (word in _AWAY and self._last in _KEEP):
            mild = self._rather or word in _DISLIKES
            self._turn(Sense.RATHER_NOT if mild else Sense.NEVER, pending=True)
        elif word in _MIND and self._pending:
            self._turn(Sense.ALLOWED, pending=True)
        elif word in _RATHER:
            self._rather = True
            if self._pending and self._sense is Sense.NEVER:
                self._sense = Sense.RATHER_NOT
            elif word in _IF_POSSIBLE and self.found and self.found[-1].sense is Sense.NEVER:
                self.found[-1].sense = Sense.RATHER_NOT
        elif word in _OVER | _FINE and self._sense is Sense.WANTED:
            self._turn(Sense.ALLOWED, pending=word in _FINE)
        elif word in _RESUMES and not self._pending and self._last not in _NEXT:
            self._turn(Sense.WANTED, pending=False)
            self._carried = None
        elif word in _JOINS:
            self.found.append(Piece(self._sense, self._carried))
        else:
            return False
        return True

    def _turn(self, sense: Sense, *, pending: bool) -> None:
        self._sense, self._pending = sense, pending
        self.found.append(Piece(sense))

    def _add(self, token: re.Match[str], word: str) -> None:
        if len(self.found) == self._first or self.found[-1].sense is not self._sense:
            carried = self._carried if self._sense is Sense.WANTED else None
            self.found.append(Piece(self._sense, carried))
        piece, self._pending = self.found[-1], False
        if not piece.tokens:
            start = self._clause if self._clause is not None else token.start()
            first = next((each for each in self.found[self._first:]
                          if each.tokens and each.sense is self._sense), None)
            piece.written = (first.written[0] if first else self._text[start:token.start()], '')
        before, words = piece.written
        piece.written = (before, f'{words} {token.group()}'.strip())
        piece.tokens.append(word)
