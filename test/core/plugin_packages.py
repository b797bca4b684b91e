"""Packages with entry points, as pip would leave them in a folder, without pip."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gbs_irl_ros.core import registry


class PluginFolder:
    """A folder on the path; everything is undone in the end."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._modules = folder, []

    def add(self, package: str, code: str, **groups: str) -> None:
        """
        Install a package of one module.

        :param groups: for a group, its entry points as `name = module:object`, lines.
        """
        module = package.replace('-', '_')
        self._modules.append(module)
        (self._folder / f'{module}.py').write_text(code)
        info = self._folder / f'{module}-1.0.dist-info'
        info.mkdir()
        (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n')
        (info / 'entry_points.txt').write_text(''.join(
            f'[gbs_irl_ros.{group}]\n{lines}\n' for group, lines in groups.items()))
        forget_entry_points()

    def forget(self) -> None:
        for module in self._modules:
            sys.modules.pop(module, None)


def forget_entry_points() -> None:
    """Have entry points looked for again."""
    importlib.invalidate_caches()
    registry._entry_points.cache_clear()
    registry._all_entry_points.cache_clear()


@contextmanager
def plugin_folder(path: Path) -> Iterator[PluginFolder]:
    """Yield a folder in which packages are installed; afterwards nobody knows of them."""
    path.mkdir(exist_ok=True)
    sys.path.insert(0, str(path))
    before = {group: dict(each._items) for group, each in registry.REGISTRIES.items()}
    folder = PluginFolder(path)
    try:
        yield folder
    finally:
        sys.path.remove(str(path))
        folder.forget()
        forget_entry_points()
        for group, items in before.items():
            registry.REGISTRIES[group]._items = items
