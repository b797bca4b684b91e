"""How Sphinx builds the site: `make docs`, or rosdoc2 by rosdoc2.yaml."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

project = 'gbs_irl_ros'
author = 'the gbs_irl_ros maintainers'
copyright = author      # noqa: A001
release = version = '0.1.0'
extensions = ['myst_parser', 'sphinx.ext.autodoc']
root_doc = 'index'
html_theme = 'alabaster'
html_theme_options = {'description': 'Teach a robot a task by answering a few questions',
                      'page_width': '1100px', 'sidebar_width': '240px'}
exclude_patterns = ['paper/*', 'page/*', 'gazebo/*', 'speed/*']
myst_enable_extensions = ['amsmath', 'dollarmath']
myst_heading_anchors = 4
autodoc_typehints = 'signature'
autodoc_member_order = 'bysource'
autoclass_content = 'class'
python_use_unqualified_type_names = True

OUTSIDE = re.compile(r'\[([^\]]+)\]\(\.\./([^)#]+)[^)]*\)')
ATTRIBUTE = re.compile(r'(\w[\w, ]*): (.+)')


def paragraphs(lines: list[str]) -> list[list[str]]:
    """Return the paragraphs of a docstring."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def escaped(line: str) -> str:
    """Return a line of prose in which nothing is markup but code in backticks."""
    parts = re.split(r'(``[^`]*``)', line)
    return ''.join(part if part.startswith('``') else re.sub(r'([*|_`\\])', r'\\\1', part)
                   for part in parts)


def as_rst(part: list[str]) -> list[str]:
    """Return a paragraph as reStructuredText: our docstrings are plain text."""
    if part[0].startswith(' '):
        return ['::', '', *(f'    {line}' for line in part)]
    if part[0].startswith(':'):
        return part
    heads = [line for line in part if not line.startswith(' ')]
    if all(map(ATTRIBUTE.fullmatch, heads)):
        listed = []
        for line in part:
            match = ATTRIBUTE.fullmatch(line)
            listed.append(f'- ``{match[1]}``: {escaped(match[2])}' if match
                          else f'  {escaped(line.strip())}')
        return listed
    return [escaped(line.strip()) for line in part]


def readable(app, what, name, obj, options, lines) -> None:
    lines[:] = [line for part in paragraphs(list(lines)) for line in (*as_rst(part), '')]


def without_links_outside(app, page, source) -> None:
    # What is in the repository and not on the site is named instead.
    source[0] = OUTSIDE.sub(r'\1 (`\2`)', source[0])


def setup(app) -> None:
    app.connect('autodoc-process-docstring', readable)
    app.connect('source-read', without_links_outside)
