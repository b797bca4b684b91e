"""Figures as text, for docs/speed.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bench.results import Figures

MISSING = '–'

Format = Callable[[Any], str]


def table(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    """Return a table in Markdown, all columns but the first to the right."""
    head = list(head)
    rule = ['---', *('---:' for _ in head[1:])]
    return '\n'.join(f'| {" | ".join(cells)} |' for cells in (head, rule, *body))


def number(digits: int, unit: str = '') -> Format:
    """Return a format with this many digits after the decimal point."""
    return lambda value: f'{value:,.{digits}f}{unit}'


def getter(figures: Figures, prefix: str) -> Callable[..., str]:
    """Return a function that shows the figures whose keys begin alike."""
    def get(key: str, shown: Format = str) -> str:
        value = figures.get(f'{prefix}.{key}')
        return MISSING if value is None else shown(value)
    return get
