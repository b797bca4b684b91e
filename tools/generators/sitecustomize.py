"""
Lets the generators of a ROS build share what they parse; `make setup` puts it on PYTHONPATH.

Ten generators each parse every message and service of the package with a general parser, which is
85 % of their time. With this the first one to parse an interface keeps the result for the others,
by the content of the file. Where anything goes wrong they parse as always.
"""

import contextlib
import hashlib
import os
import pickle
import sys


def share_parsing(folder):
    """Replace rosidl's function that parses an interface by one that remembers."""
    from rosidl_parser import parser
    parse = parser.parse_idl_string

    def remembered(text, png_file=None):
        path = os.path.join(folder, hashlib.sha256(text.encode()).hexdigest())
        try:
            with open(path, 'rb') as file:
                return pickle.load(file)
        except (OSError, pickle.PickleError, EOFError, AttributeError):
            parsed = parse(text, png_file)
        with contextlib.suppress(OSError, pickle.PickleError):
            os.makedirs(folder, exist_ok=True)
            beside = f'{path}.{os.getpid()}'
            with open(beside, 'wb') as file:
                pickle.dump(parsed, file)
            os.replace(beside, path)
        return parsed
    parser.parse_idl_string = remembered


if 'PARSED_INTERFACES' in os.environ \
        and '--generator-arguments-file' in getattr(sys, 'orig_argv', ()):
    with contextlib.suppress(ImportError):
        share_parsing(os.environ['PARSED_INTERFACES'])
