"""What the description of SDF says about a world file: unknown tags, missing and wrong values."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

VERSION = '1.9'
NUMBERS = {'double': 1, 'float': 1, 'int': 1, 'unsigned int': 1, 'vector3': 3, 'color': 4,
           'pose': 6, 'vector2d': 2, 'vector2i': 2, 'quaternion': 4}
WORDS = {'bool': ('true', 'false', '0', '1')}
# Required, but Gazebo's own value is as good as any.
LEFT_OUT = {'gravity', 'magnetic_field', 'atmosphere', 'real_time_update_rate'}
BESIDE = {'gz_frame_id'}        # not of SDF, but Gazebo's sensors read it


def problems(file):
    """Return everything in a world file that the description of SDF does not know or misses."""
    root = ElementTree.parse(file).getroot()
    return list(_compared(root, described('root.sdf'), root.tag))


@cache
def folder():
    """Return where the description is installed, None if nowhere."""
    return max(Path('/usr/share').glob(f'sdformat*/{VERSION}'), default=None)


@cache
def described(name):
    return ElementTree.parse(folder() / name).getroot()


def _children(spec):
    """Return what an element may hold: tag: (its description, whether it must)."""
    found = {}
    for child in spec:
        if child.tag == 'include' and (folder() / child.get('filename')).exists():
            there = described(child.get('filename'))
            found[there.get('name')] = there, child.get('required') in ('1', '+')
        elif child.tag == 'element' and child.get('name'):
            found[child.get('name')] = (child, child.get('required') in ('1', '+'))
        elif child.get('ref'):
            found.update(_children(described(f'{child.get("ref")}.sdf')))
    return found


def _compared(element, spec, path):
    attributes = {each.get('name'): each for each in spec.findall('attribute')}
    for name in element.keys() - attributes.keys():
        yield f'{path}: has an attribute {name} that is not known'
    for name, each in attributes.items():
        if each.get('required') == '1' and element.get(name) is None:
            yield f'{path}: its attribute {name} is missing'
    yield from _wrong_value(element, spec, path)
    if any(child.get('copy_data') == 'true' for child in spec.findall('element')):
        return      # a plugin knows what it wants
    known = _children(spec)
    for child in element:
        if child.tag in known:
            yield from _compared(child, known[child.tag][0], f'{path}/{child.tag}')
        elif child.tag not in BESIDE:
            yield f'{path}: {child.tag} is not known'
    for tag, (_, must) in known.items():
        if must and tag not in LEFT_OUT and element.find(tag) is None:
            yield f'{path}: {tag} is missing'


def _wrong_value(element, spec, path):
    kind, text = spec.get('type', ''), (element.text or '').strip()
    if kind in WORDS and text not in WORDS[kind]:
        yield f'{path}: must be one of {WORDS[kind]}, got {text!r}'
    if kind in NUMBERS:
        try:
            count = len([float(word) for word in text.split()])
        except ValueError:
            count = None
        if count != NUMBERS[kind]:
            yield f'{path}: must be {NUMBERS[kind]} numbers, got {text!r}'
