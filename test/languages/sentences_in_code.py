"""Every sentence of the code that a catalogue must have, in Python and in the page."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import yaml

import gbs_irl_ros
from gbs_irl_ros.tasks.task_file import shipped_tasks
from gbs_irl_ros.tasks.worlds.cells import MOVES
from gbs_irl_ros.teaching.web.server import PAGE

PACKAGE = Path(gbs_irl_ros.__file__).parent
PSEUDO = 'xx'
OF_WORLDS = (*MOVES, 'goal', 'puddles', 'traps', 'shoulder')      # names that worlds give
STRING = r"'(?:[^'\\]|\\.)*'"
LITERAL = rf'{STRING}(?:\s*\+\s*{STRING})*'


def python_sentences():
    """Return the sentences: {English: where}, and of those that count the English singular."""
    plain, counted = {}, {}
    for file in sorted(PACKAGE.rglob('*.py')):
        for node in ast.walk(ast.parse(file.read_text())):
            name = node.func.id if isinstance(node, ast.Call) \
                and isinstance(node.func, ast.Name) else ''
            where = f'{file.relative_to(PACKAGE)}:{getattr(node, "lineno", 0)}'
            if name in ('tr', 'marked'):
                plain |= dict.fromkeys(texts_of(node.args[0]), where)
            elif name == 'tr_count':
                [one], [many] = texts_of(node.args[1]), texts_of(node.args[2])
                counted[many] = one, where
    return {text: where for text, where in plain.items() if says_something(text)}, counted


def texts_of(node):
    """Return the literals of an argument: a text, or the values of a table."""
    if isinstance(node, ast.Constant):
        return [node.value]
    if isinstance(node, ast.Dict):
        return [text for value in node.values for text in texts_of(value)]
    if isinstance(node, ast.Tuple):
        return [text for value in node.elts for text in texts_of(value)]
    return []           # a name: it is marked where it is made


def says_something(text):
    """Tell whether a text is more than placeholders and arrows."""
    return bool(re.search(r'[A-Za-z%“]', re.sub(r'\{[^}]*\}', '', text)))


def shipped_names():
    """Return how the tasks that come with the package call themselves, and what is in them."""
    found = set()
    for path in shipped_tasks().values():
        values = yaml.safe_load(path.read_text())
        found |= {values['name'], values['description'].strip(),
                  *(values['world'].get('regions') or {}), *OF_WORLDS}
    return dict.fromkeys(found, 'config/tasks')


def page_sentences():
    """Return the same of the page's scripts."""
    plain, counted = {}, {}
    for file in sorted(PAGE.rglob('*.js')):
        text, where = file.read_text(), file.name
        for found in re.finditer(rf'\btr\(\s*({LITERAL})', text):
            plain[literal(found[1])] = where
        for found in re.finditer(rf'\btrCount\([^,]+,\s*({LITERAL}),\s*({LITERAL})', text):
            counted[literal(found[2])] = literal(found[1]), where
        assert len(re.findall(r'\btrCount\(', text)) == len(re.findall(
            rf'\btrCount\((?:count|[^,]+),\s*{LITERAL}', text)) + (where == 'language.js'), where
        if where == 'labels.js':
            table = re.search(r'(?s)ENGLISH = \{(.*?)\n\};', text)[1]
            plain |= {literal(each[1]): where
                      for each in re.finditer(rf'^  \w+: ({LITERAL}),', table, re.M)}
    return plain, counted


def literal(code):
    """Return the text of a literal, perhaps of several that are put together."""
    return ''.join(ast.literal_eval(part) for part in re.findall(STRING, code))


def wanted_sentences():
    """Return what a catalogue must have: {English: singular, or None if nothing is counted}."""
    plain, counted = zip(python_sentences(), page_sentences(), strict=True)
    return {**dict.fromkeys(plain[0] | plain[1] | shipped_names()),
            **{many: one for many, (one, _) in (counted[0] | counted[1]).items()}}


def write_pseudo_language(folder):
    """Write a catalogue in which every sentence is the English one in brackets."""
    (folder / f'{PSEUDO}.json').write_text(json.dumps({
        '': {'name': 'Pseudo', 'decimal': '.'},
        **{english: f'⟦{english}⟧' if one is None else [f'⟦{one}⟧', f'⟦{english}⟧']
           for english, one in wanted_sentences().items()}}))


def outside_brackets(text):
    """Return the words of a text that no catalogue has been asked for."""
    depth, left = 0, []
    for letter in text:
        depth += (letter == '⟦') - (letter == '⟧')
        left.append(letter if depth == 0 else ' ')
    assert depth == 0, text
    return re.findall(r'[^\W\d_]{2,}', ''.join(left))
