"""
A language: one JSON file that gives each English sentence in it.

The sentence as it is in the code, with its placeholders in braces, is the key. Of a sentence that
counts something the key is the English plural, and the entry has two forms: for one and for any
other number. The key '' has what is not a sentence: how the language calls itself, and its decimal
point.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

ENGLISH = 'en'
FOLDER = Path(__file__).parent
OWN_FOLDER = 'GBS_IRL_LANGUAGES'        # an environment variable: a folder with further files
ABOUT = {'name', 'decimal'}


class CatalogueError(ValueError):
    """A file is not a catalogue, or there is none for a language."""


@dataclass(frozen=True)
class Catalogue:
    """
    One language.

    name: as those who speak it call it. decimal: its decimal point. sentences: by the English one.
    """

    code: str
    name: str
    decimal: str = '.'
    sentences: Mapping[str, str | tuple[str, str]] = field(default_factory=dict)

    def as_json(self) -> str:
        """Return it as the page reads it."""
        return json.dumps({'': {'name': self.name, 'decimal': self.decimal}, **self.sentences})


def languages() -> dict[str, tuple[Path, ...]]:
    """Return the languages that there are by their codes, and the files of each; English first."""
    found: dict[str, tuple[Path, ...]] = {ENGLISH: ()}
    for folder in [FOLDER, *map(Path, filter(None, [os.environ.get(OWN_FOLDER)]))]:
        for file in sorted(folder.glob('*.json')):
            found[file.stem] = (*found.get(file.stem, ()), file)
    return found


def catalogue(code: str) -> Catalogue:
    """Return a language; raise if there is no such one."""
    known = languages()
    if code not in known:
        raise CatalogueError(f'there is no language {code!r}; expected one of {list(known)}')
    return _read(code, known[code])


@lru_cache(maxsize=8)
def _read(code: str, paths: tuple[Path, ...]) -> Catalogue:
    """Return a language; of two files the later adds to the earlier."""
    found = Catalogue(code, 'English')
    for read in map(_read_file, paths):
        found = replace(read, sentences={**found.sentences, **read.sentences})
    return found


def _read_file(path: Path) -> Catalogue:
    try:
        found = json.loads(path.read_text(encoding='utf-8'))
    except ValueError as error:
        raise CatalogueError(f'{path}: not JSON: {error}') from None
    about = found.pop('', None) if isinstance(found, dict) else None
    if not isinstance(about, dict) or set(about) != ABOUT \
            or not all(isinstance(each, str) for each in about.values()):
        raise CatalogueError(f'{path}: the key "" must have {sorted(ABOUT)}, got {about!r}')
    for english, said in found.items():
        if not isinstance(said, str) and not (
                isinstance(said, list) and len(said) == 2
                and all(isinstance(each, str) for each in said)):
            raise CatalogueError(f'{path}: {english!r} must have one sentence, or two where '
                                 f'something is counted, got {said!r}')
    return Catalogue(path.stem, about['name'], about['decimal'], {
        english: said if isinstance(said, str) else (said[0], said[1])
        for english, said in found.items()})
