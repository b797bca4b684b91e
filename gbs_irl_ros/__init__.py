"""
Learn a task from a person by asking a few well-chosen questions.

The import package has two halves: these sources, and the messages generated from ``msg`` and
``srv``. Extending the path lets both be imported under one name wherever they are installed.
"""

import pkgutil

__all__ = ['__version__']
__path__ = pkgutil.extend_path(__path__, __name__)
__version__ = '0.1.0'
