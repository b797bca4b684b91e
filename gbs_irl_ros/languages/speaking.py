"""
Say something in the language of whoever reads it.

A process speaks one language (``speak``); what is done for somebody who reads another one is done
``in_language`` of that person. Without either it is English.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar

from gbs_irl_ros.languages.catalogue import (
    ENGLISH,
    Catalogue,
    CatalogueError,
    catalogue,
    languages,
)

Texts = TypeVar('Texts')
_DECIMAL = re.compile(r'[-+]?\d+\.\d+')
_usual = Catalogue(ENGLISH, 'English')
_now: ContextVar[Catalogue | None] = ContextVar('language', default=None)


def speak(code: str) -> None:
    """Let this process speak a language; raise if there is no such one."""
    global _usual
    _usual = catalogue(code)


@contextlib.contextmanager
def in_language(code: str) -> Iterator[None]:
    """Speak a language meanwhile, in this thread; English if there is no such one."""
    try:
        wanted = catalogue(code)
    except CatalogueError:
        wanted = catalogue(ENGLISH)
    before = _now.set(wanted)
    try:
        yield
    finally:
        _now.reset(before)


def language() -> str:
    """Return the code of the language that is spoken now."""
    return _spoken().code


def wanted_language(parameter: str, environment: Mapping[str, str]) -> str:
    """
    Return the code of the language to speak; raise if a person asks for one that is not there.

    :param parameter: what was asked for; '': the language of the environment, or English.
    """
    if parameter:
        return catalogue(parameter).code
    locale = environment.get('LC_ALL') or environment.get('LC_MESSAGES') \
        or environment.get('LANG') or ''
    code = locale.partition('.')[0].partition('_')[0].lower()
    return code if code in languages() else ENGLISH


def tr(text: str, /, *data: object, **named: object) -> str:
    """
    Return a sentence in the language that is spoken now; one that it lacks in English.

    :param text: the English one, a literal here or ``marked`` elsewhere.
    :param data: for its placeholders.
    """
    said = _spoken().sentences.get(text, text)
    assert isinstance(said, str), f'{text!r} counts something'
    return Said(_filled(said, data, named) if data or named else said, lambda: tr(
        text, *map(again, data), **{name: again(value) for name, value in named.items()}))


class Said(str):
    """
    A sentence that remembers what it was made of.

    made_again: makes it in the language that is spoken when it is called.
    """

    made_again: Callable[[], str]

    def __new__(cls, text: str, made_again: Callable[[], str]) -> Said:
        said = super().__new__(cls, text)
        said.made_again = made_again
        return said

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Return how to copy it to elsewhere: as the text that it is."""
        return str, (str.__str__(self),)


def again(text: Any) -> Any:
    """Return what was said for somebody else in the language that is spoken now."""
    return text.made_again() if isinstance(text, Said) else text


def tr_count(count: int, one: str, many: str, /, **named: object) -> str:
    """
    Return a sentence that counts something.

    :param one: the English one for 1; many: for other numbers. Both may have {count}.
    """
    forms = _spoken().sentences.get(many, (one, many))
    return _filled(forms[0 if count == 1 else 1], (), {'count': count, **named})


def marked(texts: Texts) -> Texts:
    """Return a text, or a table of texts, that are given to ``tr`` later."""
    return texts


def figures(value: float, form: str = 'g') -> str:
    """Return a number as it is written in this language."""
    return f'{value:{form}}'.replace('.', _spoken().decimal)


def as_written(text: str) -> str:
    """Return a text as it is, a number in decimal notation as it is written in this language."""
    return text.replace('.', _spoken().decimal) if _DECIMAL.fullmatch(text) else text


def percent(share: float, form: str = 'g') -> str:
    """Return a share of 1 in percent."""
    return tr('{number}%', number=figures(100.0 * share, form))


class _Written:
    """A number that is written as in this language, however else it formats itself."""

    def __init__(self, value: float) -> None:
        self._value = value

    def __format__(self, form: str) -> str:
        return format(self._value, form).replace('.', _spoken().decimal)


def _filled(text: str, data: tuple[object, ...], named: Mapping[str, object]) -> str:
    def written(value: object) -> object:
        return _Written(value) if isinstance(value, float) else value
    return text.format(*map(written, data),
                       **{name: written(value) for name, value in named.items()})


def _spoken() -> Catalogue:
    return _now.get() or _usual
